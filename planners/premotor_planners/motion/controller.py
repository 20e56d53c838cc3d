"""The local controller: MPPI over a compiled kernel, with turns in place at the start and at the goal.

Within the loop a failure is a value: `command` returns a decision whose status is `failed` and whose sequence brakes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from premotor_planners.costmap.costmap import Costmap
from premotor_planners.costmap.window import CostWindow
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Compiled, Field
from premotor_planners.motion.decision import ControlDecision, Status, WarmStart
from premotor_planners.motion.following import Following
from premotor_planners.motion.goal_guide import guide_window
from premotor_planners.motion.local_obstacles import clearance_of
from premotor_planners.motion.progress import Progress
from premotor_planners.motion.rollout_level import RolloutLevel
from premotor_planners.motion.route import Route
from premotor_planners.motion.state import Command, LaserScan, RobotState, wrapped
from premotor_planners.motion.timing import steps_per_period
from premotor_planners.motion.turning import turning_sequence

__all__ = ["ControlDecision", "Controller", "ControllerParameters", "Status"]

_STILL_V_MPS = 0.03
_STILL_W_RPS = 0.08


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


class Controller:
    """Follows one route at a time. Not for several threads. Equal seeds and inputs give equal decisions.

    `costmap` tells of obstacles and has the size of the kernels. `kernels` are each with its compiled form: the full
    one, then smaller ones of fewer rollouts for periods that must take less time; the warm start goes over from one to
    another. `period_s`, where given, is checked against the kernel's step. Raises ValueError where these do not fit.
    """

    def __init__(
        self,
        kernels: Sequence[tuple[Mppi, Compiled]],
        costmap: Costmap,
        seed: int = 0,
        parameters: ControllerParameters | None = None,
        period_s: float | None = None,
    ) -> None:
        self.kernel = kernel = kernels[0][0]
        for each, _ in kernels:
            _check(each, kernel, costmap)
        self.costmap = costmap
        self._levels = [RolloutLevel(each, run, seed) for each, run in kernels]
        self._used = self._levels[0]
        self._seed = seed
        self._parameters = parameters or ControllerParameters()
        self._progress = Progress(self._parameters.blocked_after_s)
        self._turn_progress = Progress(self._parameters.blocked_after_s, step=0.05)
        self._warm = WarmStart(kernel, 1.0 if period_s is None else steps_per_period(period_s, kernel.dt_s))
        self._reach_m = costmap.footprint.reach_m
        self._following: Following | None = None

    @property
    def levels(self) -> int:
        """How many smaller versions there are."""
        return len(self._levels) - 1

    def follow(self, route: Route) -> None:
        """Take up a route from standstill or on the move; forgets the last one, and restarts the noise.

        Raises ValueError for a route on cells of another size than the kernel's.
        """
        if abs(route.grid.resolution_m - self.kernel.resolution_m) > 1e-9:
            raise ValueError(
                f"the route lies on cells of {route.grid.resolution_m} m, the kernel's have "
                f"{self.kernel.resolution_m} m; make them equal"
            )
        self._following = Following(self.kernel, route, self._parameters.look_ahead_m)
        self._turning = self._settling = False
        for level in self._levels:
            level.restart()
        self._progress.restart()
        self._turn_progress.restart()
        self._warm.restart()

    def stop(self) -> None:
        """Drop the route: decisions brake from now on, with status `idle`."""
        self._following = None

    def command(
        self, state: RobotState, scan: LaserScan | None, sent: Command | None = None, level: int = 0
    ) -> ControlDecision:
        """Decide for the coming period, with the kernel of `level` (the smallest for one beyond it).

        `sent` is what the base was last told (after the gate): where that is near the measured speed, ramps start from
        it, so that a base that answers late is not slowed further. Mutates the warm start. Never raises.
        """
        try:
            if not state.finite:
                return self._warm.braking(replace(state, v_mps=0.0, w_rps=0.0), "failed", "the state is not finite")
            return self._decide(_ramped_from(state, sent), scan, self._levels[min(max(level, 0), self.levels)])
        except Exception as error:  # a raise here would leave the base on its last command
            return self._warm.braking(state, "failed", f"{type(error).__name__}: {error}")

    def prepare(self) -> None:
        """Do now what the next command needs and does not depend on what will be seen: it is the same, and sooner."""
        self._used.prepare()

    def shifted(self) -> Field:
        """The last sequence one period later, for a period that missed its deadline; also becomes the warm start."""
        return self._warm.hold()

    def twin(self) -> Controller:
        """Another one with the same kernels, on a costmap of its own that has no map."""
        kernels = [(level.kernel, level.compiled) for level in self._levels]
        costmap = Costmap(self.costmap.footprint, self.costmap.settings)
        return Controller(kernels, costmap, self._seed, self._parameters)

    def _decide(self, state: RobotState, scan: LaserScan | None, level: RolloutLevel) -> ControlDecision:
        window = self.costmap.update(state.pose, scan, state.stamp_s)
        way = self._following
        if way is None:
            return self._warm.braking(state, "idle")
        if way.advance(state):
            self._turn_progress.restart()
        if way.last_leg and self._settles(state, way.route):
            return self._settle(state, way.route)
        error = way.heading_error(state)
        if way.on_the_spot or self._turns(state, way.route, error, window):
            return self._turn(state, error)
        return self._drive(state, window, way, level)

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
            return self._warm.braking(state, "arrived")
        return self._turn(state, error, "settling")

    def _turns(self, state: RobotState, route: Route, error: float, window: CostWindow) -> bool:
        """Turn in place when slow, with room, and heading far off the way, until it is nearly straight ahead."""
        p = self._parameters
        away_m = math.hypot(route.goal.x - state.x, route.goal.y - state.y)
        if self._turning:
            self._turning = abs(error) > p.turn_to_rad
        elif abs(error) > p.turn_from_rad and abs(state.v_mps) < p.turn_below_mps and away_m > p.turn_beyond_m:
            self._turning = self._has_room_to_turn(state, window)
        return self._turning

    def _has_room_to_turn(self, state: RobotState, window: CostWindow) -> bool:
        """A round robot always has; another one must not swing a corner into something."""
        cell = window.cell_of(state.x, state.y)
        return len(self.kernel.body_m) == 1 or (
            window.inside(cell) and float(clearance_of(window)[cell]) >= self._reach_m
        )

    def _turn(self, state: RobotState, error: float, status: Status = "turning") -> ControlDecision:
        sequence = turning_sequence(self.kernel, state.v_mps, state.w_rps, error)
        if self._turn_progress.stalled(abs(error), state.stamp_s):
            self._turning = False
            return self._warm.keep(sequence, "blocked", "the robot does not turn")
        return self._warm.keep(sequence, status)

    def _drive(self, state: RobotState, window: CostWindow, way: Following, level: RolloutLevel) -> ControlDecision:
        self._turn_progress.restart()
        corner = way.route.grid.cell_of(*window.centre_of((0, 0)))
        fields = np.stack([clearance_of(window), guide_window(way.guide, corner, window.shape)])
        x0, y0 = window.centre_of((0, 0))
        self._used = level
        seen = np.array([state.x - x0, state.y - y0, wrapped(state.yaw), state.v_mps, state.w_rps], np.float32)
        found = level.run(seen, self._warm.nominal(), fields, way.tracked(state))
        if not np.isfinite(found.sequence).all():
            return self._warm.braking(state, "failed", "the kernel returned numbers that are not finite")
        if self._progress.stalled(way.left_m(state), state.stamp_s):
            return self._warm.keep(found.sequence, "blocked", "no progress towards the goal", *found.judged)
        if found.free_share == 0.0:
            return self._warm.keep(found.sequence, "blocked", "every rollout meets an obstacle", *found.judged)
        return self._warm.keep(found.sequence, "driving", "", *found.judged)


_AHEAD = 0.5
"""Cosine of the bearing below which the goal is beside or behind the robot: driving on gains nothing."""


def _check(kernel: Mppi, full: Mppi, costmap: Costmap) -> None:
    if kernel.motion.name != "differential":
        raise ValueError(f"the kernel's motion is {kernel.motion.name}; this controller turns in place: differential")
    seen = costmap.settings
    if (kernel.rows, kernel.cols) != (seen.rows, seen.cols) or abs(kernel.resolution_m - seen.resolution_m) > 1e-9:
        raise ValueError(
            f"the costmap has {seen.rows} x {seen.cols} cells of {seen.resolution_m} m, the kernel {kernel.rows} x "
            f"{kernel.cols} of {kernel.resolution_m} m; make them equal"
        )
    if replace(kernel, rollouts=full.rollouts) != full:
        raise ValueError("a smaller kernel may differ from the full one in its number of rollouts only")


def _ramped_from(state: RobotState, sent: Command | None) -> RobotState:
    if sent is None or not sent.finite or abs(sent.v_mps - state.v_mps) > 0.2 or abs(sent.w_rps - state.w_rps) > 0.8:
        return state
    return replace(state, v_mps=sent.v_mps, w_rps=sent.w_rps)
