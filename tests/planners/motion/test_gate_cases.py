"""What the gate passes is swept again here, by small steps and with geometry of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.costmap.footprint import polygon_footprint
from premotor_planners.motion import sweeping
from premotor_planners.motion.footprint import ConvexPolygon, Disc, Footprint
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.slowing_native import native_slowing
from premotor_planners.motion.state import STOP, Command, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking, Held, Sweep, arc_poses
from premotor_planners.motion.sweeping import clear_poses, clear_poses_by_definition, native_sweep

NOW = 20.0
BOX = ((0.286, -0.274), (0.286, 0.274), (-0.398, 0.274), (-0.398, -0.274))
ELL = ((-0.3, -0.3), (0.3, -0.3), (0.3, 0.0), (0.0, 0.0), (0.0, 0.3), (-0.3, 0.3))
GATES = {
    "disc": SafetyGate(Disc(0.22), Braking(1.0, 3.5), 0.8, 0.3, 1.8),
    "box": SafetyGate(ConvexPolygon(BOX), Braking(2.0, 4.0), 2.0, 0.5, 2.5, reaction_s=0.15, delay_s=0.1),
    "ell": SafetyGate(polygon_footprint(ELL), Braking(1.5, 2.0), 1.0, 0.5, 2.0),
}


@dataclass
class Case:
    command: Command
    state: RobotState
    scan: LaserScan
    points: np.ndarray


def drawn(random: np.random.Generator, gate: SafetyGate) -> Case:
    """A scan with some near readings, speeds up to a little above the limits, a scan up to 0.2 s old."""
    beams = int(random.choice([90, 360, 720]))
    ranges = np.full(beams, np.inf, np.float32)
    near = random.integers(0, beams, int(random.integers(1, 12)))
    ranges[near] = random.uniform(0.06, 2.5, len(near))
    if random.random() < 0.2:
        ranges[random.integers(0, beams, 3)] = random.choice([np.nan, -1.0, 50.0, -np.inf], 3)
    angle_min = float(random.uniform(-math.pi, math.pi))
    increment = 2 * math.pi / beams
    angles = angle_min + np.arange(beams) * increment
    hit = np.isfinite(ranges) & (ranges >= 0.05) & (ranges <= 12.0)
    points = np.stack([ranges * np.cos(angles), ranges * np.sin(angles)], axis=1)[hit]
    scan = LaserScan(NOW - float(random.uniform(0, 0.2)), ranges, angle_min=angle_min, angle_increment=increment)
    v = random.uniform(-1.2 * gate.max_reverse_mps, 1.2 * gate.max_forward_mps, 2)
    w = random.uniform(-1.2 * gate.max_turn_rps, 1.2 * gate.max_turn_rps, 2) * random.choice([0.0, 0.3, 1.0])
    return Case(Command(float(v[0]), float(w[0])), RobotState(0, 0, 0, float(v[1]), float(w[1]), NOW), scan, points)


def inside(footprint: Footprint, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Points more than 2 mm inside, by half planes: of the disc, the box, or the two boxes that make the L."""
    edge = 0.002
    if isinstance(footprint, Disc):
        return np.hypot(x, y) < footprint.radius_m - edge
    if isinstance(footprint, ConvexPolygon):
        return (x < 0.286 - edge) & (x > -0.398 + edge) & (np.abs(y) < 0.274 - edge)
    low = (np.abs(x) < 0.3 - edge) & (y > -0.3 + edge) & (y < -edge)
    left = (x > -0.3 + edge) & (x < -edge) & (np.abs(y) < 0.3 - edge)
    return low | left


