"""What was said may not get lost, and nobody may stand in for somebody who is not here."""

from __future__ import annotations

import pytest

from premotor_planners.task.answers.answer import StepsAnswer
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.evidence.completeness import swallowed
from premotor_planners.task.evidence.doubts import doubts
from premotor_planners.task.reading.reading import read


def standing(task: str, plan: str, catalogue: Catalogue) -> list[str]:
    """What speaks against the plan and no model may overrule."""
    answer = parse_answer(f" {plan}\n")
    assert isinstance(answer, StepsAnswer)
    return [found.about for found in doubts(answer.steps, read(task, catalogue)) if not found.mild]


@pytest.mark.parametrize(
    ("task", "plan"),
    [
        ("give the apple to my ex", "pick apple; give user"),
        ("hand the apple to the courier", "pick apple; give user"),
        ("take the apple to the study desk, Ben gets the newspaper", "pick apple; place study desk"),
        ("put the apple on the sofa. you are wanted in the bedroom", "pick apple; place sofa"),
        ("the newspaper was on the sofa, they should end up on the study desk", "go study desk"),
        ("on your way to the dock, put the apple on the sofa", "go dock; pick apple; place sofa"),
        ("hum a tune in the study", "dock"),
    ],
)
def test_such_plans_are_doubted(task: str, plan: str, house: Catalogue) -> None:
    assert standing(task, plan, house)


@pytest.mark.parametrize(
    ("task", "plan"),
    [
        ("the sofa is so soft. bring me the apple", "pick apple; give user"),
        ("take the apple to the study desk", "pick apple; place study desk"),
        ("I do not want the apple, I want the newspaper", "pick newspaper; give user"),
    ],
)
def test_right_plans_are_not(task: str, plan: str, house: Catalogue) -> None:
    assert standing(task, plan, house) == []


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("tea is ready, wait five seconds", True),
        ("dinner is ready, and go charge", True),
        ("the film has begun, but before that take the mug", True),
        ("mom says goodnight step two take the mug to the sofa", True),
        ("the machine is ready and finally have a look at the rope", True),
        ("dinner is ready", False),
        ("the next step is yours", False),
        ("I am late, sorry", False),
    ],
)
def test_a_command_within_a_message_is_seen(text: str, more: bool) -> None:
    assert swallowed(text) is more


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("my phone is dead, charge it please", "dock"),
        ("I think I left the apple on the bed, take it to the study", "pick apple; place study"),
        ("bring me the apple, it's at the bed", "pick apple; give user"),
        ("go to the desk and wipe down the desk", "go study desk; go study desk"),
    ],
)
def test_what_was_not_meant_does_not_stand(task: str, steps: str, house: Catalogue) -> None:
    assert standing(task, steps, house)


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("charge your battery", "dock"),
        ("I think I left the apple on the kitchen table, take it to the study", "pick apple; place study"),
        ("bring me the apple, it's at the kitchen table", "pick apple; give user"),
        ("I think the apple should go to the bed", "pick apple; place bed"),
    ],
)
def test_what_was_meant_stands(task: str, steps: str, house: Catalogue) -> None:
    assert standing(task, steps, house) == []


def test_a_noun_before_a_thing_is_no_part_of_the_verb(house: Catalogue) -> None:
    assert standing("get the juice bottle and put it on the bed", "pick water bottle; place bed", house)
    assert standing("get some juice", "dock", house) == []
    assert standing("head for the corner desk", "go study desk", house)
