from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_planners.motion.state import LaserScan
from premotor_planners.motion.window.range_noise import noise_m, steadied

BEAMS, STEP = 720, 1.5 * math.pi / 719


def of_ranges(ranges: np.ndarray, step: float = STEP) -> LaserScan:
    return LaserScan(0.0, ranges.astype(np.float32), 0.1, 10.0, -0.75 * math.pi, step)


def wall(distance_m: float = 0.5) -> np.ndarray:
    """A wall ahead, 60 degrees to either side; nothing beside it."""
    angles = -0.75 * math.pi + STEP * np.arange(BEAMS)
    seen = np.abs(angles) < math.pi / 3
    return np.where(seen, distance_m / np.where(seen, np.cos(angles), 1.0), np.inf)


def noisy(ranges: np.ndarray, sigma_m: float, seed: int = 1) -> np.ndarray:
    return ranges + np.clip(np.random.default_rng(seed).normal(0.0, sigma_m, len(ranges)), -3 * sigma_m, 3 * sigma_m)


@pytest.mark.parametrize("sigma_m", [0.005, 0.01, 0.02, 0.03])
def test_the_noise_of_a_wall_is_found(sigma_m: float) -> None:
    assert noise_m(of_ranges(noisy(wall(), sigma_m))) == pytest.approx(sigma_m, rel=0.2)


def test_an_exact_scan_has_hardly_any_noise_and_is_hardly_changed() -> None:
    scan = of_ranges(wall())
    assert noise_m(scan) < 2e-4
    seen = np.isfinite(scan.ranges_m)
    assert np.abs(steadied(scan).ranges_m[seen] - scan.ranges_m[seen]).max() < 1e-3


@pytest.mark.parametrize("distance_m", [0.3, 0.5, 1.0])
def test_the_nearest_beam_of_a_noisy_wall_is_nearly_where_the_wall_is(distance_m: float) -> None:
    exact = wall(distance_m)
    scan = of_ranges(noisy(exact, 0.03))
    steady = steadied(scan).ranges_m
    seen = np.isfinite(exact)
    assert (scan.ranges_m[seen] - exact[seen]).min() < -0.07
    assert (steady[seen] - exact[seen]).min() > -0.045
    assert np.abs(steady[seen] - exact[seen]).std() < 0.012


def test_what_one_beam_sees_before_a_wall_stays_where_it_is() -> None:
    ranges = noisy(wall(1.0), 0.02)
    ranges[360] = 0.5
    scan = of_ranges(ranges)
    assert steadied(scan).ranges_m[360] == scan.ranges_m[360]


def test_what_is_new_is_seen_at_once() -> None:
    ranges = noisy(wall(1.0), 0.03)
    ranges[350:370] = noisy(np.full(20, 0.4), 0.03, seed=2)
    assert steadied(of_ranges(ranges)).ranges_m[350:370].max() < 0.45


def test_the_noise_of_a_hedge_is_not_believed() -> None:
    ranges = np.random.default_rng(3).uniform(0.4, 2.0, BEAMS)
    assert noise_m(of_ranges(ranges)) == 0.05
    moved = np.abs(steadied(of_ranges(ranges)).ranges_m - ranges)
    assert moved.max() <= 0.05 * 3 * math.sqrt(2) + 1e-6


def test_few_beams_near_by_are_left_as_they_are() -> None:
    ranges = np.full(BEAMS, np.inf)
    ranges[100:120] = noisy(np.full(20, 1.0), 0.03)
    scan = of_ranges(ranges)
    assert noise_m(scan) == 0.0 and steadied(scan) is scan


@given(st.lists(st.floats(width=32), max_size=80), st.floats(), st.sampled_from([0.1, math.nan, -1.0, 0.0]))
def test_any_ranges_keep_their_meaning(ranges: list[float], step: float, range_min_m: float) -> None:
    scan = replace(of_ranges(np.array(ranges), step), range_min_m=range_min_m)
    steady = steadied(scan)
    kept = ~(np.isfinite(scan.ranges_m) & (scan.ranges_m >= range_min_m) & (scan.ranges_m <= scan.range_max_m))
    assert np.array_equal(steady.ranges_m[kept], scan.ranges_m[kept], equal_nan=True)
    assert np.array_equal(np.isfinite(steady.ranges_m), np.isfinite(scan.ranges_m))
    assert steadied(replace(scan, ranges_m=np.zeros((2, 2), np.float32))).ranges_m.shape == (2, 2)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.1))
def test_no_reading_is_moved_by_more_than_four_deviations(seed: int, sigma_m: float) -> None:
    random = np.random.default_rng(seed)
    scan = of_ranges(noisy(np.repeat(random.uniform(0.3, 2.0, BEAMS // 20), 20), sigma_m, seed))
    moved = np.abs(steadied(scan).ranges_m.astype(np.float64) - scan.ranges_m)
    assert moved.max() <= 3 * math.sqrt(2) * noise_m(scan) + 1e-5
