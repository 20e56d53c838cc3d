from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.costmap.errors import CostmapError
from premotor_planners.costmap.inflation_layer import InflationLayer, inflation_costs
from premotor_planners.costmap.obstacle_layer import ObstacleLayer
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.static_layer import StaticLayer
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.state import LaserScan

SMALL = CostmapSettings(rows=20, cols=24, inflation_radius_m=0.3, cost_scaling_factor=5.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 0.3), st.booleans())
def test_inflation_is_the_formula_of_the_nearest_lethal_cell(seed: int, share: float, into_unknown: bool) -> None:
    random = np.random.default_rng(seed)
    chosen = CostmapSettings(
        rows=20, cols=24, inflation_radius_m=0.3, cost_scaling_factor=5.0, inflate_unknown=into_unknown
    )
    layer = InflationLayer(chosen, 0.12)
    assert layer.margin == 6
    costs = random.choice([0, 40, 255], size=(32, 36)).astype(np.uint8)
    costs[random.random(costs.shape) < share] = 254
    out, squared = layer.apply(costs)
    lethal = np.argwhere(costs == 254)
    for row, col in np.ndindex(20, 24):
        here = int(costs[row + 6, col + 6])
        d = np.hypot(*(lethal - [row + 6, col + 6]).T).min() * 0.05 if len(lethal) else math.inf
        grown = 253 if d <= 0.12 else int(252 * math.exp(-5.0 * (d - 0.12))) if d <= 0.3 + 1e-9 else 0
        grown = 254 if d == 0 else grown
        expected = max(here, grown) if here != 255 else grown if grown >= (1 if into_unknown else 253) else 255
        assert out[row, col] == expected
        if d <= 0.3 + 1e-9:
            assert squared[row, col] == round((d / 0.05) ** 2)
        else:
            assert squared[row, col] > 36


def test_the_table_is_navs() -> None:
    table = inflation_costs(CostmapSettings(inflation_radius_m=0.55, cost_scaling_factor=3.0), 0.1)
    assert table[0] == 254 and table[1] == 253 and table[4] == 253
    assert table[9] == int(252 * math.exp(-3.0 * 0.05)) and table[121] == int(252 * math.exp(-3.0 * 0.45))
    assert (table[122:] == 0).all() and (np.diff(table[: 121 + 1].astype(int)) <= 0).all()


def static_grid(data: list[list[int]], resolution: float = 0.05) -> OccupancyGrid:
    return OccupancyGrid(np.array(data, np.int8), resolution, (1.0, -2.0))


@pytest.mark.parametrize(
    ("trinary", "track", "expected"),
    [
        (True, True, [0, 0, 0, 254, 255]),
        (True, False, [0, 0, 0, 254, 0]),
        (False, True, [0, 127, 251, 254, 255]),
    ],
)
def test_the_static_layer_reads_occupancy_as_nav2_does(trinary: bool, track: bool, expected: list[int]) -> None:
    layer = StaticLayer(
        static_grid([[0, 50, 99, 100, -1]]), CostmapSettings(trinary=trinary, track_unknown_space=track)
    )
    assert layer.crop((0, 0), (1, 5)).tolist() == [expected]
    outside = 255 if track else 0
    assert layer.crop((-1, -1), (3, 7)).tolist() == [[outside] * 7, [outside, *expected, outside], [outside] * 7]
    assert (layer.crop((50, 50), (2, 2)) == outside).all() and (layer.crop((-50, 0), (2, 2)) == outside).all()


def test_a_map_of_other_cells_keeps_the_worst() -> None:
    chosen = CostmapSettings(track_unknown_space=True)
    fine = StaticLayer(static_grid([[0, 100, 0, 0], [0, 0, -1, 0]], 0.025), chosen)
    assert fine.crop((0, 0), (1, 2)).tolist() == [[254, 255]]
    coarse = StaticLayer(static_grid([[0, 100]], 0.1), chosen)
    assert coarse.crop((0, 0), (2, 4)).tolist() == [[0, 0, 254, 254]] * 2
    odd = StaticLayer(static_grid([[100, 0, 0, 100]], 0.04), chosen)
    assert odd.crop((0, 0), (1, 4)).tolist() == [[254, 0, 254, 254]]


@pytest.mark.parametrize("grid", [
    OccupancyGrid(np.zeros((2, 2), np.int8), 0.0, (0.0, 0.0)),
    OccupancyGrid(np.zeros((2, 2), np.int8), -0.05, (0.0, 0.0)),
    OccupancyGrid(np.zeros((2, 2), np.int8), math.nan, (0.0, 0.0)),
    OccupancyGrid(np.zeros((2, 2), np.int8), 0.05, (math.inf, 0.0)),
    OccupancyGrid(np.zeros((0, 2), np.int8), 0.05, (0.0, 0.0)),
])  # fmt: skip
def test_a_map_that_is_none_is_refused(grid: OccupancyGrid) -> None:
    with pytest.raises(CostmapError, match="the map has"):
        StaticLayer(grid, SMALL)


