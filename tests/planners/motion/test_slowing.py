"""The gate's geometry in one native call, held to its definition in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_planners.costmap.footprint import polygon_footprint
from premotor_planners.motion import slowing_native, sweeping
from premotor_planners.motion.footprint import ConvexPolygon, Disc, Footprint
from premotor_planners.motion.gate import GateDecision, SafetyGate
from premotor_planners.motion.slowing import Asked, Base, clear_scale_by_definition
from premotor_planners.motion.slowing_native import clear_scale, native_slowing
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, Held

NOW = 30.0
BOX = ((0.286, -0.274), (0.286, 0.274), (-0.398, 0.274), (-0.398, -0.274))
ELL = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.0), (0.0, 0.0), (0.0, 0.3), (-0.3, 0.3))
OUTLINES: dict[str, Footprint] = {"disc": Disc(0.22), "box": ConvexPolygon(BOX), "ell": polygon_footprint(ELL)}
CALM = Braking(1.0, 3.5)
AHEAD = Asked(Command(0.5, 0.2), Command(0.4, 0.0), (Held(Command(0.4, 0.0), 0.03),), 0.08, 0.05)
POST = np.array([[0.6, 0.05]])


@contextmanager
def numpy_alone() -> Iterator[None]:
    """Without any C++, as where there is no compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "native_sweep", lambda: None)
        patch.setattr(slowing_native, "native_slowing", lambda: None)
        yield


@pytest.fixture
def compiled() -> None:
    if native_slowing() is None:
        pytest.skip("no C++ compiler")


def base(outline: Footprint, braking: Braking = CALM) -> Base:
    return Base(outline, braking, 0.05, 0.02, 0.02)


def by_definition(base: Base, asked: Asked, points: np.ndarray) -> float:
    with numpy_alone():
        return clear_scale_by_definition(base, asked, points)


commands = st.builds(Command, st.floats(-0.6, 2.0), st.floats(-2.5, 2.5))
brakings = st.builds(
    Braking, st.floats(0.3, 3.0), st.floats(0.5, 6.0), st.one_of(st.just(0.0), st.floats(0.01, 0.4))
)  # fmt: skip
bases = st.builds(
    Base, st.sampled_from(list(OUTLINES.values())), brakings, st.floats(0.01, 0.1), st.floats(0.0, 0.05),
    st.floats(0.005, 0.05),
)  # fmt: skip
led = st.lists(st.builds(Held, commands, st.floats(0.0, 0.1)), min_size=1, max_size=5).map(tuple)
asked = st.builds(Asked, commands, commands, led, st.floats(0.0, 0.5), st.floats(0.0, 0.5))
points = st.lists(st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)), max_size=12).map(
    lambda pairs: np.array(pairs, np.float64).reshape(-1, 2)
)


@settings(max_examples=300, deadline=None)
@given(bases, asked, points)
def test_the_compiled_scale_is_that_of_the_definition(base: Base, asked: Asked, points: np.ndarray) -> None:
    if native_slowing() is not None:
        assert clear_scale(base, asked, points) == pytest.approx(by_definition(base, asked, points), abs=1e-9)


