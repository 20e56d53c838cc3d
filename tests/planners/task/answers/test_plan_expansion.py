"""Driving is inserted where it is needed, and taken out again without loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.answers.expand import collapse, expand, surfaces_of
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.plan import Dock, Handover, Inspect, NavigateTo, Pick, PlaceObject, Say, Wait


def steps(text: str) -> tuple[CompactStep, ...]:
    answer = parse_answer(text)
    return answer.steps  # type: ignore[union-attr]


def test_driving_is_inserted_before_pick_place_give_and_inspect(house: Catalogue) -> None:
    plan = expand(steps("pick red mug; place study desk; pick apple; give user; inspect bed"), house, "llm")
    assert plan.steps == (
        NavigateTo("kitchen counter"), Pick("red mug"), NavigateTo("study desk"), PlaceObject("red mug", "study desk"),
        NavigateTo("kitchen table"), Pick("apple"), NavigateTo("user"), Handover("apple", "user"),
        NavigateTo("bed"), Inspect("bed"),
    )  # fmt: skip


def test_no_driving_to_where_the_robot_already_stands(house: Catalogue) -> None:
    plan = expand(steps('go Anna; say "tea"; wait 5 seconds; pick notebook; give Anna; dock'), house, "llm", at="sofa")
    assert plan.steps == (
        NavigateTo("Anna"), Say("tea"), Wait(5.0), NavigateTo("study desk"), Pick("notebook"), NavigateTo("Anna"),
        Handover("notebook", "Anna"), Dock(),
    )  # fmt: skip
    assert expand(steps("pick tv remote"), house, "llm", at="sofa").steps == (Pick("tv remote"),)


def test_a_room_to_put_something_into_is_its_first_surface(house: Catalogue) -> None:
    plan = expand(steps("pick apple; place hallway"), house, "llm")
    assert plan.steps[-1] == PlaceObject("apple", "shoe rack")
    assert surfaces_of("hallway", house) == ("shoe rack",)


def test_an_object_is_picked_from_where_it_was_put(house: Catalogue) -> None:
    plan = expand(steps("pick apple; place sofa; pick red mug; place sink; pick apple; give user"), house, "llm")
    assert plan.steps[8:10] == (NavigateTo("sofa"), Pick("apple"))


def test_a_held_object_is_placed_by_its_name(house: Catalogue) -> None:
    held = Catalogue(house.rooms, house.places, house.objects, house.people, holding="sponge", docks=house.docks)
    assert expand(steps("place sofa"), held, "llm").steps == (NavigateTo("sofa"), PlaceObject("sponge", "sofa"))


WORDS = [
    "pick apple; place sofa",
    "go bedroom",
    "dock",
    "inspect sofa",
    'go Anna; say "x"',
    "pick sponge; give Ben",
    "wait 3 seconds",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_collapse_is_the_inverse_of_expand(house: Catalogue, parts: list[str]) -> None:
    plan = expand(steps("; ".join(parts)), house, "llm")
    assert expand(collapse(plan, house), house, "llm") == plan
