from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.world.model import Item, Person, Place, World
from premotor_sim.errors import SimulationError
from premotor_sim.layout import HANDOVER_REACH_M, REACH_M, free_spot, lay_out


def inside(point: tuple[float, float], area: tuple[float, float, float, float]) -> bool:
    return area[0] - 1e-9 <= point[0] <= area[2] + 1e-9 and area[1] - 1e-9 <= point[1] <= area[3] + 1e-9


def test_objects_rest_on_their_place_within_reach_and_apart(two_rooms: World) -> None:
    layout = lay_out(two_rooms)
    for item in two_rooms.objects:
        place = two_rooms.place(item.place)
        assert inside(layout.objects[item.name], place.area_m)
        assert math.dist(layout.objects[item.name], place.approach[:2]) <= REACH_M - 0.1
    spots = list(layout.objects.values())
    assert min(math.dist(a, b) for i, a in enumerate(spots) for b in spots[:i]) >= 0.12


def test_people_stand_on_the_furniture_and_within_a_handover_of_its_approach(two_rooms: World) -> None:
    layout = lay_out(two_rooms)
    for person in two_rooms.people:
        place = two_rooms.place(person.place)
        assert inside(layout.people[person.name].at, place.area_m)
        assert math.dist(layout.people[person.name].at, place.approach[:2]) <= HANDOVER_REACH_M - 0.2


def test_person_at_the_dock_is_refused(two_rooms: World) -> None:
    world = replace(two_rooms, people=(Person("Ben", "dock"),))
    with pytest.raises(SimulationError, match="`Ben` is at `dock`"):
        lay_out(world)


def test_object_at_the_dock_is_refused(two_rooms: World) -> None:
    world = replace(two_rooms, objects=(Item("pen", "dock"),))
    with pytest.raises(SimulationError, match="object `pen`: place `dock` has no free spot"):
        lay_out(world)


@settings(max_examples=50, deadline=None)
@given(
    width=st.floats(0.2, 3), depth=st.floats(0.2, 3), x=st.floats(-1, 1), y=st.floats(-1, 1), reach=st.floats(0.1, 1)
)
def test_a_spot_is_on_the_surface_and_in_reach_and_taken_spots_are_not_given_twice(
    width: float, depth: float, x: float, y: float, reach: float
) -> None:
    place = Place("table", "room", (0.0, 0.0, width, depth), (x, y, 0.0))
    taken: list[tuple[float, float]] = []
    while (spot := free_spot(place, (x, y), reach, taken, ())) is not None:
        assert inside(spot, place.area_m)
        assert math.dist(spot, (x, y)) <= reach
        assert all(math.dist(spot, other) > 0.12 for other in taken)
        taken.append(spot)
        assert len(taken) < 400
