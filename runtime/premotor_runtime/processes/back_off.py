"""When a process that failed is started again. Pure: time is an argument."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from premotor_foundation.strict_yaml import limited


@dataclass(frozen=True)
class RestartPolicy:
    """The first restart comes at once, the next after `base_delay_s`, each further one after twice the one before.

    At most `longest_delay_s`; and at most `most_restarts` in any `window_s`, after which the process counts as
    unavailable until the window has room again. A window without failures forgets them.
    """

    base_delay_s: float = limited(above=0.0, at_most=60.0, default=0.5)
    longest_delay_s: float = limited(above=0.0, at_most=3600.0, default=30.0)
    most_restarts: int = limited(at_least=0, at_most=100, default=5)
    window_s: float = limited(above=0.0, at_most=86_400.0, default=300.0)

    def __post_init__(self) -> None:
        """Refuse a longest delay below the first one."""
        if self.longest_delay_s < self.base_delay_s:
            raise ValueError(
                f"`longest_delay_s` is {self.longest_delay_s:g}; it must be at least `base_delay_s`, "
                f"{self.base_delay_s:g}"
            )


class Restart(NamedTuple):
    """Start again at `at_s`; `available` is False when that is only because the window will have room by then.

    `at_s` None: never again, the policy allows no restart.
    """

    at_s: float | None
    available: bool


class BackOff:
    """The restarts of late, and what the policy makes of the next failure."""

    def __init__(self, policy: RestartPolicy) -> None:
        self._policy = policy
        self._restarts: deque[float] = deque(maxlen=max(1, policy.most_restarts))
        self._latest_s = float("-inf")

    def failed(self, now_s: float) -> Restart:
        """The process failed at `now_s`; the answer counts as carried out. A clock that went back stands still."""
        policy = self._policy
        now_s = self._latest_s = max(now_s, self._latest_s)
        while self._restarts and self._restarts[0] + policy.window_s <= now_s:
            self._restarts.popleft()
        if policy.most_restarts == 0:
            return Restart(None, False)
        full = len(self._restarts) == policy.most_restarts
        at = max(now_s + self._delay_s(len(self._restarts)), self._restarts[-1] if self._restarts else now_s)
        if full:
            at = max(at, self._restarts[0] + policy.window_s)
        self._restarts.append(at)
        return Restart(at, not full)

    def _delay_s(self, restarts: int) -> float:
        if restarts == 0:
            return 0.0
        return min(self._policy.longest_delay_s, self._policy.base_delay_s * 2.0 ** (restarts - 1))
