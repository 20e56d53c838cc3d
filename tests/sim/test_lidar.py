from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from premotor_planners.world.model import Rectangle, World
from premotor_sim.lidar import LidarSpec
from premotor_sim.plant import MujocoPlant

SOLID = LidarSpec(noise_m=0.004)


def to_box(x: float, y: float, angle: float, box: Rectangle) -> float:
    """Distance along a ray to a box by slabs; inf for a miss."""
    near, far = 0.0, math.inf
    for origin, step, low, high in ((x, math.cos(angle), box[0], box[2]), (y, math.sin(angle), box[1], box[3])):
        step = step if abs(step) > 1e-12 else 1e-12
        first, last = sorted(((low - origin) / step, (high - origin) / step))
        near, far = max(near, first), min(far, last)
    return near if near <= far else math.inf


def expected(world: World, x: float, y: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    boxes = [*world.walls_m, *(p.area_m for p in world.places if p.kind == "surface" and p.height_m > 0.2)]
    return np.array([min(to_box(x, y, angle, box) for box in boxes) for angle in angles])


def test_scan_agrees_with_the_geometry_to_two_centimetres(two_rooms: World) -> None:
    # People stand inside the furniture's outline, so boxes are all that a beam can meet.
    plant = MujocoPlant(two_rooms, seed=3, lidar=SOLID)
    for command in ((0.0, 0.0), (0.5, 0.4), (0.3, -1.0)):
        plant.command(*command)
        plant.advance(0.6)
        seen = plant.sense()
        angles = seen.yaw + seen.angle_min + seen.angle_increment * np.arange(360)
        assert seen.ranges.dtype == np.float32
        assert seen.ranges.shape == (360,)
        assert np.max(np.abs(seen.ranges - expected(two_rooms, seen.x, seen.y, angles))) < 0.02


def test_nothing_in_range_is_plus_infinity_and_too_near_is_minus_infinity(two_rooms: World) -> None:
    short = MujocoPlant(two_rooms, seed=0, lidar=LidarSpec(range_max_m=1.0)).sense()
    assert np.isposinf(short.ranges).sum() > 200
    assert np.all((short.ranges <= 1.0) | np.isposinf(short.ranges))
    near = MujocoPlant(two_rooms, seed=0, lidar=LidarSpec(range_min_m=3.0)).sense()
    assert np.isneginf(near.ranges).sum() > 200
    assert np.all((near.ranges > 2.98) | np.isneginf(near.ranges))


def test_the_robot_does_not_see_itself(two_rooms: World) -> None:
    seen = MujocoPlant(two_rooms, seed=0).sense()
    assert float(np.min(seen.ranges)) > 0.5


def test_dropped_scans_keep_their_old_stamp_until_the_fault_ends(two_rooms: World) -> None:
    plant = MujocoPlant(two_rooms, seed=0)
    plant.advance(0.1)
    before = plant.sense()
    assert before.scan_stamp_s == before.stamp_s == 0.1
    plant.drop_scans(0.5)
    plant.command(0.3, 0.0)
    plant.advance(0.4)
    during = plant.sense()
    assert during.stamp_s == 0.5
    assert during.scan_stamp_s == 0.1
    assert np.array_equal(during.ranges, before.ranges)
    plant.advance(0.1)
    assert plant.sense().scan_stamp_s == 0.6


def test_scans_come_at_the_lidars_period(two_rooms: World) -> None:
    plant = MujocoPlant(replace(two_rooms, objects=()), seed=0)
    stamps = set()
    for _ in range(100):
        plant.advance(0.01)
        stamps.add(plant.sense().scan_stamp_s)
    assert len(stamps) == 21
