from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.costmap.costmap import Costmap
from premotor_planners.costmap.errors import CostmapError
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.values import FREE_SPACE, INSCRIBED, LETHAL, NO_INFORMATION
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.footprint import ConvexPolygon, Disc
from premotor_planners.motion.state import LaserScan

BOX = ConvexPolygon(((0.25, -0.2), (0.25, 0.2), (-0.25, 0.2), (-0.25, -0.2)))
BEAMS = 360
HALF = 0.025
HERE = (HALF, HALF, 0.0)  # the middle of a cell
TURNED = (HALF, HALF, 0.5)


def scan(ranges: dict[int, float], stamp: float = 1.0, rest: float = math.inf) -> LaserScan:
    values = np.full(BEAMS, rest, np.float32)
    for beam, distance in ranges.items():
        values[beam] = distance
    return LaserScan(stamp, values, angle_increment=2 * math.pi / BEAMS)


def test_the_window_is_centred_and_on_the_maps_lattice() -> None:
    grid = OccupancyGrid(np.zeros((40, 40), np.int8), 0.05, (0.013, -0.021))
    grid.data[30, 20] = 100
    window = Costmap(BOX, CostmapSettings(rows=60, cols=50), grid).update((1.0, 1.0, 0.3), None, 1.0)
    row, col = window.cell_of(1.0, 1.0)
    assert (row, col) == (30, 25) and window.shape == (60, 50)
    assert window.cost_at(*grid.centre_of((30, 20))) == LETHAL and int((window.costs == LETHAL).sum()) == 1
    offset = (window.origin_m[0] - 0.013) / 0.05, (window.origin_m[1] + 0.021) / 0.05
    assert offset == pytest.approx([round(o) for o in offset], abs=1e-6)


def test_an_obstacle_beyond_the_window_is_inflated_into_it_and_a_drive_leaves_no_seam() -> None:
    random = np.random.default_rng(0)
    data = np.where(random.random((120, 120)) < 0.02, 100, 0).astype(np.int8)
    grid, chosen = OccupancyGrid(data, 0.05, (0.0, 0.0)), CostmapSettings(rows=40, cols=40)
    whole = Costmap(BOX, replace(chosen, rows=160, cols=160), grid).update((3.0, 3.0, 0.0), None, 0.0)
    rolling = Costmap(BOX, chosen, grid)
    for i in range(20):
        window = rolling.update((2.0 + 0.11 * i, 2.5 + 0.07 * i, 0.1 * i), None, 0.1 * i)
        row, col = whole.cell_of(*window.centre_of((0, 0)))
        assert (window.costs == whole.costs[row : row + 40, col : col + 40]).all()


def test_scans_mark_and_clear_over_a_drive() -> None:
    costmap = Costmap(Disc(0.2))
    window = costmap.update(HERE, scan({0: 1.0}), 1.0)
    assert window.cost_at(1.0 + HALF, 0.0 + HALF) == LETHAL and not window.ignored
    assert (
        window.cost_at(0.85 + HALF, 0.0 + HALF) == INSCRIBED and 0 < window.cost_at(0.5 + HALF, 0.0 + HALF) < INSCRIBED
    )
    assert window.cost_at(-1.0 + HALF, 0.0 + HALF) == FREE_SPACE
    seen_later = costmap.update((0.5, 0.5, 0.0), None, 1.1)
    assert seen_later.cost_at(1.0 + HALF, 0.0 + HALF) == LETHAL
    assert costmap.update(HERE, scan({}, 1.2), 1.2).cost_at(1.0 + HALF, 0.0 + HALF) == FREE_SPACE


def test_a_mapped_wall_is_never_cleared_and_unknown_is_where_it_was_seen() -> None:
    data = np.full((40, 40), -1, np.int8)
    data[20, 30] = 100
    grid = OccupancyGrid(data, 0.05, (-1.0, -1.0))
    costmap = Costmap(Disc(0.1), CostmapSettings(track_unknown_space=True, inflation_radius_m=0.2), grid)
    before = costmap.update(HERE, None, 1.0)
    assert (
        before.cost_at(0.3 + HALF, 0.3 + HALF) == NO_INFORMATION
        and before.cost_at(3.1 + HALF, 0.0 + HALF) == NO_INFORMATION
    )
    after = costmap.update(HERE, scan({}), 1.0)
    assert after.cost_at(0.3 + HALF, 0.3 + HALF) == FREE_SPACE and after.cost_at(*grid.centre_of((20, 30))) == LETHAL


