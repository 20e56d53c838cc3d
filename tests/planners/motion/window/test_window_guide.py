from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from premotor_planners.motion.path import descend
from premotor_planners.motion.state import Goal, LaserScan, RobotState
from premotor_planners.motion.window.guide import GuideParameters
from premotor_planners.motion.window.surroundings import Surroundings

HERE = RobotState(0.0, 0.0, 0.0)


def wall(x: float, low: float, high: float) -> list[tuple[float, float, float]]:
    return [(x, float(y), 0.08) for y in np.arange(low, high, 0.1)]


@pytest.mark.parametrize("goal", [Goal(2.0, 0.0), Goal(9.0, 0.0)])
def test_every_way_down_leads_around_a_cup(
    goal: Goal, surroundings: Surroundings, scan_of: Callable[..., LaserScan]
) -> None:
    cup = [*wall(1.0, -0.8, 0.8), *[(float(x), y, 0.08) for x in np.arange(0.2, 1.0, 0.1) for y in (-0.8, 0.8)]]
    for _ in range(3):
        surroundings.take(scan_of(HERE.pose, cup), HERE)
    seen = surroundings.seen(HERE, goal)
    cell = seen.guide_cell(0.0, 0.0)
    assert cell is not None
    cells = descend(seen.guide, cell)
    x, y = seen.guide_centre(cells[-1])
    if goal.x < 3.0:
        assert np.hypot(x - goal.x, y - goal.y) < 0.08
    else:
        assert x > 2.9  # the rim towards the goal
    assert min(seen.clearance_at(*seen.guide_centre(each)) for each in cells) > 0.2


def test_a_wide_way_is_taken_before_a_narrow_one(surroundings: Surroundings, scan_of: Callable[..., LaserScan]) -> None:
    gap = [*wall(1.0, -3.0, -0.32), *wall(1.0, 0.37, 1.0), *wall(1.0, 1.95, 3.0)]
    for _ in range(3):
        surroundings.take(scan_of(HERE.pose, gap), HERE)
    seen = surroundings.seen(HERE, Goal(2.0, 1.4))
    cell = seen.guide_cell(0.0, 0.0)
    assert cell is not None
    crossing = [seen.guide_centre(each)[1] for each in descend(seen.guide, cell) if seen.guide_centre(each)[0] > 0.99]
    assert crossing[0] > 1.0


def test_a_window_without_a_free_cell_is_finite(surroundings: Surroundings) -> None:
    ranges = np.full(360, 0.06, np.float32)
    for _ in range(5):
        surroundings.take(LaserScan(0.0, ranges, 0.05, 10.0), HERE)
    for close in (False, True):
        assert np.isfinite(surroundings.seen(HERE, Goal(2.0, 0.0), close).fields).all()


def test_looking_closer_the_way_begins_with_a_turn(
    surroundings: Surroundings, scan_of: Callable[..., LaserScan]
) -> None:
    corridor = [*[(float(x), y, 0.05) for x in np.arange(-2.0, 2.0, 0.08) for y in (-0.45, 0.45)]]
    back = RobotState(0.0, 0.0, np.pi / 2 * 0.9)
    for _ in range(3):
        surroundings.take(scan_of(HERE.pose, corridor), HERE)
    seen = surroundings.seen(back, Goal(1.5, 0.0), look_closer=True)
    assert seen.turn_to_rad is None or np.isfinite(seen.turn_to_rad)
    assert np.isfinite(seen.fields).all()


def test_parameters_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="widest first"):
        GuideParameters(radii_m=(0.2, 0.3), penalties_m=(0.0, 1.0))
    with pytest.raises(ValueError, match="penalties_m"):
        GuideParameters(penalties_m=(0.0, 2.0, 1.0))
