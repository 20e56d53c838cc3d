from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.motion.footprint import ConvexPolygon, Disc, Footprint
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, Held, arc_poses
from premotor_planners.motion.trust import Cycle

RADIUS = 0.22
ROUND = SafetyGate(Disc(RADIUS), Braking(1.0, 3.5), 0.8, 0.15, 1.8)
CORNERS = ((0.286, -0.274), (0.286, 0.274), (-0.398, 0.274), (-0.398, -0.274))
BOXY = replace(ROUND, footprint=ConvexPolygon(CORNERS))
NOW = 50.0
AHEAD = Command(0.3, 0.0)


def empty(beams: int = 360) -> np.ndarray:
    return np.full(beams, np.inf, np.float32)


def blind(first: int, last: int) -> np.ndarray:
    """NaN in the beams from `first` up to `last`, over the end where that is less."""
    ranges = empty()
    ranges[(np.arange(360) - first) % 360 < (last - first) % 360] = np.nan
    return ranges


def scan(ranges: np.ndarray, stamp: float = NOW) -> LaserScan:
    return LaserScan(stamp, ranges.astype(np.float32), angle_increment=2 * math.pi / len(ranges))


def state(v: float = 0.0, w: float = 0.0, stamp: float = NOW) -> RobotState:
    return RobotState(0.0, 0.0, 0.0, v, w, stamp)


def inside(footprint: Footprint, x: np.ndarray, y: np.ndarray, slack: float) -> np.ndarray:
    """An independent test of points against the outline grown by `slack` (a square's corners stay square)."""
    if isinstance(footprint, Disc):
        return np.hypot(x, y) < footprint.radius_m + slack
    return (x < 0.286 + slack) & (x > -0.398 - slack) & (np.abs(y) < 0.274 + slack)


def integrated(v: float, w: float, latency: float, braking: Braking) -> np.ndarray:
    """Poses of a base that holds (v, w) for `latency` and then brakes both to end together, by small steps."""
    brake_s = max(abs(v) / braking.accel_mps2, abs(w) / braking.turn_accel_rps2)
    dt = 0.002
    t = np.arange(0.0, latency + brake_s, dt)
    share = np.clip(1.0 - (t - latency) / max(brake_s, 1e-9), 0.0, 1.0)
    yaw = np.cumsum(share * w * dt)
    steps = share * v * dt
    poses = np.stack([np.cumsum(steps * np.cos(yaw)), np.cumsum(steps * np.sin(yaw)), yaw], axis=1)
    return np.concatenate([np.zeros((1, 3)), poses])


speeds = st.tuples(st.floats(-0.2, 1.0), st.floats(-2.0, 2.0))
obstacles = st.lists(st.tuples(st.integers(0, 359), st.floats(0.05, 1.3)), max_size=8)


@pytest.mark.slow
@pytest.mark.parametrize("gate", [ROUND, BOXY], ids=["round", "boxy"])
@settings(max_examples=2000, deadline=None)
@given(speeds, speeds, obstacles, st.floats(0.0, 0.25))
def test_no_passed_command_sweeps_over_a_point(
    gate: SafetyGate, asked: tuple[float, float], moving: tuple[float, float], near: list[tuple[int, float]], age: float
) -> None:
    ranges = empty()
    for beam, distance in near:
        ranges[beam] = distance
    decision = gate.check(Command(*asked), scan(ranges, NOW - age), state(*moving), NOW)
    command = decision.command
    assert abs(command.v_mps) <= abs(asked[0]) and abs(command.w_rps) <= abs(asked[1])
    assert (decision.command == Command(*asked)) == (decision.verdict == "passed")
    if command == STOP:
        return
    assert -0.15 - 1e-6 <= command.v_mps <= 0.8 + 1e-6 and abs(command.w_rps) <= 1.8 + 1e-6
    angles = np.arange(360) * 2 * math.pi / 360
    hit = np.isfinite(ranges)
    px, py = ranges[hit] * np.cos(angles[hit]), ranges[hit] * np.sin(angles[hit])
    x, y, yaw = integrated(command.v_mps, command.w_rps, gate.reaction_s + age, gate.braking)[::4].T[:, :, None]
    along, across = np.cos(yaw) * (px - x) + np.sin(yaw) * (py - y), np.cos(yaw) * (py - y) - np.sin(yaw) * (px - x)
    assert not inside(gate.footprint, along, across, -0.002).any()


def test_free_floor_passes_everything_within_the_limits() -> None:
    decision = ROUND.check(Command(0.8, 0.5), scan(empty()), state(0.8, 0.5), NOW)
    assert (decision.verdict, decision.command) == ("passed", Command(0.8, 0.5))


