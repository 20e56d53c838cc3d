"""How long nobody has served: what the reflex knows of the brain without asking anybody. Pure."""

from __future__ import annotations

from premotor_runtime.processes.heartbeats import Beat, Phase
from premotor_runtime.processes.watch import LONGEST_GAP_S


class Absence:
    """Counts on the caller's clock from the last change of a serving heartbeat. Before the first nobody is missed.

    Gaps between two calls count as in `watch.Watch`.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._heard: tuple[int, int] | None = None
        self._asked_s = 0.0
        self._absent_s = 0.0

    def lasts_too_long(self, beat: Beat, now_s: float) -> bool:
        """Whether more than the limit has passed."""
        self._absent_s += min(LONGEST_GAP_S, max(0.0, now_s - self._asked_s))
        self._asked_s = now_s
        heard = (beat.pid, beat.counter)
        if beat.phase is Phase.SERVING and beat.counter > 0 and heard != self._heard:
            self._heard, self._absent_s = heard, 0.0
        return self._heard is not None and self._absent_s > self._limit_s
