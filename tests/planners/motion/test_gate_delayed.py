"""A base that obeys late and with a lag, driven at random: with every command through the gate it touches nothing."""

from __future__ import annotations

import math
import os
from collections import deque
from dataclasses import dataclass, replace

import numpy as np
import pytest

from premotor_planners.costmap.footprint import polygon_footprint
from premotor_planners.motion.footprint import ConvexPolygon, Disc, Footprint
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, Held, transition

PERIOD_S, STEP_S, BEAMS = 0.05, 0.005, 1440
ELL = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.0), (0.0, 0.0), (0.0, 0.3), (-0.3, 0.3))
JACKAL = ((0.254, 0.216), (-0.254, 0.216), (-0.254, -0.216), (0.254, -0.216))
GATES = (
    SafetyGate(Disc(0.22), Braking(1.0, 3.5), 0.8, 0.3, 1.8),
    SafetyGate(ConvexPolygon(JACKAL), Braking(2.0, 5.0), 2.0, 0.5, 2.5, margin_m=0.01, spacing_m=0.01),
    SafetyGate(polygon_footprint(ELL), Braking(1.5, 2.0), 1.0, 0.5, 2.0),
)


@dataclass
class Base:
    """Obeys `delay` periods late, closes the gap with time constant `lag_s`, changes speed within its limits."""

    braking: Braking
    delay: int
    lag_s: float
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    v: float = 0.0
    w: float = 0.0
    driven_m: float = 0.0

    def __post_init__(self) -> None:
        self.waiting = deque([STOP] * self.delay)

    @property
    def pending(self) -> tuple[Held, ...]:
        return tuple(Held(command, PERIOD_S) for command in self.waiting)

    def advance(self, command: Command) -> list[tuple[float, float, float]]:
        """One period; where it passed."""
        self.waiting.append(command)
        acting, share, way = self.waiting.popleft(), 1.0 - math.exp(-STEP_S / self.lag_s), []
        most_v, most_w = self.braking.accel_mps2 * STEP_S, self.braking.turn_accel_rps2 * STEP_S
        for _ in range(round(PERIOD_S / STEP_S)):
            self.v += min(max(share * (acting.v_mps - self.v), -most_v), most_v)
            self.w += min(max(share * (acting.w_rps - self.w), -most_w), most_w)
            self.x += self.v * STEP_S * math.cos(self.yaw)
            self.y += self.v * STEP_S * math.sin(self.yaw)
            self.yaw += self.w * STEP_S
            self.driven_m += abs(self.v) * STEP_S
            way.append((self.x, self.y, self.yaw))
        return way


def seen(base: Base, points: np.ndarray, now: float) -> LaserScan:
    """A scan of points, each in the beam nearest to its bearing, the nearest of a beam's."""
    dx, dy = points[:, 0] - base.x, points[:, 1] - base.y
    ranges = np.full(BEAMS, np.inf, np.float32)
    turn = np.mod(np.arctan2(dy, dx) - base.yaw, 2 * math.pi)
    np.minimum.at(ranges, np.round(turn / (2 * math.pi / BEAMS)).astype(int) % BEAMS, np.hypot(dx, dy))
    return LaserScan(now, ranges, 0.02, angle_increment=2 * math.pi / BEAMS, taken_at=(base.x, base.y, base.yaw))


def touched(footprint: Footprint, way: list[tuple[float, float, float]], points: np.ndarray) -> bool:
    """Whether a point lay inside the outline, by half planes of its own."""
    x, y, yaw = np.array(way).T[:, :, None]
    dx, dy = points[:, 0] - x, points[:, 1] - y
    along, across = np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx
    if isinstance(footprint, Disc):
        return bool((np.hypot(along, across) < footprint.radius_m).any())
    if isinstance(footprint, ConvexPolygon):
        return bool(((np.abs(along) < 0.254) & (np.abs(across) < 0.216)).any())
    low = (np.abs(along) < 0.3) & (across > -0.3) & (across < 0.0)
    return bool((low | ((along > -0.3) & (along < 0.0) & (np.abs(across) < 0.3))).any())


def wanted(gate: SafetyGate, random: np.random.Generator) -> Command:
    """Any command, or the fastest one, or one that turns and drives as hard as it can."""
    v = random.uniform(-gate.max_reverse_mps, gate.max_forward_mps)
    w = random.uniform(-gate.max_turn_rps, gate.max_turn_rps)
    kind = random.integers(4)
    if kind == 0:
        v, w = gate.max_forward_mps, 0.2 * w
    elif kind == 1:
        v, w = gate.max_forward_mps, math.copysign(gate.max_turn_rps, w)
    return Command(float(v), float(w))


