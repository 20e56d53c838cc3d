"""What no skill can do, told from the words alone: unsupported verbs, conditions, schedules, loops, missing skills."""

from __future__ import annotations

import re

from premotor_planners.task.clauses import Clause
from premotor_planners.task.outcome import Problem, Refusal, unsupported
from premotor_planners.task.reading import Reading
from premotor_planners.task.vocabulary import vocabulary

_DAYS = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?"
_TIMES = r"(?:second|minute|hour|day|week|month|year|morning|evening|night|noon|afternoon|midnight|weekend|weekday|time|now and then)s?"
_LATER = (
    (r"(?:every|each) (?:single |other |few |half |\d+ |[a-z]+ )?(?:" + _TIMES + "|" + _DAYS + ")", "repeat things on a schedule"),
    (r"(?:daily|hourly|weekly|nightly|monthly|periodically|regularly|constantly|continuously|repeatedly|forever|nonstop|endlessly|routinely|indefinitely)", "repeat things on a schedule"),
    (r"(?:again and again|over and over(?: again)?|back and forth|to and fro|round and round|in circles|in a loop|on repeat|all day|all night|all the time|non stop|around the clock|round the clock|time and again|up and down|from time to time|once in a while|now and then|once (?:a|an|per|every) [a-z]+|twice (?:a|an|per) [a-z]+)", "repeat things over and over"),
    (r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|several|many|a few|a couple of|a dozen) (?:more )?(?:times|laps|rounds|trips|circles)", "repeat things a number of times"),
    (r"(?:twice|thrice|laps?)", "repeat things a number of times"),
    (r"(?:at|by|around|before|after|until|till|from) (?:about |exactly |around )?(?:\d+(?:[.:]\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half past [a-z]+|quarter (?:past|to) [a-z]+) ?(?:am|pm|a m|p m|o'clock|oclock|o clock|sharp|tonight|tomorrow|in the (?:morning|evening|afternoon))", "wait for a time of day"),
    (r"at (?:half past|quarter (?:past|to)) [a-z0-9]+", "wait for a time of day"),
    (r"\d+(?:[.:]\d+)? ?(?:am|pm|o'clock|oclock)", "wait for a time of day"),
    (r"\d+(?:am|pm)", "wait for a time of day"),
    (r"(?:at|by|around|until|till|after) (?:noon|midnight|midday|dawn|dusk|sunset|sunrise|night|lunchtime|lunch time|dinnertime|bedtime|breakfast time|teatime|the weekend)", "wait for a time of day"),
    (r"(?:tomorrow|the day after tomorrow|next (?:week|month|year|time|" + _DAYS + ")|on " + _DAYS + "|this (?:evening|afternoon|weekend))", "plan for a later day"),
    (r"(?:in|within|after) (?:about |exactly |around |another )?(?:\d+(?:\.\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|sixty|ninety|a few|a couple of|several) (?:more )?(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?)(?: time| from now)?", "start at a later time"),
    (r"(?:\d+|an?|one|two|five|ten|twenty|thirty) (?:minutes?|hours?|days?|seconds?) from now", "start at a later time"),
    (r"(?:whenever|unless|until|till|as long as|so long as|as soon as|in case of|in the event|provided|the next time|each time|every time|the moment|depending on|or else|otherwise)", "wait for a condition"),
    (r"(?:wait|hold on|hang on|stay|stop|pause) (?:for|until|till) (?:me|him|her|them|someone|somebody|everyone|anna|ben|the door|the rain|it to)", "wait for somebody or something"),
    (r"(?:while|whilst|during|meanwhile|simultaneously|at the same time)", "do two things at once"),
    (r"(?:keep|continue|go on|carry on) (?!hold|a |an |it|the |your |my |calm|quiet|going|still)[a-z]+ing", "go on with something without an end"),
    (r"(?:if|in case|only when|when)", "decide on a condition"),
)  # fmt: skip
_PATTERNS = tuple((re.compile(f"(?<= )(?:{pattern})(?= )"), what) for pattern, what in _LATER)
SKILL_CLASSES = {"go": {"go"}, "dock": {"dock"}, "inspect": {"inspect"}, "wait": {"wait"}}
_MILD = frozenset({"make", "act", "turn", "check", "look", "hold", "play"})


def beyond_skills(reading: Reading) -> Problem | None:
    """Why no skill can do this, judged without a model; None when nothing speaks against it."""
    return _conditions(reading) or _verbs(reading)


def _conditions(reading: Reading) -> Refusal | None:
    marked = reading.marked
    idle = {
        i
        for c in reading.clauses
        if c.kind in ("background", "filler", "question") and c.connective not in ("if", "when")
        for i in c.indexes
    }
    for pattern, what in _PATTERNS:
        for start, end, _ in marked.text.find(pattern):
            span = range(start, end)
            if any(i in marked.taken or i in idle for i in span):
                continue
            if what == "start at a later time" and _is_wait(start, reading):
                continue
            if what == "decide on a condition" and not any(c.kind == "condition" for c in reading.clauses):
                continue
            return unsupported(what)
    return unsupported("decide on a condition") if any(c.kind == "condition" for c in reading.clauses) else None


def _is_wait(start: int, reading: Reading) -> bool:
    """`wait another 20 seconds` is no delay of something else."""
    return reading.marked.word(start - 1) in ("wait", "pause", "stay", "hold", "on", "for")


def _verbs(reading: Reading) -> Refusal | None:
    for clause in reading.clauses:
        if clause.kind not in ("task", "fragment"):
            continue
        found = _unsupported_verb(clause, reading)
        if found:
            return unsupported(found)
    return None


def _unsupported_verb(clause: Clause, reading: Reading) -> str:
    """The phrase of a verb in command position that only stands for something no skill does."""
    marked, known = reading.marked, vocabulary()
    for number, verb in enumerate(clause.verbs):
        if (verb.classes and "unsupported" not in verb.classes) or (clause.kind != "task" and number > 0):
            continue
        following = [marked.word(i) for i in clause.indexes if i > verb.index][:5]
        if verb.classes <= {"unsupported"} and (
            number == 0 or marked.word(verb.index - 1) in ("to", "and", "please", "then", ",")
        ):
            return verb.phrase + ("" if " " in verb.phrase else _object_of(following, known.light_objects))
    for verb in clause.verbs:
        following = [marked.word(i) for i in clause.indexes if i > verb.index][:5]
        light = next((w for w in following if w in known.light_objects), "")
        position = next((i for i in clause.indexes if i > verb.index and marked.word(i) == light), -1)
        if light and marked.mention_at(position) is None and not marked.mention_at(position + 1):
            return f"{verb.base} a {light}"
    for message in clause.messages:
        if any(word in known.light_objects for word in message.text.casefold().split()[:3]) and message.hearer:
            first = message.text.casefold().split()[:2]
            if first[:1] in (["a"], ["an"], ["me"]) and any(
                word in ("joke", "story", "song") for word in message.text.casefold().split()
            ):
                return f"tell {message.text}"
    return ""


def _object_of(following: list[str], light: frozenset[str]) -> str:
    return next((f" {word}" for word in following[:3] if word in light), "")
