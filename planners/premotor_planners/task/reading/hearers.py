"""Who is spoken to, and where: named before the words, after them, or several people together."""

from __future__ import annotations

from premotor_planners.task.lexicon.words import Text
from premotor_planners.task.reading.messages import EVERYONE, ME, THEM
from premotor_planners.task.reading.naming import Names

_FAR_BACK = 4
"""A hearer or place may stand in the last words of what follows `say`."""


def hearer_in(text: Text, names: Names, start: int, end: int, who: str) -> tuple[str, bool]:
    """The person named in words start..end, and whether that person is known; `who` is the word where one must be."""
    for index in range(start, end if who else start):
        for stop in range(min(index + 3, end), index, -1):
            people = _people(text, names, index, stop)
            if people:
                return people[0], True
    word = who.split()[-1] if who else ""
    if not word or word in ME | THEM | EVERYONE:
        return word, True
    at = next((i for i in range(start, end) if text.words[i].norm == word), start)
    return text.slice(at, at + 1), False


def more_hearers(text: Text, names: Names, start: int, end: int) -> tuple[tuple[str, ...], int]:
    """`tell Ben and Anna (that) …`: the further people, and where the words start."""
    also: list[str] = []
    while start + 1 < end and text.words[start].norm in ("and", ","):
        people = _people(text, names, start + 1, start + 2)
        if len(people) != 1:
            break
        also.append(people[0])
        start += 2
    while also and start < end and text.words[start].norm in ("that", "to", "know", "about"):
        start += 1
    return tuple(also), start


def trailing_hearer(text: Text, names: Names, start: int, end: int, stop: int, quoted: bool) -> tuple[str, bool, int]:
    """`say hello to Anna`, `say "hello" to everyone`: the hearer, whether known, and where the words end."""
    last = stop if quoted else end
    for index in range(end, stop) if quoted else range(max(start + 1, end - _FAR_BACK), end):
        if text.words[index].norm not in ("to", "for"):
            continue
        cut = end if quoted else index
        ends = range(min(index + 4, last), index + 1, -1) if quoted else range(last, last + 1)
        people = [name for until in ends for name in _people(text, names, index + 1, until)]
        if people:
            return people[0], True, cut
        last = index + 2 if quoted and index + 1 < last else last
        if last == index + 2 and text.words[index + 1].norm in ME | THEM | EVERYONE:
            return text.words[index + 1].norm, True, cut
        if last == index + 2 and text.words[index + 1].capital:
            return text.slice(index + 1, index + 2), False, cut
    return "", True, end


def leading_location(text: Text, names: Names, start: int, end: int) -> tuple[int, str]:
    """`announce in the kitchen that …`: where the words start, and the location."""
    if start < end and text.words[start].norm in ("in", "at"):
        name, stop = _spot(text, names, start, end)
        if name and stop < end and text.words[stop].norm in ("that", ":", ",", '"'):
            return stop + (text.words[stop].norm != '"'), name
    return start, ""


def trailing_location(text: Text, names: Names, start: int, end: int, stop: int, quoted: bool) -> tuple[int, str]:
    """`say "hello" in the kitchen`, `say good night in the bedroom`, but not `say the cake is in the kitchen`."""
    first, last = (end + 1, stop) if quoted else (start + 1, end)
    for index in range(max(first, last - _FAR_BACK - 1), last):
        before = text.words[index - 1].norm
        if text.words[index].norm in ("in", "at") and before not in ("is", "are", "was", "be", "am"):
            name, after = _spot(text, names, index, last)
            if name and after == last:
                return end if quoted else index, name
    return end, ""


def _people(text: Text, names: Names, start: int, end: int) -> list[str]:
    words = tuple(word.norm for word in text.words[start:end])
    return [name for name in names.match(words)[0] if names.kind(name) == "person"] if words else []


def _spot(text: Text, names: Names, index: int, end: int) -> tuple[str, int]:
    """The place or room that the words from `index` name (after in, at, the), and where the phrase ends."""
    while index < end and text.words[index].norm in ("in", "at", "on", "from", "near", "the", "my", "by"):
        index += 1
    for stop in range(min(end, index + 4), index, -1):
        found, _ = names.match(tuple(word.norm for word in text.words[index:stop]))
        if len(found) == 1 and names.kind(found[0]) in ("place", "room"):
            return found[0], stop
    return "", index