def edge(scale: Callable[[np.ndarray], float], way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A post that slows the command and one that lets it pass, a nanometre apart along the ray `way`."""
    slows, passes = 0.0, 4.0
    while passes - slows > 1e-9:
        middle = (slows + passes) / 2
        slows, passes = (slows, middle) if scale(middle * way) == 1.0 else (middle, passes)
    return slows * way, passes * way


def test_the_distance_at_which_a_post_slows_is_that_of_the_definition(compiled: None) -> None:
    random, slowed = np.random.default_rng(4), 0
    for _ in range(14):
        case = drawn(random)
        robot = base(case.gate.footprint, case.gate.braking)
        asked = Asked(case.command, Command(case.state.v_mps, case.state.w_rps), case.pending or AHEAD.led, 0.15, 0.1)
        turn = random.uniform(-0.6, 0.6)
        way = np.array([[math.cos(turn), math.sin(turn)]])
        posts = edge(partial(by_definition, robot, asked), way)
        for post in posts:
            assert clear_scale(robot, asked, post) == pytest.approx(by_definition(robot, asked, post), abs=1e-9)
        slowed += np.linalg.norm(posts[0]) > 0.35
    assert slowed > 5


@dataclass
class Drawn:
    """One call of the gate."""

    gate: SafetyGate
    command: Command
    scan: LaserScan
    state: RobotState
    pending: tuple[Held, ...]
    remembered: np.ndarray | None

    def decision(self) -> GateDecision:
        return self.gate.check(self.command, self.scan, self.state, NOW, self.pending, self.remembered)


def drawn(random: np.random.Generator) -> Drawn:
    """Posts around a robot anywhere; with and without lag, commands under way, and what the scan does not see.

    Speeds are often round numbers, for those bring numbers of poses to the edge of the next one.
    """

    def speeds(v: float, w: float) -> Command:
        digits = int(random.choice([1, 16]))
        return Command(round(float(random.uniform(-0.3, v)), digits), round(float(random.uniform(-w, w)), digits))

    outline = list(OUTLINES.values())[int(random.integers(len(OUTLINES)))]
    delay_s = float(random.choice([0.0, 0.03, 0.1]))
    gate = SafetyGate(
        outline, Braking(float(random.uniform(0.5, 2.5)), 4.0, float(random.choice([0.0, 0.1, 0.3]))), 1.5, 0.3, 2.0,
        reaction_s=delay_s + 0.05, delay_s=delay_s, margin_m=0.01, spacing_m=float(random.choice([0.01, 0.02])),
    )  # fmt: skip
    beams = int(random.choice([180, 360, 720]))
    ranges = np.full(beams, np.inf, np.float32)
    near = random.integers(0, beams, int(random.integers(1, 12)))
    ranges[near] = random.uniform(0.3, 3.0, len(near))
    x, y, yaw = (float(at) for at in random.uniform(-9.0, 9.0, 3))
    taken_at = (x - 0.02, y + 0.01, yaw - 0.05) if random.random() < 0.5 else None
    scan = LaserScan(NOW - 0.02, ranges, angle_increment=2 * math.pi / beams, taken_at=taken_at)
    moving = speeds(1.0, 1.2)
    waiting = tuple(Held(speeds(1.0, 1.2), 0.02) for _ in range(int(random.integers(0, 4))))
    hidden = random.uniform(-2.0, 2.0, (8, 2)) + np.array([x, y]) if random.random() < 0.3 else None
    state = RobotState(x, y, yaw, moving.v_mps, moving.w_rps, NOW)
    return Drawn(gate, speeds(1.6, 2.0), scan, state, waiting, hidden)


def agree(count: int, seed: int) -> dict[str, int]:
    """Draws as many cases, and how many had each verdict."""
    random, verdicts = np.random.default_rng(seed), {"passed": 0, "slowed": 0, "stopped": 0}
    for _ in range(count):
        case = drawn(random)
        decided = case.decision()
        with numpy_alone():
            defined = case.decision()
        assert (decided.verdict, decided.reason) == (defined.verdict, defined.reason), case
        assert decided.command.v_mps == pytest.approx(defined.command.v_mps, abs=1e-9), case
        assert decided.command.w_rps == pytest.approx(defined.command.w_rps, abs=1e-9), case
        verdicts[decided.verdict] += 1
    return verdicts


def test_the_gate_decides_as_its_definition(compiled: None) -> None:
    assert min(agree(600, seed=1).values()) > 60


@pytest.mark.slow
def test_the_gate_decides_as_its_definition_in_10000_cases(compiled: None) -> None:
    assert min(agree(10_000, seed=2).values()) > 1000


@pytest.mark.parametrize("name", list(OUTLINES))
def test_numbers_that_make_too_many_poses_are_left_to_the_definition(name: str, compiled: None) -> None:
    fine = replace(base(OUTLINES[name]), spacing_m=1e-6)
    assert clear_scale(fine, AHEAD, POST) == by_definition(fine, AHEAD, POST)


@pytest.mark.parametrize("braking", [Braking(0.0, 1.0), Braking(1.0, 0.0), Braking(1.0, 1.0, math.nan)])
def test_brakes_that_are_none_stop_the_robot(braking: Braking) -> None:
    gate = SafetyGate(Disc(0.22), braking, 0.8, 0.3, 1.8)
    scan = LaserScan(NOW, np.full(360, np.inf, np.float32))
    decision = gate.check(Command(0.3, 0.1), scan, RobotState(0.0, 0.0, 0.0, stamp_s=NOW), NOW)
    assert (decision.command, decision.verdict) == (STOP, "stopped") and "Error" in decision.reason


class Square:
    """An outline that the C++ does not know."""

    reach_m = math.sqrt(0.125)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Of a square with sides of half a metre."""
        beyond = np.abs(points) - 0.25
        return np.hypot(*np.moveaxis(np.maximum(beyond, 0.0), -1, 0)) + np.minimum(beyond.max(axis=-1), 0.0)


def test_an_outline_of_another_kind_is_swept_by_the_definition() -> None:
    corners = ((0.25, -0.25), (0.25, 0.25), (-0.25, 0.25), (-0.25, -0.25))
    other, known = base(Square()), base(ConvexPolygon(corners))
    scales = [clear_scale(other, AHEAD, np.array([[x, 0.05]])) for x in (0.28, 0.4, 0.5, 2.0)]
    assert scales == [clear_scale(known, AHEAD, np.array([[x, 0.05]])) for x in (0.28, 0.4, 0.5, 2.0)]
    assert scales[0] == 0.0 < scales[1] < scales[3] == 1.0


def test_a_check_leaves_nothing_behind_for_the_next() -> None:
    random = np.random.default_rng(3)
    cases = [drawn(random) for _ in range(40)]
    first = [case.decision() for case in cases]
    assert [case.decision() for case in reversed(cases)] == first[::-1]
