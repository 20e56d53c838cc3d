from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from premotor_planners.world.model import Item, Place, World
from premotor_runtime.executor.robot import Observation, SimulatedPlant
from premotor_sim.plant import MujocoPlant


def turned(plant: MujocoPlant, w: float, for_s: float) -> float:
    """Command a turn and a stop; the angle really turned, summed over half turns."""
    plant.command(0.0, w)
    total, last = 0.0, plant.sense().yaw
    for step in range(round(for_s / 0.05) + 8):
        if step == round(for_s / 0.05):
            plant.command(0.0, 0.0)
        plant.advance(0.05)
        yaw = plant.sense().yaw
        total += math.remainder(yaw - last, 2 * math.pi)
        last = yaw
    return total


@pytest.mark.parametrize("seed", range(5))
def test_half_a_metre_a_second_for_two_seconds_is_a_straight_metre(two_rooms: World, seed: int) -> None:
    plant = MujocoPlant(two_rooms, seed)
    before = plant.sense()
    plant.command(0.5, 0.0)
    plant.advance(2.0)
    after = plant.sense()
    along = (after.x - before.x) * math.cos(before.yaw) + (after.y - before.y) * math.sin(before.yaw)
    across = -(after.x - before.x) * math.sin(before.yaw) + (after.y - before.y) * math.cos(before.yaw)
    assert 0.9 <= along <= 1.0
    assert abs(across) < 0.01
    assert after.v == pytest.approx(0.5, abs=0.02)
    assert plant.collisions == ()


@pytest.mark.parametrize(("w", "for_s"), [(1.0, 2.0), (-2.0, 3.0), (0.3, 5.0)])
def test_turning_in_place_turns_by_the_commanded_angle(two_rooms: World, w: float, for_s: float) -> None:
    plant = MujocoPlant(two_rooms, seed=1)
    before = plant.sense()
    assert turned(plant, w, for_s) == pytest.approx(w * for_s, rel=0.05)
    after = plant.sense()
    assert math.dist((before.x, before.y), (after.x, after.y)) < 0.01


def test_a_wall_is_hit_once_however_long_it_is_pushed_and_again_after_leaving_it(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=2)
    turned(plant, math.pi / 4, 2.0)
    plant.command(0.5, 0.0)
    plant.advance(6.0)
    assert [hit.name for hit in plant.collisions] == ["wall"]
    plant.command(-0.3, 0.0)
    plant.advance(1.5)
    plant.command(0.5, 0.0)
    plant.advance(3.0)
    assert [hit.name for hit in plant.collisions] == ["wall", "wall"]
    assert plant.collisions[0].stamp_s < plant.collisions[1].stamp_s


def test_furniture_is_named_in_a_collision(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=2)
    plant.command(-0.5, 0.0)
    plant.advance(4.0)
    assert [hit.name for hit in plant.collisions] == ["kitchen counter"]


def test_same_seed_same_trajectory_and_another_seed_another(two_rooms: World) -> None:
    def drive(seed: int) -> list[Observation]:
        plant = MujocoPlant(two_rooms, seed)
        seen = []
        for step in range(40):
            plant.command(0.4, math.sin(step / 5))
            plant.advance(0.05)
            seen.append(plant.sense())
        return seen

    first, again, other = drive(7), drive(7), drive(8)
    assert all((a.x, a.y, a.yaw, a.v, a.w) == (b.x, b.y, b.yaw, b.v, b.w) for a, b in zip(first, again, strict=True))
    assert all(np.array_equal(a.ranges, b.ranges) for a, b in zip(first, again, strict=True))
    assert first[0].x != other[0].x


def test_remainders_of_time_are_carried_over(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=0)
    for _ in range(1000):
        plant.advance(0.0011)
    assert plant.time_s == pytest.approx(1.1, abs=0.0021)


@pytest.mark.parametrize("command", [(math.nan, 0.0), (0.1, math.inf), (-math.inf, math.nan)])
def test_a_command_that_is_not_finite_stops_the_robot(two_rooms: World, command: tuple[float, float]) -> None:
    plant = MujocoPlant(two_rooms, seed=0)
    plant.command(0.5, 0.0)
    plant.advance(0.5)
    plant.command(*command)
    plant.advance(0.5)
    assert abs(plant.sense().v) < 0.01
    assert abs(plant.sense().w) < 0.01


def test_commands_are_clipped(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=0)
    plant.command(0.0, 100.0)
    plant.advance(1.0)
    assert plant.sense().w == pytest.approx(2.5, rel=0.05)


def test_the_plant_satisfies_the_runtimes_protocol(two_rooms: World) -> None:
    plant: SimulatedPlant = MujocoPlant(two_rooms, seed=0)
    plant.advance(0.1)
    assert plant.sense().stamp_s == 0.1


def test_the_robot_drives_off_after_standing_long(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=0)
    plant.advance(10.0)
    before = plant.sense()
    plant.command(0.5, 0.0)
    plant.advance(1.0)
    assert plant.sense().x - before.x > 0.4


def test_a_sleeping_object_that_is_hit_counts(two_rooms: World) -> None:
    mat = Place("mat", "study", (5.0, 1.2, 5.4, 2.2), (4.6, 1.7, 0.0), 0.001)
    low = replace(two_rooms, places=(*two_rooms.places, mat))
    low = replace(low, objects=(Item("red mug", "mat"),), start=(4.5, 1.7, 0.0))
    plant = MujocoPlant(low, seed=0)
    plant.advance(3.0)
    plant.command(0.4, 0.0)
    plant.advance(2.0)
    assert "red mug" in [hit.name for hit in plant.collisions]
    assert plant.sense().x > 4.8
