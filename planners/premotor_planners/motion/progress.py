"""Noticing that a robot no longer gets nearer to its goal."""

from __future__ import annotations

import math


class Progress:
    """Stalled once what is left to go has not shrunk by `step` for `after_s` seconds of the state's clock."""

    def __init__(self, after_s: float, step: float = 0.05) -> None:
        self._after_s, self._step = after_s, step
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self._least = math.inf
        self._since: float | None = None

    def stalled(self, to_go: float, now_s: float) -> bool:
        """Take note of one distance or angle; a clock that jumps back starts the wait anew."""
        if self._since is None or to_go < self._least - self._step or now_s < self._since:
            self._least, self._since = to_go, now_s
        return now_s - self._since > self._after_s
