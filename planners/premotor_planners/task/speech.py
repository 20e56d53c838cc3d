"""What an instruction asks to be said, and to whom: `tell Anna (that) …`, `let Ben know …`, `say …`, quoted words.

The words of a message belong to the hearer: no other reader looks for tasks, names or verbs in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from premotor_planners.task.naming import Names
from premotor_planners.task.vocabulary import vocabulary
from premotor_planners.task.words import SENTENCE_ENDS, Text

ME = frozenset({"me", "us", "myself"})
THEM = frozenset({"him", "her", "them"})
EVERYONE = frozenset({"everyone", "everybody", "people", "anyone", "folks", "guys", "all", "world"})
_TELL = r"(?:tell|telling|inform|informing|notify|remind|reminding|warn|warning|advise|alert|assure|reassure|update|instruct|urge|beg|invite)"
_ASK = r"(?:ask|asking)"
_SAY = r"(?:say|saying|announce|announcing|shout|whisper|utter|declare|proclaim|call out|yell|speak|state|repeat|exclaim|recite|voice)"
_WHO = r"(?P<who>(?:to |the |dr )*[^ .,;:!?\"]+)"
_LINK = r"(?: ,)?(?: that| about| to please| to| please| :| ,| the following| this)*"
_PATTERNS = tuple(
    (name, re.compile(f"(?<= )(?:{pattern})(?= )"))
    for name, pattern in (
        ("know", rf"let(?:ting)? {_WHO}(?: [^ .,;:!?\"]+)? (?:know|hear)(?: about)?{_LINK}"),
        ("know", rf"{_WHO}(?: [^ .,;:!?\"]+)? (?:should|needs to|has to|must|ought to|deserves to|would like to|wants to) (?:know|hear|be told|be informed|be reminded|be warned|learn){_LINK}"),
        ("message", rf"(?:give|bring|deliver|pass|pass on|relay|send|take|convey|get|carry|leave|pass along) {_WHO}(?: [^ .,;:!?\"]+)? (?:the|a|this|my|following|short|quick)(?: following| short| quick)? (?:message|news|word|note|info|information){_LINK}"),
        ("message", rf"(?:pass|pass on|relay|send|take|convey|deliver|give|pass along|bring|get|carry|leave) (?:(?:the|a|this|my) )?(?:message|news|word|note) (?:on |along |over )?(?:to|for) {_WHO}{_LINK}"),
        ("message", rf"(?:pass on|relay|convey|mention|announce|explain|call out|shout|say|report|communicate) to {_WHO}(?: that| :| ,)+"),
        ("message", rf"(?:message|note) (?:for|to) {_WHO}(?: that| :| ,)+"),
        ("tell", rf"{_TELL} {_WHO}{_LINK}"),
        ("ask", rf"{_ASK} {_WHO}(?: ,)?(?: to please| to| if| whether| please| about| :| ,)*"),
        ("wish", rf"wish {_WHO}(?: a| an)?"),
        ("greet", rf"(?:greet|welcome) {_WHO}"),
        ("say", rf"{_SAY}(?: the words?| out loud| aloud| loudly| the following| just| please| out)?(?P<say_to> to {_WHO.replace('who', 'hearer')}(?= that | : | , | \"))?(?: that| :| ,| this)*"),
    )
)  # fmt: skip
GREETING = "hello"
_STOP = re.compile(r"(?<= )(?:, )?(?:and |but )?(?:then|after that|afterwards|next|finally)(?= )")
_TAIL = re.compile(
    r"(?: ,| please| thanks| thank you| for me| will you| would you| could you| can you| ok| okay| right away| now| and| -| cheers| ta)+ $"
)
_AND = re.compile(r"(?<= )(?:, )?and(?: also| please)?(?= )")


@dataclass(frozen=True)
class Message:
    """Words start..end ask for speech, of which text_start..text_end are to be said (as `text`).

    `also` are further hearers of the same words.
    `location` is a place or room to say it in, if one is named beside the words (`announce in the kitchen that …`).
    `hearer` is a catalogue name, one of ME, THEM or EVERYONE as written, an unknown name, or empty (nobody named).
    """

    start: int
    end: int
    text_start: int
    text_end: int
    text: str
    hearer: str
    known: bool
    question: bool = False
    location: str = ""
    also: tuple[str, ...] = ()


def find_messages(text: Text, names: Names) -> list[Message]:
    """All messages in order, not overlapping."""
    found: list[Message] = []
    for start, end, kind, who in _openings(text):
        if found and start < found[-1].end:
            continue
        if kind == "say" and not _commanded(text, start):
            continue
        message = _read(text, names, start, end, kind, who)
        if message:
            found.append(message)
    return found


def _openings(text: Text) -> Iterator[tuple[int, int, str, str]]:
    matches = []
    for order, (kind, pattern) in enumerate(_PATTERNS):
        for start, end, match in text.find(pattern):
            groups = match.groupdict()
            matches.append((start, order, end, kind, groups.get("who") or groups.get("hearer") or ""))
    for start, _, end, kind, who in sorted(matches):
        yield start, end, kind, who


def _commanded(text: Text, start: int) -> bool:
    """`say` as a command, not as in `you say` or `she says`."""
    before = text.words[start - 1].norm if start else ""
    return before not in ("i", "she", "he", "they", "people", "who", "as", "would")


def _read(text: Text, names: Names, start: int, end: int, kind: str, who: str) -> Message | None:
    hearer, known = _hearer(text, names, start, end, who)
    if kind != "say" and not hearer:
        return None
    if kind == "greet":
        return Message(start, end, end, end, GREETING, hearer, known)
    text_end = _message_end(text, end)
    stop = text_end
    end, leading = _leading_location(text, names, end, text_end) if kind == "say" else (end, "")
    text_start, text_end, quoted = _unquote(text, end, text_end)
    stop = max(stop, text_end + 1) if quoted and text_end >= stop else stop
    if kind == "say" and not hearer:
        hearer, known, text_end = _trailing_hearer(text, names, text_start, text_end, stop, quoted)
    location = leading
    if kind == "say" and not leading:
        text_end, location = _trailing_location(text, names, text_start, text_end, stop, quoted)
    also, text_start = _more_hearers(text, names, text_start, text_end) if hearer else ((), text_start)
    if text_end <= text_start or (kind == "ask" and text.words[text_start].norm == "for"):
        return None
    words = text.slice(text_start, text_end).strip(" \"“”'").rstrip(".!?;,")
    return Message(start, stop, text_start, text_end, words, hearer, known, kind == "ask", location, also)


def _more_hearers(text: Text, names: Names, start: int, end: int) -> tuple[tuple[str, ...], int]:
    """`tell Ben and Anna (that) …`: the further people, and where the words start."""
    also: list[str] = []
    while start + 1 < end and text.words[start].norm in ("and", ","):
        found, _ = names.match((text.words[start + 1].norm,))
        if len(found) != 1 or names.kind(found[0]) != "person":
            break
        also.append(found[0])
        start += 2
    if also and start < end and text.words[start].norm in ("that", "to", "know", "about"):
        start += 1 + (text.words[start].norm == "know" and text.words[start + 1].norm == "that")
    return tuple(also), start


def _spot_at(text: Text, names: Names, index: int, end: int) -> tuple[str, int]:
    """The place or room that the words from `index` name (after in, at, the), and where the phrase ends."""
    while index < end and text.words[index].norm in ("in", "at", "on", "from", "near", "the", "my", "by"):
        index += 1
    for stop in range(min(end, index + 4), index, -1):
        found, _ = names.match(tuple(word.norm for word in text.words[index:stop]))
        if len(found) == 1 and names.kind(found[0]) in ("place", "room"):
            return found[0], stop
    return "", index


def _leading_location(text: Text, names: Names, start: int, end: int) -> tuple[int, str]:
    """`announce in the kitchen that …`: where the words start, and the location."""
    if start < end and text.words[start].norm in ("in", "at"):
        name, stop = _spot_at(text, names, start, end)
        if name and stop < end and text.words[stop].norm in ("that", ":", ",", '"'):
            return stop + (text.words[stop].norm != '"'), name
    return start, ""


def _trailing_location(text: Text, names: Names, start: int, end: int, stop: int, quoted: bool) -> tuple[int, str]:
    """`say "hello" in the kitchen`, `say good night in the bedroom`, but not `say the cake is in the kitchen`."""
    first, last = (end + 1, stop) if quoted else (start + 1, end)
    for index in range(max(first, last - 5), last):
        if text.words[index].norm in ("in", "at") and text.words[index - 1].norm not in (
            "is",
            "are",
            "was",
            "be",
            "i'm",
        ):
            name, after = _spot_at(text, names, index, last)
            if name and after == last:
                return end if quoted else index, name
    return end, ""


def _hearer(text: Text, names: Names, start: int, end: int, who: str) -> tuple[str, bool]:
    """The person named in the opening: the longest match of a known name wins over the single word."""
    if not who:
        return "", True
    for index in range(start, end):
        for length in (3, 2, 1):
            candidates, _ = (
                names.match(tuple(word.norm for word in text.words[index : index + length]))
                if index + length <= end
                else ((), False)
            )
            people = [name for name in candidates if names.kind(name) == "person"]
            if people:
                return people[0], True
    word = who.split()[-1]
    if word in ME | THEM | EVERYONE:
        return word, True
    at = next((i for i in range(start, end) if text.words[i].norm == word), start)
    return text.slice(at, at + 1), False


def _message_end(text: Text, start: int) -> int:
    """Up to the end of the sentence, `then`, or an `and` that a command of the robot follows."""
    end = start
    inside = False
    while end < len(text.words):
        norm = text.words[end].norm
        if norm == '"':
            inside = not inside
        if not inside and norm in SENTENCE_ENDS and end > start:
            break
        end += 1
    for first, _, _ in text.find(_STOP):
        if start < first < end and not _quoted(text, start, first) and _next_is_command(text, first):
            end = first
    for first, last, _ in text.find(_AND):
        if start < first < end and not _quoted(text, start, first) and _is_own_command(text, last):
            end = first
    return end


def _quoted(text: Text, start: int, index: int) -> bool:
    return sum(word.norm == '"' for word in text.words[start:index]) % 2 == 1


def _next_is_command(text: Text, index: int) -> bool:
    """Whether a verb of the robot comes within the words after `then`."""
    known = vocabulary()
    following = [
        word.norm
        for word in text.words[index : index + 6]
        if word.norm not in ("and", "then", ",", "after", "that", "afterwards", "next", "but", "please")
    ]
    return bool(following) and following[0] in known.senses


def _is_own_command(text: Text, index: int) -> bool:
    """After `and`: a base verb whose object shows that the robot is meant (`bring me`, `come back`, `take the`, `dock`)."""
    known = vocabulary()
    words = [word.norm for word in text.words[index : index + 3]]
    if not words or words[0] not in known.senses or words[0] in ("be", "is", "will", "needs", "do"):
        return False
    after = words[1:2]
    return words[0] in ("dock", "charge", "recharge", "bring", "fetch", "deliver") or (
        bool(after)
        and after[0]
        in ("me", "it", "the", "my", "your", "back", "to", "here", "over", "him", "her", "a", "for", "then", "him")
    )


def _unquote(text: Text, start: int, end: int) -> tuple[int, int, bool]:
    """The quoted words when the message starts with a quote; trailing courtesies are cut otherwise."""
    opening = next((i for i in range(start, min(end, start + 2)) if text.words[i].norm == '"'), None)
    if opening is not None:
        closing = next((i for i in range(opening + 1, len(text.words)) if text.words[i].norm == '"'), end)
        return opening + 1, closing, True
    while end > start and text.words[end - 1].norm in (",", "-", "–", "—", '"'):
        end -= 1
    joined = f" {' '.join(word.norm for word in text.words[start:end])} "
    tail = _TAIL.search(joined)
    if tail and tail.start() > 0:
        end -= len(tail[0].split())
    return start, end, False


def _trailing_hearer(text: Text, names: Names, start: int, end: int, stop: int, quoted: bool) -> tuple[str, bool, int]:
    """`say hello to Anna`, `say "hello" to everyone`: the hearer after the words."""
    window = range(end, stop) if quoted else range(max(start + 1, end - 4), end)
    for index in window:
        if text.words[index].norm not in ("to", "for"):
            continue
        words = tuple(word.norm for word in text.words[index + 1 : (stop if quoted else end)])
        people = [n for n in names.match(words)[0] if names.kind(n) == "person"] if words else []
        if people:
            return people[0], True, end if quoted else index
        if len(words) == 1 and words[0] in ME | THEM | EVERYONE:
            return words[0], True, end if quoted else index
        if len(words) == 1 and text.words[index + 1].capital:
            return text.slice(index + 1, index + 2), False, end if quoted else index
    return "", True, end
