"""The dynamic window approach on the same surroundings: the baseline, and a fallback that costs little.

Fox, Burgard and Thrun, "The Dynamic Window Approach to Collision Avoidance" (1997), with the cost-to-go in the place of
the heading to the goal: constant pairs of speeds that can be reached soon, those out that cannot stop in time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.controller import ControlDecision, Status
from premotor_planners.motion.scan_points import Points
from premotor_planners.motion.state import STOP, Command, Goal, LaserScan, RobotState
from premotor_planners.motion.turning import braking_sequence
from premotor_planners.motion.window.actuation import Actuation
from premotor_planners.motion.window.surroundings import Seen, Surroundings

Arcs = NDArray[np.float64]


@dataclass(frozen=True)
class DwaParameters:
    """Samples of both speeds, how far they may be from now on (s), and how far arcs look ahead."""

    v_samples: int = 9
    w_samples: int = 21
    window_s: float = 0.25
    horizon_s: float = 1.6
    step_s: float = 0.1
    guide: float = 4.0
    near: float = 1.0
    margin_m: float = 0.02


class DwaController:
    """As `WindowController`, with the limits, the footprint and the costs' distances of `kernel`, which is not run."""

    def __init__(self, kernel: Mppi, surroundings: Surroundings, parameters: DwaParameters | None = None) -> None:
        self.kernel, self._surroundings = kernel, surroundings
        self._parameters = parameters or DwaParameters()
        rates = (kernel.motion.channels[0].rate, kernel.motion.channels[1].rate)
        self.actuation = Actuation(kernel.dt_s, rates)
        self._goal: Goal | None = None

    def restart(self) -> None:
        """As `WindowController.restart`."""
        self._surroundings.forget()
        self.actuation.restart()
        self.stop()

    def follow(self, goal: Goal) -> None:
        """Take up a goal."""
        self._goal = goal

    def stop(self) -> None:
        """Drop the goal."""
        self._goal = None

    def command(self, state: RobotState, scan: LaserScan | None, sent: Command | None = None) -> ControlDecision:
        """As `WindowController.command`. Never raises."""
        try:
            if not state.finite:
                return self._braking(STOP, "failed", "the state is not finite")
            self.actuation.note(sent or STOP, state)
            return self._decide(state, scan)
        except Exception as error:  # a raise here would leave the base on its last command
            return self._braking(STOP, "failed", f"{type(error).__name__}: {error}")

    def remembered(self, state: RobotState, scan: LaserScan) -> Points | None:
        """What is known of obstacles where the scan has no beams, for the gate."""
        return self._surroundings.remembered(state, scan)

    def _decide(self, state: RobotState, scan: LaserScan | None) -> ControlDecision:
        ahead, goal = self.actuation.ahead(state), self._goal
        if scan is not None:
            self._surroundings.take(scan, state)
        speeds = Command(ahead.v_mps, ahead.w_rps)
        if goal is None:
            return self._braking(speeds, "idle", "")
        if np.hypot(goal.x - ahead.x, goal.y - ahead.y) <= goal.tolerance_m:
            return self._braking(speeds, "arrived" if abs(state.v_mps) < 0.03 else "settling", "")
        return self._best(ahead, self._surroundings.seen(ahead, goal))

    def _best(self, ahead: RobotState, seen: Seen) -> ControlDecision:
        v, w = self._window(ahead)
        x, y, yaw = self._arcs(ahead, v, w)
        clearance = self._clearance(seen, x, y, yaw)
        costs, p = self.kernel.costs, self._parameters
        needed = np.minimum(costs.radius_m + p.margin_m, clearance[:1])  # what is too near may move away
        steps = np.arange(1, len(x) + 1)[:, None] * p.step_s
        stops = steps <= np.abs(v) / self.kernel.motion.channels[0].rate + 2 * p.step_s
        safe = ((clearance >= needed) | ~stops).all(axis=0)
        if not safe.any():
            return self._braking(Command(ahead.v_mps, ahead.w_rps), "blocked", "no arc stops in time")
        near = np.clip((costs.safe_m - clearance.min(axis=0)) / (costs.safe_m - costs.radius_m), 0.0, 1.0)
        hit = (clearance < needed).any(axis=0)
        to_go = _sampled(seen.fields[1], *seen.in_window(x[-1], y[-1]), seen.resolution_m)
        cost = p.guide * to_go + p.near * near + 2.0 * hit + np.where(safe, 0.0, np.inf)
        best = int(np.argmin(cost))
        sequence = np.tile(np.array([v[best], w[best]], np.float32), (self.kernel.steps, 1))
        return ControlDecision(
            float(v[best]), float(w[best]), sequence, "driving", "", float(cost[best]), float(safe.mean())
        )

    def _window(self, ahead: RobotState) -> tuple[Arcs, Arcs]:
        """All pairs of reachable speeds, each (samples,)."""
        p = self._parameters
        axes = []
        for channel, now, count in zip(
            self.kernel.motion.channels, (ahead.v_mps, ahead.w_rps), (p.v_samples, p.w_samples), strict=True
        ):
            reach = channel.rate * p.window_s
            axes.append(np.linspace(max(channel.low, now - reach), min(channel.high, now + reach), count))
        v, w = np.meshgrid(*axes, indexing="ij")
        return v.ravel(), w.ravel()

    def _arcs(self, ahead: RobotState, v: Arcs, w: Arcs) -> tuple[Arcs, Arcs, Arcs]:
        """Poses along each, (steps, samples)."""
        p = self._parameters
        times = np.arange(1, round(p.horizon_s / p.step_s) + 1)[:, None] * p.step_s
        half = w * times / 2
        chord = v * times * np.sinc(half / np.pi)
        middle = ahead.yaw + half
        return ahead.x + chord * np.cos(middle), ahead.y + chord * np.sin(middle), middle + half

    def _clearance(self, seen: Seen, x: Arcs, y: Arcs, yaw: Arcs) -> Arcs:
        plane, size = seen.fields[0], seen.resolution_m
        cos, sin = np.cos(yaw), np.sin(yaw)
        discs = [_sampled(plane, *seen.in_window(x + d * cos, y + d * sin), size) for d in self.kernel.body_m]
        least: Arcs = np.min(discs, axis=0)
        return least

    def _braking(self, speeds: Command, status: Status, reason: str) -> ControlDecision:
        sequence = braking_sequence(self.kernel, speeds.v_mps, speeds.w_rps)
        return ControlDecision(float(sequence[0, 0]), float(sequence[0, 1]), sequence, status, reason)


def _sampled(plane: Field, x: Arcs, y: Arcs, resolution_m: float) -> Arcs:
    """The nearest cell's value."""
    rows = np.clip(np.rint(y / resolution_m), 0, plane.shape[0] - 1).astype(np.intp)
    cols = np.clip(np.rint(x / resolution_m), 0, plane.shape[1] - 1).astype(np.intp)
    values: Arcs = plane[rows, cols].astype(np.float64)
    return values