def test_a_wall_ahead_slows_then_stops() -> None:
    def verdict(distance: float, v: float, moving: float) -> str:
        ranges = empty()
        ranges[0] = distance
        return ROUND.check(Command(v, 0.0), scan(ranges), state(moving), NOW).verdict

    assert verdict(0.22 + 0.03 + 0.08 * 0.8 + 0.32 + 0.02, 0.8, 0.8) == "passed"
    assert verdict(0.22 + 0.08 * 0.8 + 0.32, 0.8, 0.8) == "slowed"
    assert verdict(0.22 + 0.03 * 0.8 + 0.32, 0.8, 0.8) == "stopped"  # even braking from now on ends too near
    assert verdict(0.22 + 0.15, 0.8, 0.0) == "slowed"
    assert verdict(0.22 + 0.01, 0.8, 0.0) == "stopped"
    assert verdict(0.22 + 0.01, -0.1, 0.0) == "passed"  # away from what is already too near


def wall_on_the_left(distance: float) -> np.ndarray:
    sine = np.sin(np.arange(360) * 2 * math.pi / 360)
    beyond = np.full(360, np.inf)
    np.divide(distance, sine, out=beyond, where=sine > 0.1)
    return np.where(beyond < 3.0, beyond, np.inf)


def test_a_round_robot_may_turn_beside_a_wall_and_a_boxy_one_may_not_swing_its_tail_into_it() -> None:
    turn = Command(0.0, 1.0)
    assert ROUND.check(turn, scan(wall_on_the_left(0.30)), state(), NOW).verdict == "passed"
    assert BOXY.check(turn, scan(wall_on_the_left(0.30)), state(), NOW).verdict == "stopped"
    assert BOXY.check(turn, scan(wall_on_the_left(0.32)), state(), NOW).verdict != "passed"
    assert BOXY.check(Command(0.3, 0.0), scan(wall_on_the_left(0.32)), state(), NOW).verdict == "passed"


def test_a_touching_point_stops_every_motion() -> None:
    ranges = empty()
    ranges[180] = RADIUS
    for command in (Command(0.2, 0.0), Command(-0.1, 0.0), Command(0.0, 0.5)):
        assert ROUND.check(command, scan(ranges), state(), NOW).command == STOP


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scan": None}, "no scan"),
        ({"scan": scan(empty(), NOW - 0.31)}, "0.31 s old"),
        ({"scan": scan(empty(), NOW + 0.03)}, "from the future"),
        ({"scan": scan(empty(), math.nan)}, "from the future"),
        ({"scan": scan(np.full(360, np.nan))}, "say nothing"),
        ({"scan": scan(np.full(360, 0.01))}, "say nothing"),
        ({"scan": scan(np.full(360, 99.0))}, "say nothing"),
        ({"scan": LaserScan(NOW, np.empty(0, np.float32))}, "say nothing"),
        ({"scan": replace(scan(empty()), angle_increment=math.nan)}, "angles are not finite"),
        ({"scan": replace(scan(empty()), range_min_m=math.nan)}, "not a range"),
        ({"scan": replace(scan(empty()), taken_at=(math.nan, 0.0, 0.0))}, "pose is not finite"),
        ({"scan": replace(scan(empty()), taken_at=(5.0, 0.0, 0.0))}, "the pose moved 5.00 m"),
        ({"scan": replace(scan(empty()), ranges_m=np.ones((2, 2), np.float32))}, "2-dimensional"),
        ({"command": Command(math.nan, 0.0)}, "not finite"),
        ({"command": Command(0.1, math.inf)}, "not finite"),
        ({"state": state(math.nan)}, "not finite"),
        ({"state": state(stamp=NOW - 1.0)}, "state is 1.00 s old"),
        ({"state": state(stamp=NOW + 1.0)}, "the clock jumped back"),
        ({"state": state(1e9)}, "beyond what the base can do"),
        ({"now": NOW - 3.0}, "the clock jumped back"),
        ({"now": NOW + 3.0}, "scan is 3.00 s old"),
        ({"scan": replace(scan(empty()), angle_increment=0.0)}, "the same way"),
        ({"scan": replace(scan(empty()), range_min_m=-1.0)}, "not a range"),
        ({"scan": scan(np.full(360, -2.0))}, "say nothing"),
        ({"scan": replace(scan(empty()), angle_increment=1e300)}, "no radians"),
        ({"scan": replace(scan(empty()), angle_min=-1e300)}, "no radians"),
        ({"scan": replace(scan(empty()), ranges_m=np.array(["far"] * 9))}, "Error"),
        ({"state": RobotState(1e300, 0.0, 0.0, stamp_s=NOW)}, "farther than"),
        ({"scan": scan(blind(80, 120))}, "says nothing over 0.70 rad"),
        ({"scan": scan(blind(340, 20))}, "says nothing over 0.70 rad"),
        ({"now": math.nan}, "not finite"),
    ],
)
def test_what_cannot_be_trusted_stops(change: dict[str, object], said: str) -> None:
    given_ = {"command": Command(0.1, 0.0), "scan": scan(empty()), "state": state(), "now": NOW, **change}
    decision = ROUND.check(given_["command"], given_["scan"], given_["state"], given_["now"])  # type: ignore[arg-type]
    assert decision.command == STOP and decision.verdict == "stopped" and said in decision.reason


