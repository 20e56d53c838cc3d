"""Impossible plans get errors that a model or a person can use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from premotor_planners.task.answers.answer import MAX_STEPS, CompactStep
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.answers.expand import expand
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.evidence.validator import MAX_WAIT_S, check_names, validate
from premotor_planners.task.plan import Handover, NavigateTo, Pick, PlaceObject, Plan, Say, Step, Wait


def errors_of(text: str, catalogue: Catalogue, reachable: frozenset[str] | None = None) -> list[str]:
    answer = parse_answer(text)
    steps = answer.steps  # type: ignore[union-attr]
    return check_names(steps, catalogue) or validate(expand(steps, catalogue, "llm"), catalogue, None, reachable)


@pytest.mark.parametrize(
    "text",
    [
        "pick red mug; place study desk",
        "go kitchen; wait 2 hours; dock",
        "pick apple; give Ben; inspect apple",
        "inspect hallway",
    ],
)
def test_possible_plans_have_no_errors(house: Catalogue, text: str) -> None:
    assert errors_of(text, house) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("pick piano", "names nothing known"),
        ("pick red mugs", "did you mean red mug?"),
        ("go user; give Priya", "names nothing known"),
        ("pick red mug; pick blue mug", "the gripper holds red mug"),
        ("place sofa", "the gripper is empty"),
        ("give Ben", "the gripper is empty"),
        ("pick apple; give Ben; pick apple", "is not on any place"),
        ("pick apple; place dock", "is a charging station"),
        ("wait 13 hours", "1 second to 12 hours is possible"),
        ("; ".join(["dock"] * (MAX_STEPS + 1)), f"1 to {MAX_STEPS} steps"),
    ],
)
def test_impossible_plans_are_explained(house: Catalogue, text: str, part: str) -> None:
    errors = errors_of(text, house)
    assert errors and part in errors[0]


def test_a_missing_skill_is_named(house: Catalogue) -> None:
    gripperless = replace(house, skills=("go", "say", "wait", "inspect", "dock"))
    assert "the skill pick is not available" in errors_of("pick apple", gripperless)[0]


def test_places_out_of_reach_are_refused(house: Catalogue) -> None:
    reachable = frozenset({"kitchen counter", "sink", "sofa"})
    assert errors_of("pick red mug; give user; go kitchen", house, reachable) == []
    assert "cannot be reached" in errors_of("pick red mug; place study desk", house, reachable)[0]
    assert "cannot be reached" in errors_of("go Anna", house, reachable)[0]
    assert "cannot be reached" in errors_of("dock", house, reachable)[0]


@pytest.mark.parametrize(
    "steps",
    [
        (),
        (Pick("apple"),),
        (NavigateTo("kitchen table"), Pick("apple"), PlaceObject("apple", "sofa")),
        (NavigateTo("kitchen table"), Pick("apple"), Handover("apple", "Ben")),
        (NavigateTo("kitchen table"), Pick("apple"), NavigateTo("kitchen"), PlaceObject("apple", "kitchen")),
        (Say(""),),
        (Say("a" * 201),),
        (Wait(0.0),),
        (Wait(MAX_WAIT_S + 1),),
        (NavigateTo("moon"),),
    ],
)
def test_typed_plans_are_checked_step_by_step(house: Catalogue, steps: tuple[Step, ...]) -> None:
    assert validate(Plan(steps, "llm"), house)


def test_an_unknown_skill_is_no_step(house: Catalogue) -> None:
    assert check_names((CompactStep("fly", "kitchen"),), house)