def reference_scan(shape: tuple[int, int], ranges: list[float], sensor: tuple[float, float, float]) -> np.ndarray:
    """Rays by dense sampling: what a ray passes through for a while is free, where it ends is lethal."""
    state = np.full(shape, 255, np.uint8)
    x, y, yaw = sensor
    for i, distance in enumerate(ranges):
        angle = yaw + i * 2 * math.pi / len(ranges)
        for s in np.arange(0.0, distance / 0.05, 0.005):
            row, col = math.floor(y + s * math.sin(angle)), math.floor(x + s * math.cos(angle))
            end = math.floor(y + distance / 0.05 * math.sin(angle)), math.floor(x + distance / 0.05 * math.cos(angle))
            if (row, col) != end and 0 <= row < shape[0] and 0 <= col < shape[1]:
                state[row, col] = 0
    for i, distance in enumerate(ranges):
        angle = yaw + i * 2 * math.pi / len(ranges)
        row, col = (
            math.floor(y + distance / 0.05 * math.sin(angle)),
            math.floor(x + distance / 0.05 * math.cos(angle)),
        )
        if 0 <= row < shape[0] and 0 <= col < shape[1]:
            state[row, col] = 254
    return state


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_rays_clear_and_ends_mark(seed: int) -> None:
    random = np.random.default_rng(seed)
    layer = ObstacleLayer((30, 34))
    ranges = random.uniform(0.1, 1.2, 16).astype(np.float32)
    sensor = (float(random.uniform(10, 20)), float(random.uniform(10, 20)), float(random.uniform(-3, 3)))
    scan = LaserScan(1.0, ranges, angle_increment=2 * math.pi / 16)
    layer.insert(scan, sensor, SMALL)
    expected = reference_scan((30, 34), [float(r) for r in ranges], sensor)
    marked = expected == 254
    assert (layer.state[marked] == 254).all() and ((layer.state == 254) == marked).all()
    # sampling misses a cell whose corner a ray cuts for less than a step
    assert (layer.state[expected == 0] == 0).all() and int((layer.state != expected).sum()) <= 6


def test_a_window_that_rolls_keeps_what_stays_inside() -> None:
    layer = ObstacleLayer((12, 10))
    random = np.random.default_rng(3)
    layer.state = random.choice([0, 254, 255], size=(12, 10)).astype(np.uint8)
    before = layer.state.copy()
    layer.roll((3, -2))
    assert (layer.state[:9, 2:] == before[3:, :8]).all()
    assert (layer.state[9:] == 255).all() and (layer.state[:, :2] == 255).all()
    layer.roll((100, -2000000))
    assert (layer.state == 255).all()


@settings(max_examples=60, deadline=None)
@given(by=st.tuples(st.integers(-25, 25), st.integers(-25, 25)), age_s=st.floats(0.0, 3.0), seed=st.integers(0, 2**31))
def test_marks_take_their_age_along_when_the_window_rolls(by: tuple[int, int], age_s: float, seed: int) -> None:
    stayed, rolled = (ObstacleLayer((20, 20)) for _ in range(2))
    random = np.random.default_rng(seed)
    for stamp in (1.0, 2.0, 3.0):
        scan = LaserScan(stamp, random.uniform(0.1, 0.5, 12).astype(np.float32), angle_increment=0.5)
        for layer in (stayed, rolled):
            layer.insert(scan, (10.5, 10.5, 0.1 * stamp), SMALL)
    rolled.roll(by)
    for layer in (stayed, rolled):
        layer.decay(3.0, age_s)
    stayed.roll(by)
    assert (rolled.state == stayed.state).all()


def test_marks_decay_unless_they_are_seen_again() -> None:
    layer = ObstacleLayer((20, 20))
    for stamp, distance in ((1.0, 0.3), (2.0, 0.45)):
        layer.insert(LaserScan(stamp, np.array([distance], np.float32)), (5.5, 5.5, 0.0 if stamp < 2 else 1.57), SMALL)
    assert int((layer.state == 254).sum()) == 2
    layer.decay(2.5, 1.0)
    assert int((layer.state == 254).sum()) == 1 and layer.state[14, 5] == 254
    layer.decay(1e9, math.inf)
    assert layer.state[14, 5] == 254
