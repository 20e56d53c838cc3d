"""Getting away from where the gate lets nothing pass: short slow arcs, the one with the most room first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from premotor_planners.motion.state import Command, RobotState
from premotor_planners.motion.window.surroundings import Seen

_SPEEDS = ((-0.3, 0.0), (0.3, 0.0), (-0.25, 0.6), (-0.25, -0.6), (0.25, 0.6), (0.25, -0.6), (0.0, 0.8), (0.0, -0.8))
_ARCS = tuple(Command(v, w) for v, w in _SPEEDS)
_AHEAD_S = (0.3, 0.6, 0.9)
_PATIENCE = 8
"""Periods without motion, though some was asked for, after which an escape begins."""
_LASTS = 16
"""Periods that one escape is kept up."""


class Escape:
    """Told every period what was asked for and what was sent; not for several threads."""

    def __init__(self, offsets_m: Sequence[float]) -> None:
        self._offsets = tuple(offsets_m)
        self.restart()

    def restart(self) -> None:
        """Nothing has been refused."""
        self._refused = self._left = self._tried = 0
        self._arc = Command(0.0, 0.0)
        self._free_since = 0

    def note(self, asked: Command, sent: Command) -> None:
        """`asked` was the last decision, `sent` what the gate made of it."""
        wanted = abs(asked.v_mps) > 0.02 or abs(asked.w_rps) > 0.05
        stood = abs(sent.v_mps) < 1e-3 and abs(sent.w_rps) < 1e-3
        self._refused = self._refused + 1 if wanted and stood else 0
        self._free_since = 0 if stood else self._free_since + 1
        if self._free_since > 60:
            self._tried = 0

    def arc(self, ahead: RobotState, seen: Seen) -> Command | None:
        """What to do instead of the controller's own wish, None for that."""
        if self._left > 0 and self._refused < _PATIENCE // 2:
            self._left -= 1
            return self._arc
        self._left = 0
        if self._refused < _PATIENCE:
            return None
        ranked = sorted(_ARCS, key=lambda arc: -self._room(arc, ahead, seen))
        self._arc = ranked[self._tried % len(ranked)]
        self._tried, self._left, self._refused = self._tried + 1, _LASTS, 0
        return self._arc

    def _room(self, arc: Command, ahead: RobotState, seen: Seen) -> float:
        """The least clearance of the footprint's discs along an arc, what comes later weighing more."""
        total = 0.0
        for after in _AHEAD_S:
            middle, yaw = ahead.yaw + arc.w_rps * after / 2, ahead.yaw + arc.w_rps * after
            x = ahead.x + arc.v_mps * after * math.cos(middle)
            y = ahead.y + arc.v_mps * after * math.sin(middle)
            total += min(seen.clearance_at(x + d * math.cos(yaw), y + d * math.sin(yaw)) for d in self._offsets)
        return total
