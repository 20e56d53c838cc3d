"""What the gate is told of obstacles where the scan has no beams."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from premotor_planners.motion.state import Goal, LaserScan, RobotState
from premotor_planners.motion.window.surroundings import Surroundings

ScanOf = Callable[..., LaserScan]
BEHIND, AHEAD = (-0.6, 0.1, 0.1), (0.7, 0.0, 0.1)
STATE = RobotState(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _forward_half(scan: LaserScan) -> LaserScan:
    return replace(scan, ranges_m=scan.ranges_m[90:271], angle_min=-math.pi / 2)


def _seen(surroundings: Surroundings, scan: LaserScan) -> None:
    for _ in range(6):
        surroundings.take(scan, STATE)
    surroundings.seen(STATE, Goal(5.0, 0.0), False)


def test_what_was_seen_is_remembered_only_where_no_beam_looks(surroundings: Surroundings, scan_of: ScanOf) -> None:
    whole = scan_of((0.0, 0.0, 0.0), [BEHIND, AHEAD])
    _seen(surroundings, whole)
    hidden = surroundings.remembered(STATE, _forward_half(whole))
    assert hidden is not None and len(hidden) > 3
    from_post = np.hypot(hidden[:, 0] - BEHIND[0], hidden[:, 1] - BEHIND[1])
    assert from_post.max() < BEHIND[2] + 2 * surroundings.resolution_m
    assert (hidden[:, 0] < 0.0).all()


def test_a_scan_all_round_leaves_nothing_to_memory(surroundings: Surroundings, scan_of: ScanOf) -> None:
    whole = scan_of((0.0, 0.0, 0.0), [BEHIND, AHEAD])
    _seen(surroundings, whole)
    assert surroundings.remembered(STATE, whole) is None


def test_nothing_is_remembered_before_a_look_after_forgetting_or_far_away(
    surroundings: Surroundings, scan_of: ScanOf
) -> None:
    whole = scan_of((0.0, 0.0, 0.0), [BEHIND])
    forward = _forward_half(whole)
    assert surroundings.remembered(STATE, forward) is None
    _seen(surroundings, scan_of((0.0, 0.0, 0.0), [(-2.0, 0.0, 0.1)]))
    assert surroundings.remembered(STATE, forward) is None
    surroundings.forget()
    assert surroundings.remembered(STATE, forward) is None
