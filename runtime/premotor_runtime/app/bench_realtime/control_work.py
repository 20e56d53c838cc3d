"""The work of one control period: costmap, cspace, cost_to_go, mppi, and the gate over the command."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_planners.costmap.costmap import Costmap
from premotor_planners.costmap.settings import CostmapSettings
from premotor_planners.costmap.window import CostWindow
from premotor_planners.kernels.cost_to_go import STRAIGHT, CostToGo
from premotor_planners.kernels.cspace import CSpace
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.motion.footprint import ConvexPolygon
from premotor_planners.motion.gate import SafetyGate
from premotor_planners.motion.noise import Noise
from premotor_planners.motion.state import Command, Goal, LaserScan, RobotState, wrapped
from premotor_planners.motion.stopping import Braking
from premotor_planners.motion.turning import braking_sequence, shifted

CELLS = 128
HEADINGS = 16
ROLLOUTS, STEPS = 1000, 56
_RESOLUTION_M = 0.05
_OUTLINE_M = ((0.25, 0.2), (-0.25, 0.2), (-0.25, -0.2), (0.25, -0.2))
_DISCS_M = (-0.19, -0.065, 0.065, 0.19)
_DISC_RADIUS_M = 0.22
_SEED = 1


class ControlWork:
    """Compiled for one core; not for several threads. Each period warm-starts from the last one.

    Raises CompileRefused and BuildError where there is no compiler: nothing slower is measured instead.
    """

    def __init__(self, period_s: float) -> None:
        device = CpuDevice(1, "native")
        self._footprint = ConvexPolygon(_OUTLINE_M)
        self._costmap = Costmap(self._footprint, CostmapSettings(CELLS, CELLS, _RESOLUTION_M))
        self._cspace, self._field = CSpace(CELLS, CELLS, HEADINGS, _OUTLINE_M), CostToGo(CELLS, CELLS)
        self._mppi = _mppi(period_s)
        self._noise = Noise(self._mppi, _SEED)
        self._run_cspace, self._run_field = device.compile(self._cspace), device.compile(self._field)
        self._run_mppi = device.compile(self._mppi)
        self._spaces = {tensor.name: tensor.zeros() for tensor in self._cspace.outputs}
        self._reach, self._reached = self._field.inputs[0].zeros(), self._field.outputs[0].zeros()
        self._fields = np.zeros((2, CELLS, CELLS), np.float32)
        self._decided = {tensor.name: tensor.zeros() for tensor in self._mppi.outputs}
        self._sequence = self._decided["sequence"]
        forward, turn = self._mppi.motion.channels
        limits = (forward.high, -forward.low, turn.high)
        self._gate = SafetyGate(self._footprint, Braking(forward.rate, turn.rate), *limits, reaction_s=3 * period_s)

    def decide(self, state: RobotState, scan: LaserScan, goal: Goal) -> Command:
        """The command that MPPI wants for this period; its sequence is the next warm start."""
        window = self._costmap.update(state.pose, scan, state.stamp_s)
        free = self._free(window, goal)
        self._run_field.run({"reach": self._reach, "free": free}, {"reach_next": self._reached})
        self._fields[0] = window.distance_m
        self._fields[1] = (self._field.limit - self._reached[0, 0]) * np.float32(_RESOLUTION_M / STRAIGHT)
        self._run_mppi.run(self._given(window, state), self._decided)
        self._sequence = self._decided["sequence"].copy()
        return self._first()

    def prepare(self) -> None:
        """Draw the noise of the next period now."""
        self._noise.prepare()

    def shifted(self) -> Command:
        """The last sequence, one period on."""
        self._sequence = shifted(self._sequence)
        return self._first()

    def brake(self, state: RobotState) -> Command:
        """Both speeds to zero as fast as the limits allow."""
        self._sequence = braking_sequence(self._mppi, state.v_mps, state.w_rps)
        return self._first()

    def guard(self, command: Command, scan: LaserScan, state: RobotState) -> Command:
        """What the safety gate lets through."""
        return self._gate.check(command, scan, state, state.stamp_s).command

    def _free(self, window: CostWindow, goal: Goal) -> NDArray[np.float32]:
        """Where the outline fits at some heading; seeds `reach` at the goal's cell, which counts as free."""
        self._run_cspace.run({"free": window.free()}, self._spaces)
        free = np.asarray(self._spaces["free_at"].max(axis=1, keepdims=True), np.float32)
        row, col = (min(max(cell, 0), CELLS - 1) for cell in window.cell_of(goal.x, goal.y))
        self._reach[...] = 0.0
        self._reach[0, 0, row, col] = self._field.limit
        free[0, 0, row, col] = 1.0
        return free

    def _given(self, window: CostWindow, state: RobotState) -> dict[str, NDArray[np.float32]]:
        half, nominal = _RESOLUTION_M / 2, shifted(self._sequence)
        x, y = (at - low - half for at, low in zip(state.pose[:2], window.origin_m, strict=True))
        start = np.array([x, y, wrapped(state.yaw), state.v_mps, state.w_rps], np.float32)
        return {"state": start, "nominal": nominal, "noise": self._noise.draw(nominal), "fields": self._fields}

    def _first(self) -> Command:
        return Command(float(self._sequence[0, 0]), float(self._sequence[0, 1]))


def _mppi(period_s: float) -> Mppi:
    costs = MppiCosts(radius_m=_DISC_RADIUS_M, safe_m=_DISC_RADIUS_M + 0.13)
    return Mppi(ROLLOUTS, STEPS, period_s, CELLS, CELLS, _RESOLUTION_M, costs=costs, body_m=_DISCS_M)
