"""The local controller: MPPI over a compiled kernel, with turns in place at the start and at the goal.

Within the loop a failure is a value: `command` returns a decision whose status is `failed` and whose sequence brakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.motion.local_map import LocalMap, guide_of
from premotor_planners.motion.noise import Noise
from premotor_planners.motion.path import descend
from premotor_planners.motion.progress import Progress
from premotor_planners.motion.robot import RobotParameters
from premotor_planners.motion.route import Route
from premotor_planners.motion.scan_points import moved, points_in_base
from premotor_planners.motion.state import Command, LaserScan, RobotState, wrapped
from premotor_planners.motion.turning import braking_sequence, shifted, turning_sequence

Status = Literal["idle", "turning", "driving", "settling", "arrived", "blocked", "failed"]
_STILL_V_MPS = 0.03
_STILL_W_RPS = 0.08
_AHEAD = 0.5
"""Cosine of the bearing below which the goal is beside or behind the robot: driving on gains nothing."""


@dataclass(frozen=True, eq=False)
class ControlDecision:
    """Speeds for the coming period (not yet seen by the gate), the whole sequence (steps, 2), and how it stands.

    `blocked` (no rollout free of contact, or no progress for some seconds) and `failed` come with a reason.
    """

    v_mps: float
    w_rps: float
    sequence: Field
    status: Status
    reason: str = ""
    best_cost: float = 0.0
    free_share: float = 1.0

    @property
    def command(self) -> Command:
        """Both speeds."""
        return Command(self.v_mps, self.w_rps)


@dataclass(frozen=True)
class ControllerParameters:
    """When to turn in place, when to settle, when to call it blocked."""

    turn_from_rad: float = 0.7
    turn_to_rad: float = 0.15
    turn_below_mps: float = 0.1
    turn_beyond_m: float = 0.07
    look_ahead_m: float = 0.4
    settle_m: float = 0.03
    blocked_after_s: float = 4.0


def mppi_for(robot: RobotParameters, rollouts: int = 512, steps: int = 40) -> Mppi:
    """The kernel with a robot's limits; one step of a rollout is one control period."""
    motion = Differential(
        max_forward_mps=robot.max_forward_mps,
        max_reverse_mps=robot.max_reverse_mps,
        max_turn_rps=robot.max_turn_rps,
        max_accel_mps2=robot.max_accel_mps2,
        max_turn_accel_rps2=robot.max_turn_accel_rps2,
    )
    costs = MppiCosts(radius_m=robot.footprint_radius_m + 0.01, safe_m=robot.planning_radius_m + 0.11)
    return Mppi(rollouts=rollouts, steps=steps, dt_s=robot.period_s, motion=motion, costs=costs)


