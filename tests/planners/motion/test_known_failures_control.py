"""One test for every failure that was reported of local controllers like these, for each of them, behind the gate."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.rasterize import fill
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.decision import ControlDecision
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.local_obstacles import costmap_for
from premotor_planners.motion.robot import RobotParameters
from premotor_planners.motion.rollouts import mppi_for
from premotor_planners.motion.route import Route
from premotor_planners.motion.routing import GoalFields, Router
from premotor_planners.motion.state import STOP, Command, Goal, LaserScan, RobotState
from premotor_planners.motion.stopping import Braking
from premotor_planners.motion.timing import check_period, steps_per_period
from premotor_planners.motion.window.controller import WindowController, WindowControlParameters
from premotor_planners.motion.window.dwa import DwaController
from premotor_planners.motion.window.evidence import EvidenceParameters, EvidenceWindow
from premotor_planners.motion.window.guide import BLOCK, GuideParameters, WindowGuide
from premotor_planners.motion.window.surroundings import Surroundings
from premotor_planners.motion.window.tight import TightGuide

Box = tuple[float, float, float, float]
DT = 0.05
ROUND = RobotParameters("round", 0.22, 0.25, 0.8, 0.15, 1.8, 1.0, 3.5)
TAIL = ((0.286, 0.274), (-0.398, 0.274), (-0.398, -0.274), (0.286, -0.274))
LONG = replace(ROUND, footprint_m=TAIL, footprint_radius_m=0.484, planning_radius_m=0.5)
KINDS = ("map", "window", "dwa")


@pytest.fixture(autouse=True)
def needs_compiler() -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))


class MapPilot:
    """The controller of the house: a route on a map first."""

    def __init__(self, robot: RobotParameters, kernel: Mppi, boxes: Sequence[Box], seed: int = 2) -> None:
        device, empty = CpuDevice(), OccupancyGrid(np.zeros((160, 200), np.int8), 0.05, (-5.0, -4.0))
        grid, field_kernel = fill(empty, boxes), CostToGo(160, 200)
        fields = GoalFields(field_kernel, device.compile(field_kernel))
        self.router = Router(fields, grid, robot.footprint, robot.planning_radius_m)
        costmap = costmap_for(kernel, grid, robot.footprint)
        self.controller = Controller([(kernel, device.compile(kernel, "fp32"))], costmap, seed=seed)

    def follow(self, goal: Goal) -> None:
        route = self.router.plan((0.0, 0.0, 0.0), goal)
        assert isinstance(route, Route), route
        self.controller.follow(route)

    def command(self, state: RobotState, scan: LaserScan | None, sent: Command | None = None) -> ControlDecision:
        return self.controller.command(state, scan, sent)


def pilot(kind: str, robot: RobotParameters = ROUND, boxes: Sequence[Box] = (), **motion: float) -> Any:
    kernel = mppi_for(robot, 256)
    kernel = replace(kernel, motion=replace(kernel.motion, **motion))  # type: ignore[type-var]
    if kind == "map":
        return MapPilot(robot, kernel, boxes)
    parameters, device = EvidenceParameters(cells=256), CpuDevice()
    cells, size = parameters.cells // BLOCK, parameters.resolution_m
    ways, lattice, guide = CostToGo(cells, cells), HeadingCostToGo(sweeps=64), GuideParameters()
    radius = kernel.costs.radius_m
    tight = TightGuide(lattice, device.compile(lattice), size, BLOCK, kernel.body_m, radius, guide.fill)
    seen = Surroundings(EvidenceWindow(parameters), WindowGuide(ways, device.compile(ways), size * BLOCK, guide, tight))
    kernel = replace(kernel, rows=seen.shape[0], cols=seen.shape[1], resolution_m=size)
    if kind == "dwa":
        return DwaController(kernel, seen)
    room = WindowControlParameters(turn_clearance_m=robot.footprint.reach_m + 0.01)
    return WindowController(kernel, device.compile(kernel), seen, 2, room)


def scan_at(pose: tuple[float, float, float], boxes: Sequence[Box], now: float) -> LaserScan:
    angles = pose[2] + np.arange(360) * 2 * math.pi / 360
    ranges = np.full(360, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for x0, y0, x1, y1 in boxes:
            tx = np.sort((np.array([[x0], [x1]]) - pose[0]) / np.cos(angles), axis=0)
            ty = np.sort((np.array([[y0], [y1]]) - pose[1]) / np.sin(angles), axis=0)
            enter, leave = np.maximum(tx[0], ty[0]), np.minimum(tx[1], ty[1])
            ranges = np.where((enter <= leave) & (enter > 0), np.minimum(ranges, enter), ranges)
    ranges[ranges > 10.0] = np.inf
    return LaserScan(now, ranges.astype(np.float32), 0.02, 10.0, taken_at=pose)


@dataclass
class Drive:
    states: list[RobotState] = field(default_factory=list)
    decisions: list[ControlDecision] = field(default_factory=list)
    sent: list[Command] = field(default_factory=list)
    gap_m: float = math.inf

    @property
    def status(self) -> str:
        return self.decisions[-1].status


def driven(
    made: Any, goal: Goal, robot: RobotParameters = ROUND, boxes: Sequence[Box] = (), limit_s: float = 20.0,
    until: tuple[str, ...] = ("arrived", "failed"),
) -> Drive:  # fmt: skip
    limits = (robot.max_forward_mps, robot.max_reverse_mps, robot.max_turn_rps)
    gate = SafetyGate(robot.footprint, Braking(robot.max_accel_mps2, robot.max_turn_accel_rps2), *limits, margin_m=0.01)
    made.follow(goal)
    drive, x, y, yaw, sent = Drive(), 0.0, 0.0, 0.0, STOP
    walls = np.array([[px, py] for x0, y0, x1, y1 in boxes for px in np.arange(x0, x1 + 0.01, 0.02)
                      for py in (y0, y1)]).reshape(-1, 2)  # fmt: skip
    for tick in range(round(limit_s / DT)):
        state = RobotState(x, y, yaw, sent.v_mps, sent.w_rps, tick * DT)
        scan = scan_at((x, y, yaw), boxes, tick * DT)
        decision = made.command(state, scan, sent)
        drive.states.append(state)
        drive.decisions.append(decision)
        assert np.isfinite(decision.sequence).all()
        if decision.status in until:
            break
        sent = gate.check(decision.command, scan, state, tick * DT).command
        drive.sent.append(sent)
        x += sent.v_mps * math.cos(yaw + sent.w_rps * DT / 2) * DT
        y += sent.v_mps * math.sin(yaw + sent.w_rps * DT / 2) * DT
        yaw += sent.w_rps * DT
        if len(walls):
            dx, dy, cos, sin = walls[:, 0] - x, walls[:, 1] - y, math.cos(yaw), math.sin(yaw)
            seen = np.stack([cos * dx + sin * dy, cos * dy - sin * dx], axis=1)
            drive.gap_m = min(drive.gap_m, float(robot.footprint.distance(seen).min()))
    return drive


@pytest.mark.parametrize("kind", KINDS)
def test_k1_no_deviation_in_turn_rate_divides_by_nothing(kind: str) -> None:
    drive = driven(pilot(kind, w_std_rps=0.0), Goal(3.0, 0.0), limit_s=2.0)
    assert drive.status == "driving" and drive.states[-1].x > 0.3
    if kind != "dwa":  # which has no deviations: it tries a grid of speeds
        assert all((decision.sequence[:, 1] == 0.0).all() for decision in drive.decisions)
    still = driven(pilot(kind, w_std_rps=0.0, v_std_mps=0.0), Goal(3.0, 0.0), limit_s=0.5)
    assert all(command.finite for command in still.sent)


@pytest.mark.parametrize("kind", KINDS)
def test_k8_with_little_acceleration_it_stops_in_tolerance_without_overshoot(kind: str) -> None:
    robot = replace(ROUND, max_accel_mps2=0.7, max_turn_accel_rps2=0.8)
    drive = driven(pilot(kind, robot), Goal(3.0, 0.0), robot)
    end = drive.states[-1]
    assert drive.status == "arrived" and math.dist((end.x, end.y), (3.0, 0.0)) <= 0.12
    assert max(state.x for state in drive.states) <= 3.12 and abs(end.v_mps) < 0.03 and abs(end.w_rps) < 0.1
    speeds = np.array([(command.v_mps, command.w_rps) for command in drive.sent])
    assert (np.abs(np.diff(speeds, axis=0)) <= np.array([0.7, 0.8]) * DT + 1e-4).all() or kind == "dwa"


CORRIDOR = ((-4.0, 0.4, 4.0, 0.45), (-4.0, -0.45, 4.0, -0.4))
TIGHT = ((-4.0, 0.35, 4.0, 0.4), (-4.0, -0.4, 4.0, -0.35))


@pytest.mark.parametrize("kind", ["map", "window"])
def test_k10_a_goal_behind_is_turned_to_where_there_is_room(kind: str) -> None:
    robot = replace(ROUND, max_reverse_mps=0.0)
    drive = driven(pilot(kind, robot, CORRIDOR), Goal(-2.0, 0.0), robot, CORRIDOR)
    assert drive.status == "arrived" and drive.gap_m > 0
    assert "turning" in {decision.status for decision in drive.decisions}
    assert max(state.x for state in drive.states) < 0.3


@pytest.mark.parametrize("kind", ["map", "window"])
def test_k10_where_there_is_no_room_to_turn_it_is_said_in_bounded_time(kind: str) -> None:
    robot = replace(LONG, max_reverse_mps=0.0, planning_radius_m=0.484)
    made = pilot(kind, robot, TIGHT)
    if kind == "map":
        made.follow = lambda goal: made.controller.follow(replace(no_route(made, goal)))
    drive = driven(made, Goal(-2.0, 0.0), robot, TIGHT, 9.0, until=("arrived", "failed", "blocked"))
    assert drive.status == "blocked" and drive.decisions[-1].reason and drive.gap_m > 0


def no_route(made: MapPilot, goal: Goal) -> Route:
    """A route that nobody would plan for this outline: for a point."""
    fields = GoalFields(CostToGo(160, 200), CpuDevice().compile(CostToGo(160, 200)))
    found = Router(fields, made.router.grid, ROUND.footprint, 0.22).plan((0.0, 0.0, 0.0), goal)
    assert isinstance(found, Route)
    return found


WALL = ((-4.0, -0.46, 4.0, -0.36),)


@pytest.mark.parametrize("kind", KINDS)
def test_k12_a_tail_beside_a_wall_does_not_swing_into_it(kind: str) -> None:
    drive = driven(pilot(kind, LONG, WALL), Goal(1.5, 2.5), LONG, WALL, limit_s=16.0)
    assert drive.gap_m > 0.005
    first = drive.decisions[:10]
    assert not any(decision.status == "turning" for decision in first), "a turn on the spot would swing the tail"
    assert drive.status == "arrived" or kind != "window", "the others may say that they are blocked"
    assert drive.status != "failed"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_k15_numbers_that_are_none_poison_nothing(kind: str, bad: float) -> None:
    made = pilot(kind)
    made.follow(Goal(3.0, 0.0))
    for tick in range(12):
        now, odd = tick * DT, tick % 3 == 1
        state = RobotState(bad if odd else 0.0, 0.0, 0.0, 0.2, bad if odd else 0.0, now)
        scan = LaserScan(now, np.full(360, bad if odd else 3.0, np.float32), taken_at=(0.0, 0.0, 0.0))
        decision = made.command(state, scan, Command(bad, 0.0) if odd else Command(0.2, 0.0))
        assert np.isfinite(decision.sequence).all() and decision.command.finite
        assert (decision.status == "failed") == odd
    assert decision.status == "driving" and decision.v_mps > 0.1


def test_k18_a_loop_that_is_slower_than_a_step_is_refused_and_a_faster_one_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        check_period(1 / 30, 0.05)
        assert steps_per_period(0.05, 0.05) == steps_per_period(0.051, 0.05) == 1.0 and not caplog.text
        assert steps_per_period(1 / 30, 0.05) == pytest.approx(2 / 3)
    assert "make them equal" in caplog.text
    for period_s in (0.1, 0.0, -0.05, math.nan, math.inf):
        with pytest.raises(ValueError, match="no longer than a step"):
            steps_per_period(period_s, 0.05)
        with pytest.raises(ValueError, match="no longer than a step"):
            check_period(period_s, 0.05)


@pytest.mark.parametrize("hz", [10, 30])
def test_k18_the_controller_checks_it_when_it_is_made(hz: int, caplog: pytest.LogCaptureFixture) -> None:
    made = pilot("map")
    kernels = [(made.controller.kernel, CpuDevice().compile(made.controller.kernel, "fp32"))]
    if hz == 10:
        with pytest.raises(ValueError, match=r"period is 0\.1 s"):
            Controller(kernels, made.controller.costmap, period_s=0.1)
        return
    controller = Controller(kernels, made.controller.costmap, period_s=1 / hz)
    assert "make them equal" in caplog.text
    route = made.router.plan((0.0, 0.0, 0.0), Goal(3.0, 0.0))
    assert isinstance(route, Route)
    controller.follow(route)
    before = controller.command(RobotState(0.0, 0.0, 0.0), None).sequence
    held = controller.shifted()
    np.testing.assert_allclose(held[:-1], before[:-1] + (before[1:] - before[:-1]) * (2 / 3), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_k20_without_a_scan_decisions_stay_finite_and_the_gate_lets_none_pass(kind: str) -> None:
    made, gate = pilot(kind), SafetyGate(ROUND.footprint, Braking(1.0, 3.5), 0.8, 0.15, 1.8)
    made.follow(Goal(3.0, 0.0))
    last = scan_at((0.0, 0.0, 0.0), (), 0.0)
    for tick, silent in enumerate([False] * 4 + [True] * 12 + [False] * 3):
        now = tick * 0.1
        scan = last if silent else scan_at((0.0, 0.0, 0.0), (), now)
        state = RobotState(0.0, 0.0, 0.0, stamp_s=now)
        decision = made.command(state, scan, STOP)
        assert np.isfinite(decision.sequence).all()
        last = scan
        sent = gate.check(decision.command, scan, state, now).command
        assert (sent == STOP) == (now - scan.stamp_s > gate.scan_timeout_s) or decision.command == STOP
    assert sent != STOP, "it goes on with a fresh scan"


def gap_at(y: float, width: float = 0.8) -> tuple[Box, ...]:
    """0.8 m wide: the circle around the long robot needs 1 m, the robot itself 0.55 m."""
    half = width / 2
    return ((0.9, y + half, 2.0, 3.9), (0.9, -3.9, 2.0, y - half))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("y", [-0.4, 0.0, 0.3, 0.7])
def test_k12_a_long_robot_drives_through_what_its_circle_does_not_fit(y: float, seed: int) -> None:
    boxes, goal = gap_at(y), Goal(3.4, y, 0.0)
    made = MapPilot(LONG, mppi_for(LONG, 256), boxes, seed)
    route = made.router.plan((0.0, 0.0, 0.0), goal)
    assert isinstance(route, Route) and route.legs
    drive = driven(made, goal, LONG, boxes, limit_s=20.0)
    assert drive.status == "arrived" and drive.gap_m > 0.05
    assert abs(drive.states[-1].yaw) < 0.15


def test_k12_what_leaves_the_controller_no_room_is_said_to_be_blocked_and_not_touched() -> None:
    boxes, goal = gap_at(0.0, 0.7), Goal(3.4, 0.0, 0.0)
    drive = driven(MapPilot(LONG, mppi_for(LONG, 256), boxes), goal, LONG, boxes, limit_s=10.0)
    assert drive.status == "blocked" and drive.gap_m > 0.03
    assert drive.decisions[-1].reason


NOOK = ((-0.8, 0.4, 1.0, 4.0), (-0.8, -4.0, 1.0, -0.4), (0.6, -0.4, 1.0, 0.4))


def test_k12_a_long_robot_backs_out_of_a_nook_in_legs() -> None:
    made = pilot("map", LONG, NOOK)
    goal = Goal(-2.6, 1.0, math.pi)
    route = made.router.plan((0.0, 0.0, 0.0), goal)
    assert isinstance(route, Route) and route.legs[0].sense == -1
    drive = driven(made, goal, LONG, NOOK, limit_s=40.0)
    assert drive.status == "arrived" and drive.gap_m > 0.01
