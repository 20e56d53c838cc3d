"""What no skill can do, told from the words alone: conditions, schedules, loops, verbs that no skill carries out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import yaml

from premotor_planners.task.lexicon.vocabulary import FOLDER, vocabulary, whole_words
from premotor_planners.task.lexicon.words import read_words
from premotor_planners.task.outcome import Problem, Refusal, unsupported
from premotor_planners.task.reading.clauses import Clause, Verb
from premotor_planners.task.reading.reading import Reading

_DECIDE = "decide on a condition"
_DELAY = "start at a later time"
_COMMAND_STARTS = ("to", "and", "please", "then", ",")
_SHORT_MESSAGE = 3
"""Words before `every minute` that are spoken; longer texts may well end in a time."""
_WAITING = ("wait", "pause", "stay", "hold", "on", "for")


def beyond_skills(reading: Reading) -> Problem | None:
    """Why no skill can do this, judged without a model; None when nothing speaks against it."""
    return _conditions(reading) or _verbs(reading)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    raw = yaml.safe_load((FOLDER / "beyond.yaml").read_text(encoding="utf-8"))
    return tuple((whole_words([pattern]), what) for pattern, what in raw["conditions"])


def _conditions(reading: Reading) -> Refusal | None:
    marked = reading.marked
    quiet = [c for c in reading.clauses if c.kind in ("background", "question")] if reading.asking else []
    idle = {i for clause in quiet for i in clause.indexes}
    conditional = any(clause.kind == "condition" for clause in reading.clauses)
    for pattern, what in _patterns():
        for start, end, _ in marked.text.find(pattern):
            delay = what == _DELAY and marked.word(start - 1) not in _WAITING
            applies = delay or (what == _DECIDE and conditional) or what not in (_DELAY, _DECIDE)
            if applies and not any(i in marked.taken or i in idle for i in range(start, end)):
                return unsupported(what)
    return _scheduled_speech(reading) or (unsupported(_DECIDE) if conditional else None)


def _scheduled_speech(reading: Reading) -> Refusal | None:
    return scheduled_words([message.text for clause in reading.asking for message in clause.messages])


def scheduled_words(texts: Iterable[str]) -> Refusal | None:
    """`remind Ben at 8 pm to …`, `say hello every minute`: when to speak, not what to say."""
    for text in texts:
        words = read_words(text)
        for pattern, what in _patterns():
            for start, end, _ in words.find(pattern):
                leads = start == 0 and what != _DECIDE
                loops = end == len(words.words) and 0 < start <= _SHORT_MESSAGE and what.startswith("repeat")
                if leads or loops:
                    return unsupported(what)
    return None


def _verbs(reading: Reading) -> Refusal | None:
    for clause in reading.asking:
        found = _unsupported_verb(clause, reading) or _light_verb(clause, reading) or _entertainment(clause)
        if found:
            return unsupported(found)
    return None


def _unsupported_verb(clause: Clause, reading: Reading) -> str:
    """The phrase of a verb in command position that only stands for something no skill does."""
    for number, verb in enumerate(clause.verbs):
        commanded = number == 0 or reading.marked.word(verb.index - 1) in _COMMAND_STARTS
        if verb.classes <= {"unsupported"} and commanded and (number == 0 or clause.kind == "task"):
            return verb.phrase
    return ""


def _light_verb(clause: Clause, reading: Reading) -> str:
    """`take a photo`, `do the laundry`: the noun tells what is wanted."""
    marked, known = reading.marked, vocabulary()
    for verb in clause.verbs:
        for index in _after(verb, clause):
            named = marked.mention_at(index) or marked.mention_at(index + 1)
            if marked.word(index) in known.light_objects and not named:
                return f"{verb.base} a {marked.word(index)}"
    return ""


def _after(verb: Verb, clause: Clause) -> list[int]:
    return [i for i in clause.indexes if i > verb.index][:5]


def _entertainment(clause: Clause) -> str:
    """`tell Anna a joke` asks for a joke, not for the words."""
    for message in clause.messages:
        words = message.text.casefold().split()
        if (
            words[:1]
            and words[0] in ("a", "an", "another")
            and {"joke", "story", "song", "riddle", "poem"} & set(words)
        ):
            return f"tell {message.text}"
    return ""