class Controller:
    """Follows one route at a time. Not for several threads. Equal seeds and inputs give equal decisions.

    `run` is `kernel` compiled by a device; `grid` the map as rasterized (not grown), of the kernel's resolution;
    `period_s`, where given, is checked against the kernel's step. Raises ValueError where these do not fit.
    """

    def __init__(
        self,
        kernel: Mppi,
        run: Compiled,
        grid: OccupancyGrid,
        seed: int = 0,
        parameters: ControllerParameters | None = None,
        period_s: float | None = None,
    ) -> None:
        if kernel.motion.name != "differential":
            raise ValueError(
                f"the kernel's motion is {kernel.motion.name}; this controller turns in place: differential"
            )
        if abs(grid.resolution_m - kernel.resolution_m) > 1e-9:
            raise ValueError(
                f"the map has cells of {grid.resolution_m} m, the kernel {kernel.resolution_m} m; make them equal"
            )
        if period_s is not None and abs(period_s - kernel.dt_s) > 0.05 * kernel.dt_s:
            raise ValueError(
                f"the loop's period is {period_s:g} s, a step of the kernel {kernel.dt_s:g} s; the warm start "
                "shifts by one step a period, so make them equal"
            )
        self.kernel = kernel
        self._run = run
        self._grid = grid
        self._parameters = parameters or ControllerParameters()
        self._noise = Noise(kernel, seed)
        self._map = LocalMap(grid, (kernel.rows, kernel.cols), kernel.costs.safe_m + 0.15)
        self._outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}
        self._progress = Progress(self._parameters.blocked_after_s)
        self._route: Route | None = None
        self._sequence = np.zeros((kernel.steps, 2), np.float32)

    def follow(self, route: Route) -> None:
        """Take up a route from standstill or on the move; forgets the last one, and restarts the noise."""
        self._route = route
        self._guide = guide_of(route)
        self._turning = self._settling = False
        self._noise.restart()
        self._progress.restart()
        self._sequence = np.zeros_like(self._sequence)

    def stop(self) -> None:
        """Drop the route: decisions brake from now on, with status `idle`."""
        self._route = None

    def command(self, state: RobotState, scan: LaserScan | None, sent: Command | None = None) -> ControlDecision:
        """Decide for the coming period.

        `sent` is what the base was last told (after the gate): where that is near the measured speed, ramps start from
        it, so that a base that answers late is not slowed further. Mutates the warm start. Never raises.
        """
        try:
            if not state.finite:
                return self._braking(replace(state, v_mps=0.0, w_rps=0.0), "failed", "the state is not finite")
            return self._decide(_ramped_from(state, sent), scan)
        except Exception as error:  # a raise here would leave the base on its last command
            return self._braking(state, "failed", f"{type(error).__name__}: {error}")

    def shifted(self) -> Field:
        """The last sequence one period later, for a period that missed its deadline; also becomes the warm start."""
        self._sequence = shifted(self._sequence)
        return np.array(self._sequence)

    def _decide(self, state: RobotState, scan: LaserScan | None) -> ControlDecision:
        route = self._route
        if route is None:
            return self._braking(state, "idle", "")
        if self._settles(state, route):
            return self._settle(state, route)
        error = self._heading_error(state)
        if self._turns(state, route, error):
            return self._keep(turning_sequence(self.kernel, state.v_mps, state.w_rps, error), "turning")
        return self._drive(state, scan)

    def _settles(self, state: RobotState, route: Route) -> bool:
        """When braking now ends close to the goal, or in tolerance with the goal no longer ahead; until it is left."""
        brake_m = state.v_mps * abs(state.v_mps) / (2 * self.kernel.motion.channels[0].rate)
        dx = route.goal.x - state.x - brake_m * math.cos(state.yaw)
        dy = route.goal.y - state.y - brake_m * math.sin(state.yaw)
        end_m = math.hypot(dx, dy)
        ahead = dx * math.cos(state.yaw) + dy * math.sin(state.yaw) > _AHEAD * end_m
        close_m = min(self._parameters.settle_m, route.goal.tolerance_m)
        enough_m = route.goal.tolerance_m if self._settling else close_m if ahead else 0.7 * route.goal.tolerance_m
        self._settling = end_m <= enough_m
        return self._settling

    def _settle(self, state: RobotState, route: Route) -> ControlDecision:
        self._turning = False
        error = 0.0 if route.goal.yaw is None else wrapped(route.goal.yaw - state.yaw)
        still = abs(state.v_mps) < _STILL_V_MPS and abs(state.w_rps) < _STILL_W_RPS
        if still and abs(error) <= 0.5 * route.goal.yaw_tolerance:
            return self._braking(state, "arrived", "")
        return self._keep(turning_sequence(self.kernel, state.v_mps, state.w_rps, error), "settling")

    def _turns(self, state: RobotState, route: Route, error: float) -> bool:
        """Turn in place when slow and heading far off the way, until it is nearly straight ahead."""
        p = self._parameters
        away_m = math.hypot(route.goal.x - state.x, route.goal.y - state.y)
        if self._turning:
            self._turning = abs(error) > p.turn_to_rad
        else:
            self._turning = (
                abs(error) > p.turn_from_rad and abs(state.v_mps) < p.turn_below_mps and away_m > p.turn_beyond_m
            )
        return self._turning

    def _heading_error(self, state: RobotState) -> float:
        """From the robot's heading to the way down the guide, a little ahead."""
        cell = self._grid.cell_of(state.x, state.y)
        if not self._grid.inside(cell):
            return 0.0
        steps = round(self._parameters.look_ahead_m / self._grid.resolution_m)
        cells = descend(self._guide, cell, steps)
        x, y = self._grid.centre_of(cells[-1])
        if len(cells) <= steps and self._route is not None:
            x, y = self._route.goal.x, self._route.goal.y
        return wrapped(math.atan2(y - state.y, x - state.x) - state.yaw)

    def _drive(self, state: RobotState, scan: LaserScan | None) -> ControlDecision:
        nominal = shifted(self._sequence)
        corner = self._map.corner(state.x, state.y)
        points = np.empty((0, 2)) if scan is None else moved(points_in_base(scan), scan.taken_at or state.pose)
        fields = np.stack([self._map.clearance(corner, points), self._map.guide(self._guide, corner)])
        x0, y0 = self._grid.centre_of(corner)
        seen = np.array([state.x - x0, state.y - y0, wrapped(state.yaw), state.v_mps, state.w_rps], np.float32)
        inputs = {"state": seen, "nominal": nominal, "noise": self._noise.draw(nominal), "fields": fields}
        self._run.run(inputs, self._outputs)
        return self._judged(state)

    def _judged(self, state: RobotState) -> ControlDecision:
        sequence = self._outputs["sequence"].copy()
        best, free = float(self._outputs["best_cost"][0]), float(self._outputs["free_share"][0])
        if not np.isfinite(sequence).all():
            return self._braking(state, "failed", "the kernel returned numbers that are not finite")
        row, col = self._grid.cell_of(state.x, state.y)
        rows, cols = self._guide.shape
        to_go = float(self._guide[min(max(row, 0), rows - 1), min(max(col, 0), cols - 1)])
        if self._progress.stalled(to_go, state.stamp_s):
            return self._keep(sequence, "blocked", "no progress towards the goal", best, free)
        if free == 0.0:
            return self._keep(sequence, "blocked", "every rollout meets an obstacle", best, free)
        return self._keep(sequence, "driving", "", best, free)

    def _braking(self, state: RobotState, status: Status, reason: str) -> ControlDecision:
        return self._keep(braking_sequence(self.kernel, state.v_mps, state.w_rps), status, reason)

    def _keep(
        self, sequence: Field, status: Status, reason: str = "", best_cost: float = 0.0, free_share: float = 1.0
    ) -> ControlDecision:
        self._sequence = sequence
        v, w = float(sequence[0, 0]), float(sequence[0, 1])
        return ControlDecision(v, w, sequence, status, reason, best_cost, free_share)


def _ramped_from(state: RobotState, sent: Command | None) -> RobotState:
    if sent is None or not sent.finite or abs(sent.v_mps - state.v_mps) > 0.2 or abs(sent.w_rps - state.w_rps) > 0.8:
        return state
    return replace(state, v_mps=sent.v_mps, w_rps=sent.w_rps)