def reckless(seed: int, periods: int, told: float = 1.0) -> tuple[bool, float]:
    """One drive of a base with 0.1 to 0.2 s of delay and 0.1 to 0.3 s of lag; whether it touched, and metres driven.

    The gate takes the lag for `told` times what it is.
    """
    random = np.random.default_rng([41, seed])
    gate = GATES[seed % len(GATES)]
    delay, lag_s = int(random.integers(2, 5)), float(random.uniform(0.1, 0.3))
    base = Base(gate.braking, delay, lag_s)
    gate = replace(
        gate, braking=replace(gate.braking, lag_s=told * lag_s), delay_s=delay * PERIOD_S,
        reaction_s=SafetyGate.reaction_s + delay * PERIOD_S,
    )  # fmt: skip
    points = random.uniform(-3.0, 3.0, (int(random.integers(10, 60)), 2))
    points = points[np.hypot(*points.T) > 0.55]
    command = STOP
    for period in range(periods):
        now = 10.0 + period * PERIOD_S
        if period % 10 == 0:
            command = wanted(gate, random)
        state = RobotState(base.x, base.y, base.yaw, base.v, base.w, now)
        sent = gate.check(command, seen(base, points, now), state, now, base.pending).command
        if touched(gate.footprint, base.advance(sent), points):
            return True, base.driven_m
    return False, base.driven_m


def check(cases: range, periods: int, told: float = 1.0) -> None:
    drives = [reckless(seed, periods, told) for seed in cases]
    assert [seed for seed, (hit, _) in zip(cases, drives, strict=True) if hit] == []
    assert sum(metres for _, metres in drives) > 0.2 * len(drives), "a gate that lets nothing pass proves nothing"


def test_a_late_and_lagging_base_touches_nothing() -> None:
    check(range(300), 30)


@pytest.mark.parametrize("told", [0.8, 1.25])
def test_nor_does_it_where_the_lag_is_not_known_exactly(told: float) -> None:
    check(range(5000, 5040), 30, told)


@pytest.mark.skipif("PREMOTOR_LONG_TESTS" not in os.environ, reason="takes minutes; `./premotor test slow` runs it")
def test_a_late_and_lagging_base_touches_nothing_in_10000_drives() -> None:
    check(range(10_000), 60)


@pytest.mark.parametrize(("v", "w"), [(0.8, 0.0), (0.8, -1.8), (-0.3, 1.0), (0.0, 1.8)])
@pytest.mark.parametrize(("delay", "lag_s"), [(2, 0.1), (3, 0.2), (4, 0.3)])
def test_the_way_of_a_base_that_is_told_to_stop_is_the_one_it_drives(
    v: float, w: float, delay: int, lag_s: float
) -> None:
    braking = Braking(1.0, 3.5, lag_s)
    base = Base(braking, delay, lag_s)
    for _ in range(12):
        base.advance(Command(v, w))
    start = (base.x, base.y, base.yaw)
    sweep = transition(Command(base.v, base.w), base.pending, braking, 0.01, 0.3, "each speed alone")
    for _ in range(60):
        base.advance(STOP)
    cos, sin = math.cos(start[2]), math.sin(start[2])
    x, y, yaw = sweep.poses[-1]
    assert start[0] + cos * x - sin * y == pytest.approx(base.x, abs=0.01)
    assert start[1] + sin * x + cos * y == pytest.approx(base.y, abs=0.01)
    assert start[2] + yaw == pytest.approx(base.yaw, abs=0.02)


def test_without_counting_what_is_under_way_it_would_touch() -> None:
    """What the check of the pending commands is for: the same drives, with a gate that is told of none."""
    hits = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        gate, base = GATES[1], Base(GATES[1].braking, 4, 0.3)
        points = np.array([[float(random.uniform(0.8, 1.6)), float(random.uniform(-0.2, 0.2))]])
        for period in range(60):
            now = 10.0 + period * PERIOD_S
            state = RobotState(base.x, base.y, base.yaw, base.v, base.w, now)
            sent = gate.check(Command(2.0, 0.0), seen(base, points, now), state, now).command
            if touched(gate.footprint, base.advance(sent), points):
                hits += 1
                break
    assert hits > 10