def swept(command: Command, held_s: float, braking: Braking) -> np.ndarray:
    """Poses every few milliseconds of a base that holds the command and then brakes both speeds to end together."""
    brake_s = max(abs(command.v_mps) / braking.accel_mps2, abs(command.w_rps) / braking.turn_accel_rps2)
    dt = (held_s + brake_s) / 300
    t = (np.arange(300) + 0.5) * dt
    share = np.clip((held_s + brake_s - t) / max(brake_s, 1e-12), 0.0, 1.0)
    yaw = np.cumsum(share * command.w_rps * dt)
    middle = yaw - share * command.w_rps * dt / 2
    step = share * command.v_mps * dt
    return np.stack([np.cumsum(step * np.cos(middle)), np.cumsum(step * np.sin(middle)), yaw], axis=1)


def hits(poses: np.ndarray, points: np.ndarray, footprint: Footprint) -> bool:
    dx, dy = points[:, 0] - poses[:, 0, None], points[:, 1] - poses[:, 1, None]
    cos, sin = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
    return bool(inside(footprint, cos * dx + sin * dy, cos * dy - sin * dx).any())


def check_cases(count: int, seed: int) -> dict[str, int]:
    random, verdicts = np.random.default_rng(seed), {"passed": 0, "slowed": 0, "stopped": 0}
    gates = list(GATES.values())
    for i in range(count):
        gate = gates[i % len(gates)]
        case = drawn(random, gate)
        decision = gate.check(case.command, case.scan, case.state, NOW)
        verdicts[decision.verdict] += 1
        sent = decision.command
        assert (sent == case.command) == (decision.verdict == "passed") or sent == STOP
        assert abs(sent.v_mps * case.command.w_rps - sent.w_rps * case.command.v_mps) < 1e-9, "another arc"
        assert -gate.max_reverse_mps - 1e-5 <= sent.v_mps <= gate.max_forward_mps + 1e-5
        if sent != STOP and len(case.points):
            poses = swept(sent, gate.reaction_s + NOW - case.scan.stamp_s, gate.braking)
            assert not hits(poses, case.points, gate.footprint), (i, case, decision)
    return verdicts


def test_no_passed_command_meets_an_obstacle_within_its_stopping_distance() -> None:
    assert min(check_cases(1500, seed=1).values()) > 100


@pytest.mark.slow
def test_no_passed_command_meets_an_obstacle_in_10000_cases() -> None:
    assert min(check_cases(10_000, seed=2).values()) > 1000


def obstacle_scan(pose: tuple[float, float, float], points: np.ndarray, now: float, beams: int = 720) -> LaserScan:
    """Every obstacle point falls into its beam."""
    dx, dy = points[:, 0] - pose[0], points[:, 1] - pose[1]
    distance = np.hypot(dx, dy)
    ranges = np.full(beams, np.inf, np.float32)
    beam = np.round(np.mod(np.arctan2(dy, dx) - pose[2], 2 * math.pi) / (2 * math.pi / beams)).astype(int) % beams
    np.minimum.at(ranges, beam, distance.astype(np.float32))
    return LaserScan(now, ranges, angle_increment=2 * math.pi / beams, taken_at=pose)


def reckless_drive(gate: SafetyGate, seed: int, ticks: int, delay_ticks: int) -> tuple[bool, float]:
    """Random commands at 20 Hz through a base that obeys late and within its limits; whether it hit, metres driven."""
    random = np.random.default_rng(seed)
    points = random.uniform(-2.5, 2.5, (40, 2))
    points = points[np.hypot(*points.T) > 0.75]
    x = y = yaw = v = w = driven = 0.0
    queue, wanted = [STOP] * delay_ticks, STOP
    for tick in range(ticks):
        now = NOW + 0.05 * tick
        if tick % 8 == 0:
            wanted = Command(
                float(random.uniform(-gate.max_reverse_mps, gate.max_forward_mps)),
                float(random.uniform(-gate.max_turn_rps, gate.max_turn_rps)),
            )
        state = RobotState(x, y, yaw, v, w, now)
        pending = tuple(Held(command, 0.05) for command in queue)
        queue.append(gate.check(wanted, obstacle_scan((x, y, yaw), points, now), state, now, pending).command)
        acting = queue.pop(0)
        for _ in range(10):
            dv, dw = acting.v_mps - v, acting.w_rps - w
            most_v, most_w = gate.braking.accel_mps2 * 0.005, gate.braking.turn_accel_rps2 * 0.005
            v, w = v + min(max(dv, -most_v), most_v), w + min(max(dw, -most_w), most_w)
            x, y = x + v * 0.005 * math.cos(yaw), y + v * 0.005 * math.sin(yaw)
            yaw, driven = yaw + w * 0.005, driven + abs(v) * 0.005
        if hits(np.array([[x, y, yaw]]), points, gate.footprint):
            return True, driven
    return False, driven


