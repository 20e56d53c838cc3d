"""The shipped house is one in which everything can be done from where the robot parks, also when it parks badly."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from premotor_planners.world.loader import load_world
from premotor_planners.world.model import World
from premotor_sim.layout import HANDOVER_REACH_M, REACH_M, free_spot, lay_out
from premotor_sim.plant import MujocoPlant

PARKING_M = 0.2
HOUSE = Path(__file__).parents[2] / "configs" / "worlds" / "house.yaml"


@pytest.fixture(scope="module")
def house() -> World:
    return load_world(HOUSE, robot_radius_m=0.22)


def test_every_object_and_person_is_in_reach_of_a_robot_parked_badly(house: World) -> None:
    layout = lay_out(house)
    for item in house.objects:
        approach = house.place(item.place).approach[:2]
        assert math.dist(layout.objects[item.name], approach) + PARKING_M <= REACH_M, item.name
    for person in house.people:
        approach = house.place(person.place).approach[:2]
        assert math.dist(layout.people[person.name].at, approach) + PARKING_M <= HANDOVER_REACH_M, person.name


def test_every_surface_has_room_for_one_more_object(house: World) -> None:
    layout = lay_out(house)
    for place in house.places:
        taken = [layout.objects[item.name] for item in house.objects if item.place == place.name]
        spot = free_spot(place, place.approach[:2], REACH_M - PARKING_M, taken, layout.people.values())
        assert (spot is None) == (place.kind == "dock"), place.name


@pytest.mark.parametrize("seed", range(3))
def test_the_house_stands_still_with_everything_in_its_place(house: World, seed: int) -> None:
    plant = MujocoPlant(house, seed)
    plant.advance(2.0)
    assert plant.object_places() == {item.name: item.place for item in house.objects}
    assert plant.collisions == ()
    seen = plant.sense()
    assert math.dist((seen.x, seen.y), house.start[:2]) < 0.04
    assert abs(seen.v) < 1e-3
