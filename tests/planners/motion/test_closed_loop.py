from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PLACES = (
    "kitchen counter", "kitchen table", "sink", "sofa", "coffee table", "bookshelf", "study desk", "filing cabinet",
    "bed", "nightstand", "shoe rack", "dock",
)  # fmt: skip


def assert_arrived(house: Any, result: Any) -> None:
    assert result.status == "arrived", result.statuses
    assert result.position_error_m <= 0.10 and result.yaw_error <= 0.15
    assert result.least_clearance_m >= 0.25
    assert result.driven_m <= 1.25 * result.planned_m + 0.3
    speeds = np.array(result.commands)
    assert (np.abs(speeds[-1]) < 0.1).all()
    change = np.abs(np.diff(speeds, axis=0))
    robot = house.robot
    assert (change <= np.array([robot.max_accel_mps2, robot.max_turn_accel_rps2]) * robot.period_s + 1e-5).all()


@pytest.mark.parametrize("name", ["study desk", "nightstand", "dock"])
def test_from_the_start_to_a_place(house: Any, drive: Any, name: str) -> None:
    result = drive(house, house.world.start, house.world.place(name).approach)
    assert_arrived(house, result)
    assert result.stopped == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_from_the_start_to_every_place_with_a_noisy_scan(house: Any, drive: Any, name: str) -> None:
    assert_arrived(house, drive(house, house.world.start, house.world.place(name).approach, noise_m=0.01))


@pytest.mark.slow
def test_from_every_place_to_the_next(house: Any, drive: Any) -> None:
    for here, there in zip(PLACES[::2], (*PLACES[5::2], *PLACES[1:5:2]), strict=True):
        assert_arrived(house, drive(house, house.world.place(here).approach, house.world.place(there).approach))


def test_a_lagging_base_still_arrives(house: Any, drive: Any) -> None:
    result = drive(house, house.world.start, house.world.place("dock").approach, lag_s=0.12)
    assert result.status == "arrived" and result.position_error_m <= 0.10 and result.least_clearance_m >= 0.22


def test_an_unmapped_box_is_driven_around(house: Any, drive: Any) -> None:
    box = np.array([[7.5, 3.95, 7.9, 4.15]])
    result = drive(house, house.world.start, house.world.place("dock").approach, extra=box)
    assert result.status == "arrived" and result.position_error_m <= 0.10
    assert result.least_clearance_m >= 0.22


def test_an_unmapped_wall_blocks_without_contact(house: Any, drive: Any) -> None:
    wall = np.array([[7.7, 3.3, 7.8, 4.9]])
    result = drive(house, house.world.start, house.world.place("dock").approach, extra=wall, limit_s=12.0)
    assert result.status == "blocked" and result.statuses["blocked"] > 10
    assert result.least_clearance_m >= 0.22


def test_two_runs_are_equal(house: Any, drive: Any) -> None:
    first, second = (drive(house, house.world.start, house.world.place("bed").approach, limit_s=2.0) for _ in range(2))
    assert first.commands == second.commands and len(first.commands) == 40
