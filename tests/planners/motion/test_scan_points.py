from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.motion.scan_points import moved, points_in_base, says_nothing, seen_from, seen_pose
from premotor_planners.motion.state import LaserScan
from premotor_planners.motion.trust import blind_sector, blind_share

readings = st.one_of(st.floats(-1.0, 15.0, width=32), st.sampled_from([math.nan, math.inf, -math.inf, 0.0]))
scans = st.builds(
    lambda ranges, low, high, start, step: LaserScan(0.0, np.array(ranges, np.float32), low, high, start, step),
    st.lists(readings, max_size=40), st.floats(0.0, 1.0), st.one_of(st.floats(1.5, 12.0), st.just(math.inf)),
    st.floats(-3.2, 3.2), st.floats(-0.1, 0.1),
)  # fmt: skip
poses = st.tuples(st.floats(-20, 20), st.floats(-20, 20), st.floats(-7, 7))


@settings(max_examples=300, deadline=None)
@given(scans, st.booleans())
def test_points_are_the_finite_readings_within_range(scan: LaserScan, too_near: bool) -> None:
    expected = []
    for beam, reading in enumerate(float(reading) for reading in scan.ranges_m):
        distance = scan.range_min_m if too_near and reading == -math.inf else reading
        if math.isfinite(distance) and scan.range_min_m <= distance <= scan.range_max_m:
            angle = scan.angle_min + beam * scan.angle_increment
            expected.append((distance * math.cos(angle), distance * math.sin(angle)))
    points = points_in_base(scan, too_near)
    assert points.shape == (len(expected), 2)
    np.testing.assert_allclose(points, np.array(expected).reshape(-1, 2), atol=1e-12)


@settings(max_examples=300, deadline=None)
@given(scans)
def test_beams_without_a_number_or_out_of_range_say_nothing(scan: LaserScan) -> None:
    silent = [
        math.isnan(reading) or (math.isfinite(reading) and not scan.range_min_m <= reading <= scan.range_max_m)
        for reading in map(float, scan.ranges_m)
    ]
    blind = says_nothing(scan)
    assert blind.tolist() == silent
    assert blind_share(blind) == (sum(silent) / len(silent) if silent else 1.0)


def test_the_widest_blind_sector_goes_around_a_full_circle_only() -> None:
    blind = np.array([True, True, False, True, False, False, True, True])
    assert blind_sector(blind, 2 * math.pi / 8) == pytest.approx(math.pi)
    assert blind_sector(blind, 0.1) == pytest.approx(0.2)
    assert blind_sector(np.zeros(8, bool), 0.1) == 0.0 and blind_sector(np.ones(8, bool), 0.1) == pytest.approx(0.8)


def test_points_of_one_scan_do_not_depend_on_the_last_ones_beams() -> None:
    ranges = np.ones(4, np.float32)
    for start, step in ((0.0, math.pi / 2), (0.3, math.pi / 2), (0.0, 0.1), (0.0, math.pi / 2)):
        angles = start + np.arange(4) * step
        points = points_in_base(LaserScan(0.0, ranges, angle_min=start, angle_increment=step))
        np.testing.assert_allclose(points, np.stack([np.cos(angles), np.sin(angles)], axis=1), atol=1e-15)


@settings(max_examples=200, deadline=None)
@given(poses, poses)
def test_a_pose_seen_from_another_moves_points_as_both_do_one_after_the_other(
    taken: tuple[float, float, float], at: tuple[float, float, float]
) -> None:
    points = np.array([[1.0, 0.0], [0.0, -2.0], [3.0, 4.0]])
    np.testing.assert_allclose(
        moved(points, seen_pose(taken, at)), seen_from(moved(points, taken), at), atol=1e-12
    )  # fmt: skip
