"""The control task around a controller that fails, is cancelled or loses its scan: what reaches the base."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import ReferenceRun
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.local_obstacles import costmap_for
from premotor_planners.motion.robot import RobotParameters
from premotor_planners.motion.rollouts import mppi_for
from premotor_planners.motion.routing import GoalFields, Router
from premotor_planners.task.plan import NavigateTo, Plan
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.motion_kit import gate_for
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.executor.robot import Observation, SkillStatus

ROBOT = RobotParameters("r", 0.22, 0.25, 0.8, 0.15, 1.8, 1.0, 3.5)
KERNEL = Mppi(rollouts=64, steps=20, motion=mppi_for(ROBOT).motion, costs=mppi_for(ROBOT).costs)
GRID = OccupancyGrid(np.zeros((80, 160), np.int8), 0.05, (0.0, 0.0))
PERIOD_S = 0.05


class Breakable:
    """A kernel, until `broken`; its runs are counted."""

    def __init__(self, kernel: Any) -> None:
        self.run_, self.broken, self.runs = ReferenceRun(kernel), False, 0

    def run(self, inputs: Any, outputs: dict[str, Any]) -> None:
        if self.broken:
            raise RuntimeError("plan has 0 poses")
        self.runs += 1
        self.run_.run(inputs, outputs)


class Field:
    """A base that does at once what it is told, on open floor; every command with its instant."""

    def __init__(self) -> None:
        self.now, self.pose, self.speeds, self.silent_since = 5.0, (1.0, 2.0, 0.0), (0.0, 0.0), math.inf
        self.sent: list[tuple[float, float, float]] = []
        self.wall_x_m = math.inf
        self.every_range: float | None = None
        self.range_max = 12.0

    def sense(self) -> Observation:
        ranges = np.full(360, np.inf, np.float32)
        ranges[0] = self.wall_x_m - self.pose[0]
        if self.every_range is not None:
            ranges[:] = self.every_range
        stamp = min(self.now, self.silent_since)
        return Observation(
            self.now, *self.pose, *self.speeds, ranges, 0.0, 2 * math.pi / 360, 0.05, self.range_max, stamp
        )

    def command(self, v: float, w: float) -> None:
        self.sent.append((self.now, v, w))
        self.speeds = v, w
        x, y, yaw = self.pose
        self.pose = x + v * math.cos(yaw) * PERIOD_S, y + v * math.sin(yaw) * PERIOD_S, yaw + w * PERIOD_S

    def skill_status(self) -> SkillStatus:
        return SkillStatus("idle")

    def start_skill(self, request: Any) -> None: ...

    def cancel_skill(self) -> None: ...


class Task:
    def __init__(self, goal: tuple[float, float, float] = (7.0, 2.0, 0.0), robot: RobotParameters = ROBOT) -> None:
        self.kernel, self.field = Breakable(KERNEL), Field()
        costmap, field_kernel = costmap_for(KERNEL, GRID, ROBOT.footprint), CostToGo(80, 160)
        self.goal_field = Breakable(field_kernel)
        fields = GoalFields(field_kernel, self.goal_field)
        kit: Any = SimpleNamespace(
            controller=Controller([(KERNEL, self.kernel)], costmap, 1),
            router=Router(fields, GRID, ROBOT.footprint, 0.25),
            gate=gate_for(robot, PERIOD_S),
            surroundings=SimpleNamespace(robot=robot, world=SimpleNamespace(start=(1.0, 2.0, 0.0))),
            period_s=PERIOD_S,
        )
        self.task = MotionTask(self.field, kit, SimpleNamespace(now=lambda: self.field.now))  # type: ignore[arg-type]
        plan = Plan((NavigateTo("there"), NavigateTo("there")), "llm")
        self.executive = self.task.executive = Executive(plan, lambda _: goal, None)

    def period(self, between: Any = None) -> None:
        self.field.now += PERIOD_S
        observation = self.task.sense(PERIOD_S)
        motion = self.task.decide(observation)
        if between is not None:
            between()
        self.task.act(self.task.guard(observation, motion))

    def drive(self, periods: int) -> None:
        for _ in range(periods):
            self.period()


def test_k3_a_controller_that_fails_stops_the_base_before_its_step_is_told_to_have_failed() -> None:
    made = Task()
    made.drive(25)
    assert made.field.speeds[0] > 0.3
    made.kernel.broken = True
    made.period()
    assert made.field.sent[-1][1:] == (0.0, 0.0) and made.executive.records[0].state == "running"
    made.period()
    assert made.executive.records[0].state == "failed" and "plan has 0 poses" in made.executive.records[0].reason
    assert made.field.sent[-1][1:] == (0.0, 0.0)


@pytest.mark.parametrize("goal", [(99.0, 2.0, 0.0), (math.nan, 2.0, 0.0)])
def test_k3_a_goal_without_a_way_never_moves_the_base(goal: tuple[float, float, float]) -> None:
    made = Task(goal)
    made.drive(6)
    assert {command[1:] for command in made.field.sent} == {(0.0, 0.0)}
    assert made.executive.records[0].state == "failed" and "GOAL_OUTSIDE_MAP, 204" in made.executive.records[0].reason


def test_k5_nothing_moves_the_base_after_a_cancel_that_came_while_a_command_was_computed() -> None:
    made = Task()
    made.drive(25)
    assert made.field.speeds[0] > 0.3
    made.period(between=lambda: made.executive.stop(made.field.now, "cancelled"))
    cancelled = made.field.now
    made.drive(5)
    assert {command[1:] for command in made.field.sent if command[0] >= cancelled} == {(0.0, 0.0)}
    assert made.executive.records[0].reason == "cancelled"


def test_k5_a_period_that_misses_after_a_cancel_holds_nothing() -> None:
    made = Task()
    made.drive(25)
    made.executive.stop(made.field.now, "cancelled")
    made.field.now += PERIOD_S
    observation = made.task.sense(PERIOD_S)
    made.task.act(made.task.guard(observation, made.task.hold_shifted(observation, 1)))
    assert made.field.sent[-1][1:] == (0.0, 0.0)


def test_k20_a_silent_scan_stops_the_base_until_a_fresh_one_comes() -> None:
    made = Task()
    made.drive(25)
    made.field.silent_since = made.field.now
    made.drive(12)
    late = [command for command in made.field.sent if command[0] > made.field.silent_since + 0.31]
    assert late and all(command[1:] == (0.0, 0.0) for command in late)
    assert any("old" in reason for reason in made.task.stops)
    made.field.silent_since = math.inf
    made.drive(4)
    assert made.field.sent[-1][1] > 0.0


def test_the_task_offers_the_controllers_levels() -> None:
    made = Task()
    assert made.task.levels == 0
    observation = made.task.sense(0.0)
    assert made.task.fallback(observation).command.v_mps == 0.0
    made.drive(25)
    assert made.task.remaining_m == pytest.approx(7.0 - made.field.pose[0], abs=0.15)


def test_driving_and_planning_are_rehearsed_in_turn_and_change_nothing() -> None:
    plain, made = Task(), Task()
    for _ in range(4):
        made.task.rehearse(0)
    assert (made.kernel.runs, made.goal_field.runs) == (2, 1), "two drives, a search and a piece of a field"
    for _ in range(41):
        made.task.rehearse(0)
    assert made.goal_field.runs >= 7, "all of a route, and again"
    for task in (plain, made):
        task.drive(25)
    assert made.field.sent == plain.field.sent


def test_commands_under_way_to_a_late_base_count_in_the_gate() -> None:
    def slowed_at_m(robot: RobotParameters) -> float:
        made = Task(robot=robot)
        made.field.wall_x_m = 3.5
        made.drive(20)
        assert made.field.speeds[0] > 0.6
        while made.field.speeds[0] > 0.5:
            made.period()
        return made.field.pose[0]

    late = replace(ROBOT, command_delay_s=0.2, lag_s=0.3)
    assert slowed_at_m(late) < slowed_at_m(ROBOT) - 0.1


@pytest.mark.parametrize("reading", [math.nan, -1.0, -math.inf, 0.01, 99.0])
def test_a_scan_of_nonsense_stops_a_moving_base_until_a_good_one_comes(reading: float) -> None:
    made = Task()
    made.drive(25)
    assert made.field.speeds[0] > 0.3
    made.field.every_range = reading
    made.drive(3)
    assert {command[1:] for command in made.field.sent[-3:]} == {(0.0, 0.0)}
    made.field.every_range = None
    made.drive(6)
    assert made.field.sent[-1][1] > 0.0 and made.executive.records[0].state == "running"


@pytest.mark.parametrize("range_max", [math.nan, 0.0, -3.0])
def test_a_range_max_that_is_none_stops_it_and_one_that_changes_does_not(range_max: float) -> None:
    made = Task()
    for changed in (12.0, 8.0, 30.0, 12.0):
        made.field.range_max = changed
        made.drive(7)
    assert made.field.speeds[0] > 0.3 and not made.task.stops
    made.field.range_max = range_max
    made.drive(2)
    assert {command[1:] for command in made.field.sent[-2:]} == {(0.0, 0.0)}
