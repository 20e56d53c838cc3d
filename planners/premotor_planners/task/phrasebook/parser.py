"""A task that is a known phrasing from the first word to the last, as an answer in the compact plan language."""

from __future__ import annotations

import re

from premotor_planners.task.answers.answer import Answer, StepsAnswer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.phrasebook.aliases import aliases_of
from premotor_planners.task.phrasebook.chart import Chart, Reading
from premotor_planners.task.phrasebook.matcher import TooMuchWork
from premotor_planners.task.phrasebook.meaning import meaning
from premotor_planners.task.phrasebook.references import Referrer
from premotor_planners.task.phrasebook.sentence import read_sentence
from premotor_planners.task.phrasebook.settling import Senseless
from premotor_planners.task.phrasebook.spelling import corrected

MAX_CHARS = 1000
_SLACK = 1e-6
_HEARERS = re.compile(r"\bto (?:everyone|everybody|all|all of (?:them|us)|them|us|him|her|me)$", re.IGNORECASE)


def parse(task: str, catalogue: Catalogue) -> Answer | None:
    """The answer to a task that is a known phrasing, word for word but for names; None for any other.

    None, too, where the words have two readings with different answers, and for more than `MAX_CHARS` characters.
    Deterministic, needs no model, never raises, and looks at a bounded number of readings.
    """
    if len(task) > MAX_CHARS:
        return None
    aliases = aliases_of(catalogue)
    sentence = corrected(read_sentence(task), aliases)
    try:
        readings = Chart(sentence, Referrer(sentence, aliases)).readings()
    except TooMuchWork:
        return None
    return _agreed(readings, catalogue)


def _agreed(readings: list[Reading], catalogue: Catalogue) -> Answer | None:
    """The one answer of the readings that leave least unexplained."""
    if not readings:
        return None
    least = min(reading.cost for reading in readings) + _SLACK
    close = [reading for reading in readings if reading.cost <= least]
    sure: dict[Answer, None] = {}
    shaky: dict[Answer, None] = {}
    for reading in close:
        doubtful = reading.shaky or any(clause.shaky for clause in reading.clauses)
        try:
            (shaky if doubtful else sure)[meaning(reading.clauses, catalogue)] = None
        except Senseless:
            if doubtful:
                return None
    answers = sure | shaky
    if len(sure) != len(answers):
        return None
    answer = next(iter(answers)) if len(answers) == 1 else None
    return None if answer is not None and _names_its_hearers(answer) else answer


def _names_its_hearers(answer: Answer) -> bool:
    """Whether a text to say ends with whom to say it to, which is another reading of the same words."""
    texts = [step.name for step in answer.steps if step.skill == "say"] if isinstance(answer, StepsAnswer) else []
    return any(_HEARERS.search(text) for text in texts)