@pytest.mark.parametrize("range_max", [12.0, 8.0, 3.5, 30.0, math.inf])
def test_c6_open_rays_clear_to_the_ray_limit_and_never_mark_whatever_range_max_is(range_max: float) -> None:
    costmap = Costmap(Disc(0.2))
    costmap.update(HERE, scan({0: 2.4, 90: 2.0}), 1.0)
    window = costmap.update(HERE, replace(scan({}, 1.1), range_max_m=range_max), 1.1)
    assert not (window.costs == LETHAL).any()
    near_sighted = Costmap(Disc(0.2))
    near_sighted.update(HERE, scan({0: 2.4, 90: 2.0}), 1.0)
    kept = near_sighted.update(HERE, replace(scan({}, 1.1), range_max_m=2.2), 1.1)
    assert kept.cost_at(2.4 + HALF, 0.0 + HALF) == LETHAL and kept.cost_at(0.0 + HALF, 2.0 + HALF) == FREE_SPACE


def test_c6_a_mark_beyond_the_ray_limit_is_not_cleared() -> None:
    costmap = Costmap(Disc(0.2), CostmapSettings(raytrace_max_range_m=1.5))
    costmap.update(HERE, scan({0: 2.0}), 1.0)
    assert costmap.update(HERE, scan({}, 1.1), 1.1).cost_at(2.0 + HALF, 0.0 + HALF) == LETHAL


@pytest.mark.parametrize("reading", [math.nan, -math.inf, 0.01, 13.0, -1.0, 1e30])
def test_c8_readings_that_say_nothing_neither_mark_nor_clear(reading: float) -> None:
    costmap = Costmap(Disc(0.2))
    costmap.update(HERE, scan({0: 2.0}), 1.0)
    window = costmap.update(HERE, scan({}, 1.1, rest=reading), 1.1)
    assert not window.ignored
    assert window.cost_at(2.0 + HALF, 0.0 + HALF) == LETHAL and int((window.costs == LETHAL).sum()) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ranges_m": np.ones((2, 3), np.float32)}, "2-dimensional"),
        ({"angle_min": math.nan}, "angles are not finite"),
        ({"angle_increment": math.inf}, "angles are not finite"),
        ({"angle_increment": 0.0}, "the same way"),
        ({"angle_min": 1e300}, "no radians"),
        ({"range_min_m": -1.0}, "not a range"),
        ({"range_max_m": math.nan}, "not a range"),
        ({"range_min_m": 2.0, "range_max_m": 1.0}, "not a range"),
        ({"taken_at": (0.0, math.nan, 0.0)}, "pose"),
        ({"taken_at": (1e300, 0.0, 0.0)}, "pose"),
        ({"stamp_s": 5.0}, "from the future"),
        ({"stamp_s": math.nan}, "from the future"),
    ],
)
def test_a_scan_that_cannot_be_used_is_left_out_and_said_so(change: dict[str, object], said: str) -> None:
    costmap = Costmap(Disc(0.2))
    costmap.update(HERE, scan({0: 2.0}), 1.0)
    window = costmap.update(HERE, replace(scan({90: 1.0}, 1.1), **change), 1.1)  # type: ignore[arg-type]
    assert said in window.ignored
    assert window.cost_at(2.0 + HALF, 0.0 + HALF) == LETHAL and int((window.costs == LETHAL).sum()) == 1


def test_a_scan_without_beams_changes_nothing() -> None:
    window = Costmap(Disc(0.2)).update(HERE, LaserScan(1.0, np.empty(0, np.float32)), 1.0)
    assert not window.ignored and not window.costs.any()


@pytest.mark.parametrize("pose", [(math.nan, 0.0, 0.0), (0.0, math.inf, 0.0), (1e12, 0.0, 0.0), (0.0, 0.0, math.nan)])
def test_without_a_pose_the_window_stays_where_it_was(pose: tuple[float, float, float]) -> None:
    costmap = Costmap(Disc(0.2))
    first = costmap.update((1.0, 2.0, 0.0), scan({0: 1.0}), 1.0)
    window = costmap.update(pose, scan({90: 1.0}, 1.1), 1.1)
    assert "the pose" in window.ignored and (window.costs == first.costs).all() and window.origin_m == first.origin_m


def test_a_clock_that_goes_back_drops_what_scans_have_marked() -> None:
    costmap = Costmap(Disc(0.2))
    costmap.update(HERE, scan({0: 1.0}, 100.0), 100.0)
    assert not costmap.update(HERE, None, 3.0).costs.any()
    assert costmap.update(HERE, scan({0: 1.0}, 3.1), 3.1).cost_at(1.0 + HALF, 0.0 + HALF) == LETHAL
    assert "not finite" in costmap.update(HERE, None, math.nan).ignored


def test_marks_decay_by_the_clock() -> None:
    costmap = Costmap(Disc(0.2), CostmapSettings(obstacle_decay_s=2.0))
    costmap.update(HERE, scan({0: 1.0}, 1.0), 1.0)
    assert costmap.update(HERE, None, 2.9).cost_at(1.0 + HALF, 0.0 + HALF) == LETHAL
    assert costmap.update(HERE, None, 3.1).cost_at(1.0 + HALF, 0.0 + HALF) == FREE_SPACE


