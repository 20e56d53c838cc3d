"""The safety layer lets the right plan pass and stops nearly every plan that differs from it in one thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from premotor_planners.task.answers.answer import CompactStep, StepsAnswer
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.evidence.doubts import doubts
from premotor_planners.task.evidence.judge import Situation, judge, same_effects
from premotor_planners.task.exams.evaluation import load_cases
from premotor_planners.task.reading.reading import read
from premotor_planners.task.rules.planner import plan_by_rules

GOLDEN = Path(__file__).parents[3] / "golden/plans/development/instructions.yaml"
ACCEPTED_WRONG_MAX = 0.005
"""Share of single changes to a right plan that may pass; most of them are harmless (another surface of the room)."""


def steps(text: str) -> tuple[CompactStep, ...]:
    answer = parse_answer(text)
    assert isinstance(answer, StepsAnswer)
    return answer.steps


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        ("take the red mug to the sink", "pick blue mug; place sink"),
        ("take the red mug to the sink", "pick red mug; place sofa"),
        ("take the red mug to the sink", "pick red mug; give user"),
        ("take the red mug to the sink", "pick red mug"),
        ("take the red mug to the sink", "pick red mug; place sink; dock"),
        ("take the red mug from the kitchen counter to the sink", "pick red mug; place kitchen counter"),
        ("take the mug to the sink", "pick red mug; place sink"),
        ("take the red mug, not the blue one, to the sink", "pick blue mug; place sink"),
        ("take the stapler to the desk, not the sofa", "pick stapler; place sofa"),
        ("bring me the apple", "pick apple; give Ben"),
        ("bring me the apple and then dock", "pick apple; give user"),
        ("bring me the apple and then dock", "dock; pick apple; give user"),
        ("bring me the piano", "pick stapler; give user"),
        ("bring me the apple pie", "pick apple; give user"),
        ("fly the apple to Ben", "pick apple; give Ben"),
        ("take the apple to Priya", "pick apple; give Anna"),
        ("tell Anna dinner is ready", 'go Anna; say "dinner is late"'),
        ("tell Anna dinner is ready", 'go Ben; say "dinner is ready"'),
        ("tell Anna dinner is ready", "go Anna"),
        ("wait 20 seconds", "wait 20 minutes"),
        ("wait 20 seconds in the kitchen", "wait 20 seconds"),
        ("check the sofa", "go sofa; pick tv remote"),
        ("fetch the newspaper from the bedroom", "pick newspaper; give user"),
        ("take the apple to Ben and the stapler to Anna", "pick apple; give Anna; pick stapler; give Ben"),
        ("first go to the kitchen, then to the study", "go study; go kitchen"),
        ("before you go to the kitchen check the sofa", "go kitchen; inspect sofa"),
        ("don't bring me the apple, bring me the newspaper", "pick apple; give user; pick newspaper; give user"),
        ("put all the mugs in the sink", "pick red mug; place sink"),
        ("Ben is hungry, give him the apple", "pick apple; give Anna"),
    ],
)
def test_a_wrong_plan_is_doubted(house: Catalogue, task: str, wrong: str) -> None:
    assert doubts(steps(wrong), read(task, house))


@pytest.mark.parametrize(
    ("task", "right"),
    [
        ("um, if you get a chance, the red mug could go in the sink, I'm expecting guests", "pick red mug; place sink"),
        ("get the apple and come to me", "pick apple; go user"),
        ("a mug for Anna please, any mug", "pick blue mug; give Anna"),
        ("put the umbrella in the living room", "pick umbrella; place bookshelf"),
        ("Anna is in the study, tell her lunch is ready", 'go Anna; say "lunch is ready"'),
    ],
)
def test_a_plan_worded_differently_passes(house: Catalogue, task: str, right: str) -> None:
    assert doubts(steps(right), read(task, house)) == []


def test_single_changes_to_right_plans_are_stopped(house: Catalogue) -> None:
    tried, accepted = 0, []
    for case in load_cases(GOLDEN).cases:
        reading = read(case.task, house)
        answer = plan_by_rules(reading)
        if case.expect != "plan" or not isinstance(answer, StepsAnswer):
            continue
        right = judge(answer.steps, reading, Situation(), "llm")
        for changed in _changes(answer.steps, house):
            tried += 1
            found = judge(changed, reading, Situation(), "llm")
            if found.good and found.plan and right.plan and not same_effects(found.plan, right.plan, reading, None):
                accepted.append((case.task, changed))
    assert tried > 1500
    assert len(accepted) <= ACCEPTED_WRONG_MAX * tried, accepted


def _changes(right: tuple[CompactStep, ...], catalogue: Catalogue) -> Iterator[tuple[CompactStep, ...]]:
    """Each step left out, swapped with the next, or with another name; and a step too many."""
    spots = (*catalogue.places, *catalogue.rooms)
    names = {
        "pick": tuple(catalogue.objects), "place": spots, "give": tuple(catalogue.people),
        "go": (*spots, *catalogue.people), "inspect": (*spots, *catalogue.objects),
    }  # fmt: skip
    for index, step in enumerate(right):
        before, after = right[:index], right[index + 1 :]
        if before or after:
            yield before + after
        if after:
            yield (*before, after[0], step, *after[1:])
        for name in names.get(step.skill, ()):
            if name != step.name:
                yield (*before, replace(step, name=name), *after)
    for extra in ("dock", "wait 30 seconds", 'say "hi"', "pick sponge", "inspect bed"):
        yield right + steps(extra)
