"""Plans are judged by what they do: the goal must be met, and nothing else may happen."""

from __future__ import annotations

import pytest

from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.answers.expand import expand
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.effects import Effects, effects_of
from premotor_planners.task.exams.goals import Goal, SaidGoal, unmet


def effects(text: str, catalogue: Catalogue) -> Effects:
    answer = parse_answer(text)
    return effects_of(expand(answer.steps, catalogue, "llm"), catalogue)  # type: ignore[union-attr]


def test_effects_of_a_mission(house: Catalogue) -> None:
    found = effects('pick apple; give Anna; say "enjoy"; wait 5 seconds; wait 1 minute; inspect sink; dock', house)
    assert found.held_by == {"apple": "Anna"}
    assert "apple" not in found.object_at and found.object_at["sponge"] == "sink"
    assert [(speech.text, speech.at) for speech in found.said] == [("enjoy", "Anna")]
    assert (found.waited_s, found.inspected, found.docked, found.holding) == (65.0, ("sink",), True, None)
    assert found.visited == ("kitchen table", "Anna", "sink")


def test_driving_on_after_docking_is_not_docked(house: Catalogue) -> None:
    assert not effects("dock; go sofa", house).docked


@pytest.mark.parametrize(
    ("plan", "goal"),
    [
        ("pick red mug; place study desk", Goal(at={"red mug": ("study desk",)})),
        ("pick umbrella; place living room", Goal(at={"umbrella": ("living room",)})),
        ("pick apple; give user", Goal(held_by={"apple": "user"})),
        ("pick sponge; go user", Goal(holding="sponge", robot_at=("user",))),
        ("go bed", Goal(robot_at=("bedroom",))),
        ("go study desk", Goal(robot_at=("Anna",))),
        ("go kitchen; go sofa; go bedroom", Goal(visited=("kitchen", "living room", "bedroom"))),
        ('go Ben; say "Lunch is READY"', Goal(said=(SaidGoal(("lunch", "ready"), "Ben"),))),
        ("wait 30 seconds; dock", Goal(waited_s=30.0, docked=True)),
        ("inspect sofa", Goal(inspected=("sofa",))),
    ],
)
def test_met_goals(house: Catalogue, plan: str, goal: Goal) -> None:
    assert unmet(goal, effects(plan, house), house) == []


@pytest.mark.parametrize(
    ("plan", "goal"),
    [
        ("pick red mug; place sofa", Goal(at={"red mug": ("study desk",)})),
        ("pick blue mug; place study desk", Goal(at={"red mug": ("study desk",)})),
        ("pick red mug; place study desk; pick apple; place sink", Goal(at={"red mug": ("study desk",)})),
        ("pick red mug; place study desk; dock", Goal(at={"red mug": ("study desk",)})),
        ('pick red mug; place study desk; say "done"', Goal(at={"red mug": ("study desk",)})),
        ("pick apple", Goal(held_by={"apple": "user"})),
        ("pick apple; give Ben", Goal(held_by={"apple": "user"})),
        ("go sofa", Goal(robot_at=("bedroom",))),
        ("go bedroom", Goal(robot_at=("nightstand",))),
        ("go bedroom; go kitchen", Goal(visited=("kitchen", "bedroom"))),
        ('go Anna; say "lunch is ready"', Goal(said=(SaidGoal(("lunch",), "Ben"),))),
        ('go Ben; say "lunch"', Goal(said=(SaidGoal(("lunch", "ready"), "Ben"),))),
        ("wait 20 seconds", Goal(waited_s=30.0)),
        ("inspect sofa; pick apple", Goal(inspected=("sofa",))),
    ],
)
def test_missed_or_overshot_goals(house: Catalogue, plan: str, goal: Goal) -> None:
    assert unmet(goal, effects(plan, house), house)