def test_rep_117() -> None:
    def verdict(value: float) -> str:
        ranges = empty()
        ranges[:3] = value
        return ROUND.check(Command(0.1, 0.0), scan(ranges), state(), NOW).verdict

    assert verdict(math.inf) == verdict(math.nan) == verdict(0.01) == verdict(100.0) == "passed"
    assert verdict(-math.inf) == "stopped"


def test_k5_a_cycle_that_began_before_a_cancel_sends_nothing() -> None:
    def sent(decided: float, cancelled: float | None, command: Command = AHEAD) -> tuple[str, str]:
        decision = ROUND.check(command, scan(empty()), state(), NOW, cycle=Cycle(decided, cancelled))
        assert (decision.command == command) == (decision.verdict == "passed")
        return decision.verdict, decision.reason

    assert sent(NOW - 0.05, None) == ("passed", "")
    assert sent(NOW - 0.02, NOW - 0.05) == ("passed", "")
    for decided, cancelled in ((NOW - 0.05, NOW - 0.02), (NOW - 0.02, NOW - 0.02), (math.nan, NOW), (NOW, math.nan)):
        verdict, reason = sent(decided, cancelled)
        assert verdict == "stopped" and "before the cancel" in reason
    assert sent(NOW - 0.05, NOW - 0.02, STOP) == ("passed", "")


def test_k15_a_bad_command_leaves_nothing_behind() -> None:
    for bad in (math.nan, math.inf, -math.inf):
        assert ROUND.check(Command(bad, 0.0), scan(empty()), state(), NOW).verdict == "stopped"
        assert ROUND.check(Command(0.3, 0.0), scan(empty()), state(), NOW).verdict == "passed"


def test_k20_a_robot_stops_while_no_scan_comes_and_goes_on_with_a_fresh_one() -> None:
    last = scan(empty(), NOW)
    for age, verdict in ((0.0, "passed"), (0.25, "passed"), (0.35, "stopped"), (5.0, "stopped")):
        assert ROUND.check(Command(0.3, 0.0), last, state(stamp=NOW + age), NOW + age).verdict == verdict
    fresh = scan(empty(), NOW + 5.1)
    assert ROUND.check(Command(0.3, 0.0), fresh, state(stamp=NOW + 5.1), NOW + 5.1).verdict == "passed"


def test_a_changing_range_max_changes_no_verdict_of_what_is_within_it() -> None:
    for distance, verdict in ((0.3, "stopped"), (1.5, "passed")):
        for range_max in (3.0, 8.0, 12.0, 30.0):
            ranges = empty()
            ranges[0] = distance
            seen = replace(scan(ranges), range_max_m=range_max)
            assert ROUND.check(Command(0.8, 0.0), seen, state(0.8), NOW).verdict == verdict


def test_what_is_remembered_counts_like_what_is_seen() -> None:
    behind = np.array([[-0.25, 0.0]])
    assert ROUND.check(Command(-0.15, 0.0), scan(empty()), state(), NOW).verdict == "passed"
    assert ROUND.check(Command(-0.15, 0.0), scan(empty()), state(), NOW, remembered=behind).verdict != "passed"
    there = RobotState(5.0, 5.0, 0.0, stamp_s=NOW)
    assert ROUND.check(Command(-0.15, 0.0), scan(empty()), there, NOW, remembered=behind).verdict == "passed"
    for bad in (np.array([[math.nan, 0.0]]), np.zeros(3)):
        assert ROUND.check(Command(-0.15, 0.0), scan(empty()), state(), NOW, remembered=bad).verdict == "stopped"