@pytest.mark.parametrize("delay_ticks", [0, 2, 4])
@pytest.mark.parametrize("name", list(GATES))
def test_a_reckless_driver_hits_nothing(name: str, delay_ticks: int) -> None:
    gate = GATES[name]
    reaction_s = 0.06 + 0.05 * delay_ticks
    careful = SafetyGate(
        gate.footprint, gate.braking, gate.max_forward_mps, gate.max_reverse_mps, gate.max_turn_rps,
        reaction_s=reaction_s, delay_s=0.0,
    )  # fmt: skip
    drives = [reckless_drive(careful, seed, 120, delay_ticks) for seed in range(4)]
    assert not any(hit for hit, _ in drives) and sum(metres for _, metres in drives) > 1.0


@pytest.mark.parametrize("name", list(GATES))
def test_the_compiled_sweep_agrees_with_the_definition(name: str) -> None:
    if native_sweep() is None:
        pytest.skip("no C++ compiler")
    random, footprint = np.random.default_rng(7), GATES[name].footprint
    seen = set()
    for _ in range(300):
        poses, spacing = arc_poses(random.uniform(-1, 2), random.uniform(-2, 2), 0.02, footprint.reach_m)
        points = random.uniform(-2, 2, (int(random.integers(1, 30)), 2))
        clear = clear_poses(Sweep(poses, spacing), points, footprint, 0.02)
        assert clear == clear_poses_by_definition(poses, points, footprint, 0.02 + spacing / 2)
        seen.add("all" if clear == len(poses) else "none" if clear == 0 else "some")
    assert seen == {"all", "none", "some"}


def test_bad_data_of_any_kind_never_raises_and_never_moves_the_robot_by_numbers_that_are_none() -> None:
    random, gate = np.random.default_rng(9), GATES["box"]
    odd = [math.nan, math.inf, -math.inf, 1e300, -1e300, 0.0, -1.0, 1.0]
    for _ in range(2000):
        case = drawn(random, gate)
        pick = [float(random.choice(odd)) if random.random() < 0.15 else None for _ in range(13)]
        given = [0.5, 0.1, 0.0, 0.0, 0.0, 0.4, 0.0, NOW, NOW, -3.14, 0.0175, 0.05, 12.0]
        n = [value if chosen is None else chosen for value, chosen in zip(given, pick, strict=True)]
        scan = LaserScan(n[7], case.scan.ranges_m, n[11], n[12], n[9], n[10])
        with np.errstate(all="ignore"):
            decision = gate.check(Command(n[0], n[1]), scan, RobotState(*n[2:7], stamp_s=NOW), n[8])
        assert decision.command.finite and (decision.command == STOP or all(map(math.isfinite, n[:12])))


def test_without_a_compiler_the_gate_sweeps_in_numpy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> None:
        raise BuildError("no C++ compiler", "install g++")

    monkeypatch.setattr(sweeping, "costmap_library", none)
    native_sweep.cache_clear()
    native_slowing.cache_clear()
    assert native_sweep() is None and "install g++" in caplog.text
    assert native_slowing() is None and check_cases(150, seed=3)["passed"] > 10
    native_sweep.cache_clear()
    native_slowing.cache_clear()
