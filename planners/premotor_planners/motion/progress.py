"""Noticing that a robot no longer gets nearer to its goal."""

from __future__ import annotations

import math

_STEP_M = 0.05


class Progress:
    """Stalled once the distance to go has not shrunk by 5 cm for `after_s` seconds of the state's clock."""

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self._least = math.inf
        self._since: float | None = None

    def stalled(self, to_go_m: float, now_s: float) -> bool:
        """Take note of one distance; a clock that jumps back starts the wait anew."""
        if self._since is None or to_go_m < self._least - _STEP_M or now_s < self._since:
            self._least, self._since = to_go_m, now_s
        return now_s - self._since > self._after_s
