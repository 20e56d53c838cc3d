"""Steps and outcomes in words, for the terminal and the picture alike."""

from __future__ import annotations

from collections.abc import Mapping

from premotor_sim.report.result import MissionResult


def step_words(skill: str, args: Mapping[str, str | float]) -> str:
    """A step as a short sentence for people, such as `place red mug on study desk`."""
    forms = {
        "navigate_to": "go to {target}",
        "pick": "pick {object}",
        "place": "place {object} on {place}",
        "handover": "give {object} to {person}",
        "say": 'say "{text}"',
        "wait": "wait {duration_s:g} s",
        "inspect": "inspect {target}",
        "dock": "dock",
    }
    form = forms.get(skill)
    return form.format(**args) if form else " ".join([skill, *(f"{key}={value}" for key, value in args.items())])


def outcome_words(result: MissionResult) -> str:
    """The key figures of a mission as a line of plain text."""
    return (
        f"{result.mission_time_s:.1f} s, {result.path_length_m:.1f} m driven, "
        f"{_count(result.collisions, 'collision')}, "
        f"{_count(result.control.misses, 'missed deadline')} of {result.control.ticks}, seed {result.seed}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
