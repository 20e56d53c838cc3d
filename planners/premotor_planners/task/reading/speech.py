"""What an instruction asks to be said, and to whom: `tell Anna (that) …`, `let Ben know …`, `say …`, quoted words.

The words of a message belong to the hearer: no other reader looks for tasks, names or verbs in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from premotor_planners.task.lexicon.words import SENTENCE_ENDS, Text
from premotor_planners.task.reading.hearers import (
    hearer_in,
    leading_location,
    more_hearers,
    trailing_hearer,
    trailing_location,
)
from premotor_planners.task.reading.message_bounds import message_end, unquote
from premotor_planners.task.reading.messages import Message, speech_patterns
from premotor_planners.task.reading.naming import Names


@dataclass(frozen=True)
class _Opening:
    start: int
    end: int
    kind: str
    who: str


def find_messages(text: Text, names: Names) -> list[Message]:
    """All messages in order, not overlapping."""
    found: list[Message] = []
    for opening in _openings(text):
        if found and opening.start < found[-1].end:
            continue
        message = _read(text, names, opening) if _is_commanded(text, opening) else None
        if message:
            found.append(message)
    return found


def _openings(text: Text) -> Iterator[_Opening]:
    found = []
    for order, (kind, pattern) in enumerate(speech_patterns().openings):
        for start, end, match in text.find(pattern):
            found.append((start, order, _Opening(start, end, kind, match.groupdict().get("who") or "")))
    return (opening for _, _, opening in sorted(found, key=lambda one: one[:2]))


def _is_commanded(text: Text, opening: _Opening) -> bool:
    """`say` as a command, not as in `she says`."""
    before = [word.norm for word in text.words[max(0, opening.start - 2) : opening.start]]
    told = before[-1:] and before[-1] in speech_patterns().not_commands
    return opening.kind != "say" or not (told or before == ["as", "you"])


def _read(text: Text, names: Names, opening: _Opening) -> Message | None:
    """The message after an opening, or None where no words to say, or no hearer that must be there, are found."""
    hearer, known = hearer_in(text, names, opening.start, opening.end, opening.who)
    if opening.kind == "greet":
        end = opening.end
        return Message(opening.start, end, end, end, speech_patterns().greeting, hearer, known)
    if opening.kind == "say":
        return _read_say(text, names, opening)
    stop = message_end(text, opening.end, text.words[opening.end - 1].norm == "to")
    also, start = more_hearers(text, names, opening.end, stop)
    start, end, quoted = unquote(text, start, stop)
    if start < len(text.words) and text.words[start].norm in SENTENCE_ENDS:
        return None
    if not hearer or end <= start or (opening.kind == "ask" and text.words[start].norm == "for"):
        return None
    stop = max(stop, end + 1) if quoted else stop
    return Message(opening.start, stop, start, end, _words(text, start, end), hearer, known, also=also)


def _read_say(text: Text, names: Names, opening: _Opening) -> Message | None:
    stop = message_end(text, opening.end, False)
    start, location = leading_location(text, names, opening.end, stop)
    start, end, quoted = unquote(text, start, stop)
    stop = max(stop, end + 1) if quoted else stop
    if end <= start:
        return None
    hearer, known, end = trailing_hearer(text, names, start, end, stop, quoted)
    if not location and text.words[opening.end - 1].norm != "that":
        end, location = trailing_location(text, names, start, end, stop, quoted)
    if end <= start or text.words[start].norm in ("at", "to"):
        return None
    return Message(opening.start, stop, start, end, _words(text, start, end), hearer, known, location)


def _words(text: Text, start: int, end: int) -> str:
    """The words as written, without quotes and final marks."""
    return text.slice(start, end).strip(" \"“”'").rstrip(".!?;,")