def test_what_is_marked_where_the_robot_stands_is_freed_but_the_map_is_not() -> None:
    near = dict.fromkeys(range(0, 360, 30), 0.15)
    window = Costmap(BOX).update(TURNED, scan(near), 1.0)
    assert not window.costs.any()
    kept = Costmap(BOX, CostmapSettings(footprint_clearing=False)).update(TURNED, scan(near), 1.0)
    assert (kept.costs == LETHAL).any()
    grid = OccupancyGrid(np.full((10, 10), 100, np.int8), 0.05, (-0.2, -0.2))
    assert Costmap(BOX, None, grid).update(TURNED, scan({}), 1.0).cost_at(0.0 + HALF, 0.0 + HALF) == LETHAL


def test_distances_and_the_free_mask() -> None:
    window = Costmap(Disc(0.2)).update(HERE, scan({0: 1.0}), 1.0)
    row, col = window.cell_of(1.0 + HALF, HALF)
    assert window.distance_m[row, col - 4] == pytest.approx(0.2) and window.distance_m.max() == pytest.approx(0.55)
    free = window.free()
    assert free.shape == (1, 1, 128, 128) and free.dtype == np.float32 and free.sum() == 128 * 128 - 1
    assert window.free(below=INSCRIBED).sum() < free.sum()
    assert window.occupancy().data.sum() == 100 and window.cost_at(math.nan, 0.0) == NO_INFORMATION
    with pytest.raises(ValueError, match="read-only"):
        window.costs[0, 0] = 1


def test_c4_a_parameter_that_cannot_be_is_refused_with_a_reason_and_the_costmap_lives() -> None:
    costmap = Costmap(Disc(0.2))
    for name, value in (
        ("cost_scaling_factor", 0.0), ("inflation_radius_m", -1.0), ("inflation_radius_m", 1e9), ("rows", 64),
        ("resolution_m", 0.0), ("obstacle_decay_s", math.nan), ("no_such", 1.0), ("inflate_unknown", 1.0),
        ("cost_scaling_factor", "3"), ("cost_scaling_factor", True), ("lethal_threshold", 65.5),
        ("footprint_padding_m", -0.5),
    ):  # fmt: skip
        result = costmap.set_parameter(name, value)
        assert not result.successful and result.reason, name
        assert costmap.settings == CostmapSettings()
    assert costmap.set_parameter("cost_scaling_factor", 3).successful
    assert costmap.settings.cost_scaling_factor == 3.0 and type(costmap.settings.cost_scaling_factor) is float
    assert costmap.set_parameter("inflation_radius_m", 0.4).successful
    window = costmap.update(HERE, scan({0: 1.0}), 1.0)
    assert window.cost_at(1.0 + HALF, 0.0 + HALF) == LETHAL and window.cost_at(0.5 + HALF, 0.0 + HALF) == FREE_SPACE
    assert costmap.set_parameter("footprint_padding_m", 0.05).successful
    assert costmap.footprint.reach_m == pytest.approx(0.25)


def test_c2_an_empty_polygon_leaves_the_old_outline() -> None:
    costmap = Costmap(BOX)
    before = costmap.footprint
    assert not costmap.set_footprint([]) and costmap.footprint is before
    assert costmap.set_footprint([(0.3, 0.3), (-0.3, 0.3), (-0.3, -0.3), (0.3, -0.3)])
    assert costmap.footprint.reach_m == pytest.approx(0.31 * math.sqrt(2))


def test_settings_and_maps_that_cannot_be_are_refused() -> None:
    for change in ({"resolution_m": 0.0}, {"resolution_m": -0.05}, {"rows": 1}, {"lethal_threshold": 0}):
        with pytest.raises(CostmapError, match=next(iter(change))):
            CostmapSettings(**change)  # type: ignore[arg-type]
    costmap = Costmap(BOX)
    with pytest.raises(CostmapError, match="the map has cells of 0"):
        costmap.set_map(OccupancyGrid(np.zeros((2, 2), np.int8), 0.0, (0.0, 0.0)))
    assert not costmap.update(HERE, None, 1.0).costs.any()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(width=32), min_size=1, max_size=60), st.floats(-20, 20), st.floats(-7, 7), st.floats(0, 2),
    st.floats(0.5, 1e9), st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-100, 100)),
    st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)  # fmt: skip
def test_no_scan_from_anywhere_writes_anything_but_costs(
    ranges: list[float], first: float, step: float, near: float, far: float, pose: tuple[float, float, float],
    offset: tuple[float, float],
) -> None:  # fmt: skip
    costmap = Costmap(Disc(0.1), CostmapSettings(rows=20, cols=24, inflation_radius_m=0.2))
    sensor = (pose[0] + offset[0], pose[1] + offset[1], pose[2])
    for taken_at in (None, sensor):
        made = LaserScan(1.0, np.array(ranges, np.float32), near, far, first, step, taken_at)
        window = costmap.update(pose, made, 1.0)
        assert window.costs.shape == (20, 24) and set(np.unique(window.costs)) <= {*range(255)}
        marked = int((window.costs == LETHAL).sum())
        assert marked <= 2 * len(ranges)
