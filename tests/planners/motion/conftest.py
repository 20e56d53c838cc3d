"""A kinematic house to drive in: exact integration, ray-cast scans of walls and furniture, the gate in the loop."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.maps.rasterize import rasterize
from premotor_planners.motion.controller import Controller
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.goal_field import kernel_for
from premotor_planners.motion.local_obstacles import costmap_for
from premotor_planners.motion.robot import load_robot
from premotor_planners.motion.rollouts import mppi_for
from premotor_planners.motion.route import Route
from premotor_planners.motion.routing import GoalFields, Router
from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState, wrapped
from premotor_planners.motion.stopping import Braking
from premotor_planners.world.loader import load_world

CONFIGS = Path(__file__).parents[3] / "configs"


def ray_cast(pose: tuple[float, float, float], boxes: np.ndarray, beams: int, far: float) -> np.ndarray:
    """Exact ranges to axis-aligned boxes (n, 4), +inf beyond `far`."""
    x, y, yaw = pose
    angles = yaw + np.arange(beams) * 2 * math.pi / beams
    direction = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None, :]
    direction = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    low = (boxes[None, :, :2] - np.array([x, y])) / direction
    high = (boxes[None, :, 2:] - np.array([x, y])) / direction
    enter = np.minimum(low, high).max(axis=2)
    leave = np.maximum(low, high).min(axis=2)
    hit = np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0.0), np.inf).min(axis=1)
    return np.where(hit <= far, hit, np.inf).astype(np.float32)


def clearance(x: float, y: float, boxes: np.ndarray) -> float:
    dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0)
    dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0)
    return float(np.hypot(dx, dy).min())


class House:
    def __init__(self, compile_kernel: Callable[[Any], Any]) -> None:
        self.robot = load_robot(CONFIGS / "robots/disc.yaml")
        self.world = load_world(CONFIGS / "worlds/house.yaml", self.robot.planning_radius_m)
        self.grid = rasterize(self.world)
        field_kernel, mppi = kernel_for(self.grid.shape), mppi_for(self.robot)
        outline = self.robot.footprint
        fields = GoalFields(field_kernel, compile_kernel(field_kernel))
        self.planner = Router(fields, self.grid, outline, self.robot.planning_radius_m)
        costmap = costmap_for(mppi, self.grid, outline)
        self.controller = Controller([(mppi, compile_kernel(mppi))], costmap, seed=1)
        braking = Braking(self.robot.max_accel_mps2, self.robot.max_turn_accel_rps2)
        self.gate = SafetyGate(
            outline, braking, self.robot.max_forward_mps, self.robot.max_reverse_mps,
            self.robot.max_turn_rps,
        )  # fmt: skip
        self.boxes = np.array([*self.world.walls_m, *(place.area_m for place in self.world.places)])


@dataclass
class Drive:
    status: str = ""
    time_s: float = 0.0
    position_error_m: float = math.inf
    yaw_error: float = math.inf
    least_clearance_m: float = math.inf
    driven_m: float = 0.0
    planned_m: float = 0.0
    gated: int = 0
    stopped: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    commands: list[tuple[float, float]] = field(default_factory=list)
    trace: list[tuple[float, float, float]] = field(default_factory=list)


def drive_to(
    house: House, start: tuple[float, float, float], goal: tuple[float, float, float], limit_s: float = 90.0,
    extra: np.ndarray | None = None, noise_m: float = 0.0, lag_s: float = 0.0,
) -> Drive:  # fmt: skip
    result, robot = Drive(), house.robot
    target = Goal(*goal)
    house.controller.costmap.clear()
    route = house.planner.plan(start, target)
    assert isinstance(route, Route), route
    result.planned_m = route.length_m
    house.controller.follow(route)
    boxes = house.boxes if extra is None else np.concatenate([house.boxes, extra])
    random = np.random.default_rng(5)
    sent: Command | None = None
    (x, y, yaw), v, w, now, dt = start, 0.0, 0.0, 100.0, robot.period_s
    while result.time_s < limit_s:
        state = RobotState(x, y, yaw, v, w, now)
        ranges = ray_cast((x, y, yaw), boxes, robot.lidar.beams, robot.lidar.range_max_m)
        if noise_m:
            ranges = (ranges + random.normal(0.0, noise_m, ranges.shape)).astype(np.float32)
        scan = LaserScan(now, ranges, taken_at=(x, y, yaw))
        decision = house.controller.command(state, scan, sent)
        gated = house.gate.check(decision.command, scan, state, now)
        result.statuses[decision.status] += 1
        result.gated += gated.verdict != "passed"
        result.stopped += gated.verdict == "stopped"
        result.status = decision.status
        if decision.status in ("arrived", "failed"):
            break
        sent = gated.command
        share = 1.0 - math.exp(-dt / lag_s) if lag_s else 1.0
        most = (1.5 if lag_s else 1.0) * dt
        v, w = _answered(v, w, gated.command, share, robot.max_accel_mps2 * most, robot.max_turn_accel_rps2 * most)
        for _ in range(5):
            x, y, yaw = x + v * math.cos(yaw) * dt / 5, y + v * math.sin(yaw) * dt / 5, yaw + w * dt / 5
            result.least_clearance_m = min(result.least_clearance_m, clearance(x, y, boxes))
        result.driven_m += abs(v) * dt
        result.commands.append((v, w))
        result.trace.append((x, y, yaw))
        now, result.time_s = now + dt, result.time_s + dt
    result.position_error_m = math.hypot(x - goal[0], y - goal[1])
    result.yaw_error = abs(wrapped(yaw - goal[2]))
    return result


def _answered(v: float, w: float, command: Command, share: float, most_v: float, most_w: float) -> tuple[float, float]:
    """A base that closes `share` of the gap to the command in a period, and changes speed by at most `most_*`."""
    dv, dw = share * (command.v_mps - v), share * (command.w_rps - w)
    return v + min(max(dv, -most_v), most_v), w + min(max(dw, -most_w), most_w)


@pytest.fixture(scope="session")
def house() -> House:
    device = CpuDevice()
    return House(lambda kernel: device.compile(kernel, "fp32"))


@pytest.fixture
def drive() -> Callable[..., Drive]:
    return drive_to
