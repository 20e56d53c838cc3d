"""What is said and how long is waited: in the words of the instruction, to whom it is meant for, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.doubt import Doubt, doubt
from premotor_planners.task.reading.reading import Reading

SECONDS_TOLERANCE = 0.5
_SPEAKING = frozenset((
    "say", "tell", "word", "words", "announce", "know", "heard", "hear", "hears", "knows", "news", "message", "inform",
    "ask", "remind", "request", "pass", "speak", "voice", "shout", "mention", "report", "warn", "alert", "let", "note",
    "advise", "explain", "declare", "repeat", "call", "loud", "aloud", "notify", "update", "break", "fill", "get",
    "whisper", "state", "utter", "proclaim", "reassure", "assure", "point", "invite", "urge", "told", "asked", "aware",
))  # fmt: skip
"""Without any of these, no words of an instruction are there to be said."""


def waits(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """Every length of time of a task clause is waited for once, and no other."""
    wanted = sorted(
        duration.seconds or 0.0
        for clause in reading.clauses
        if clause.asks
        for duration in reading.marked.durations
        if duration.start in clause.indexes
    )
    planned = sorted(step.duration_s for step in steps if step.skill == "wait")
    same = len(wanted) == len(planned) and all(
        abs(a - b) <= SECONDS_TOLERANCE for a, b in zip(wanted, planned, strict=True)
    )
    if same:
        return []
    times = [duration.seconds or 0.0 for duration in reading.marked.durations]
    told = bool(planned) and not wanted and all(any(abs(t - p) <= SECONDS_TOLERANCE for t in times) for p in planned)
    return [replace(doubt("the waiting times differ" if planned and wanted else "the waiting time"), mild=told)]


def speech(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """Every message is said once, in its words, to its hearer, and nothing else is said."""
    messages = [
        heard
        for clause in reading.clauses
        if clause.kind == "task"
        for m in clause.messages
        for heard in (m, *(replace(m, hearer=name, known=True) for name in m.also))
    ]
    said = [(index, step) for index, step in enumerate(steps) if step.skill == "say"]
    if len(messages) != len(said):
        literal = (
            bool(said)
            and not messages
            and _speaks(reading)
            and all(_stands_in(step.name, reading.marked.text.raw) for _, step in said)
        )
        return [replace(doubt("what should be said"), mild=literal)]
    found = []
    for message, (index, step) in zip(messages, said, strict=True):
        if _plain(message.text) != _plain(step.name):
            shorter = _stands_in(step.name, message.text)
            found.append(replace(doubt(f"the words to say are `{message.text}`"), mild=shorter))
        if (
            message.known
            and message.hearer in reading.catalogue.people
            and _stands_with(steps[:index]) != message.hearer
        ):
            found.append(doubt(f"the words are for {message.hearer}"))
        if not message.known:
            found.append(doubt(f"who {message.hearer} is"))
        if message.location and _stands_at(steps[:index]) != message.location:
            found.append(doubt(f"the words are to be said in the {message.location}"))
    return found


def _speaks(reading: Reading) -> bool:
    return bool(_SPEAKING & {word.norm for word in reading.marked.text.words})


def _stands_in(words: str, text: str) -> bool:
    return " ".join(_plain(words)) in " ".join(_plain(text))


def _plain(text: str) -> list[str]:
    """Words for comparison: no marks, no case, no leading `that` or `to`, no trailing politeness."""
    words = "".join(c if c.isalnum() or c in "' " else " " for c in text.casefold().replace("’", "'")).split()
    while words[:1] and words[0] in ("that", "to", "if", "whether", "about", "a", "the"):
        words = words[1:]
    while words[-1:] == ["please"]:
        words = words[:-1]
    return words


def _stands_with(before: Sequence[CompactStep]) -> str:
    """The person beside whom the robot stands after these steps."""
    for step in reversed(before):
        if step.skill in ("go", "give"):
            return step.name
        if step.skill in ("pick", "place", "inspect", "dock"):
            return ""
    return ""


def _stands_at(before: Sequence[CompactStep]) -> str:
    return next((step.name for step in reversed(before) if step.skill in ("go", "place", "inspect", "give")), "")