def test_commands_under_way_are_driven_before_the_new_one() -> None:
    ranges = empty()
    ranges[0] = 1.0
    slow = replace(ROUND, reaction_s=0.28)
    assert slow.check(Command(0.5, 0.0), scan(ranges), state(), NOW).verdict == "passed"
    fast = [Held(Command(0.8, 0.0), 0.2)]
    assert slow.check(Command(0.5, 0.0), scan(ranges), state(0.8), NOW, pending=fast).verdict == "passed"
    ranges[0] = 0.22 + 0.02 + 0.8 * 0.2 + 0.32
    assert slow.check(Command(0.5, 0.0), scan(ranges), state(0.8), NOW, pending=fast).verdict == "stopped"
    assert slow.check(Command(0.1, 0.0), scan(ranges), state(0.0), NOW, pending=[Held(STOP, 0.2)]).verdict == "passed"
    for bad in (
        Held(Command(math.nan, 0.0), 0.1),
        Held(Command(1e9, 0.0), 0.1),
        Held(STOP, -1.0),
        Held(STOP, math.inf),
    ):
        assert slow.check(Command(0.1, 0.0), scan(ranges), state(), NOW, pending=[bad]).verdict == "stopped"


def test_a_slowed_command_is_as_fast_as_its_way_allows() -> None:
    ranges = empty()
    speeds = []
    for distance in (0.3, 0.4, 0.5, 0.6):
        ranges[0] = distance
        speeds.append(ROUND.check(Command(0.8, 0.4), scan(ranges), state(), NOW).command.v_mps)
    assert speeds == sorted(set(speeds)) and speeds[0] > 0 and speeds[-1] < 0.8


def test_a_scan_taken_elsewhere_is_seen_from_here() -> None:
    ranges = empty()
    ranges[0] = 0.6
    taken = replace(scan(ranges), taken_at=(-0.2, 0.0, 0.0))
    assert ROUND.clearance_m(taken, state()) == pytest.approx(0.4 - RADIUS)
    turned = replace(taken, taken_at=(0.0, 0.0, math.pi / 2))
    assert ROUND.check(Command(0.3, 0.0), turned, state(), NOW).verdict == "passed"


def test_too_fast_is_scaled_along_the_same_arc() -> None:
    decision = ROUND.check(Command(1.6, 0.8), scan(empty()), state(), NOW)
    assert decision.verdict == "slowed" and decision.reason == "above the speed limit"
    assert (decision.command.v_mps, decision.command.w_rps) == pytest.approx((0.8, 0.4))


def test_no_reverse_where_the_robot_has_none() -> None:
    gate = replace(ROUND, max_reverse_mps=0.0)
    assert gate.check(Command(-0.1, 0.0), scan(empty()), state(), NOW).command == Command(0.0, 0.0)


@settings(max_examples=200, deadline=None)
@given(st.floats(-1, 1), st.floats(-6, 6), st.floats(0.005, 0.1))
def test_arc_samples_lie_on_the_arc_and_close_enough(length: float, angle: float, spacing: float) -> None:
    poses, moved = arc_poses(length, angle, spacing, 0.5)
    assert moved <= spacing * (1 + 1e-9) and poses[0] == pytest.approx((0, 0, 0))
    assert poses[-1, 2] == pytest.approx(angle)
    if abs(angle) > 1e-3:
        radius = length / angle
        np.testing.assert_allclose(np.hypot(poses[:, 0], poses[:, 1] - radius), abs(radius), atol=1e-9)
    steps = np.hypot(np.diff(poses[:, 0]), np.diff(poses[:, 1])) + 0.5 * np.abs(np.diff(poses[:, 2]))
    assert (steps <= moved + 1e-9).all()


@settings(max_examples=300, deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_polygon_distance_equals_a_box_distance(x: float, y: float) -> None:
    dx, dy = max(-0.398 - x, x - 0.286), abs(y) - 0.274
    expected = max(dx, dy) if max(dx, dy) < 0 else math.hypot(max(dx, 0.0), max(dy, 0.0))
    assert ConvexPolygon(CORNERS).distance(np.array([x, y])) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "corners",
    [
        (),
        ((0.0, 0.0), (1.0, 0.0)),
        ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)),
        ((0.0, 0.0), (1.0, 0.0), (0.2, 0.2), (0.0, 1.0)),
        ((0.0, 0.0), (1.0, 0.0), (math.nan, 1.0)),
        tuple((math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5)) for i in range(5)),
    ],
)
def test_outlines_that_are_none_are_refused(corners: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match=r"corners|polygon"):
        ConvexPolygon(corners)
