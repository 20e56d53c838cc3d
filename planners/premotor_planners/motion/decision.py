"""What a controller decides in one period, and the sequence that the next one starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.tensor import Field
from premotor_planners.motion.state import Command, RobotState
from premotor_planners.motion.turning import braking_sequence, shifted

Status = Literal["idle", "turning", "driving", "settling", "arrived", "blocked", "failed"]


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


class WarmStart:
    """The sequence decided last; every decision goes through here. `share` of a step passes from period to period."""

    def __init__(self, kernel: Mppi, share: float = 1.0) -> None:
        self._kernel, self._share = kernel, share
        self.restart()

    def restart(self) -> None:
        """Standing."""
        self._sequence: Field = np.zeros((self._kernel.steps, 2), np.float32)

    def nominal(self) -> Field:
        """The last sequence as it goes on from this period."""
        return shifted(self._sequence, self._share)

    def hold(self) -> Field:
        """As `nominal`, and the next one goes on from there: for a period in which nothing was decided."""
        self._sequence = self.nominal()
        return np.array(self._sequence)

    def keep(
        self, sequence: Field, status: Status, reason: str = "", best_cost: float = 0.0, free_share: float = 1.0
    ) -> ControlDecision:
        """A decision for this sequence."""
        self._sequence = sequence
        v, w = float(sequence[0, 0]), float(sequence[0, 1])
        return ControlDecision(v, w, sequence, status, reason, best_cost, free_share)

    def braking(self, state: RobotState, status: Status, reason: str = "") -> ControlDecision:
        """A decision to stop as fast as the limits allow."""
        return self.keep(braking_sequence(self._kernel, state.v_mps, state.w_rps), status, reason)
