"""How late a base obeys: a dead time and a lag, found from what was sent and what was measured.

The model: what is sent at a tick reaches the wheels `delay_s` later, and the speeds close the gap to it exponentially
with time constant `lag_s`. Every pair of a grid is run along, and the one whose speeds were nearest to the measured
ones lately is believed; before anything moved, the first guess is.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from premotor_planners.motion.state import STOP, Command, RobotState

_DELAYS_S = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_LAGS_S = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
_FORGET = 0.99
_TURN_WEIGHT = 0.1
"""Of a squared turn rate beside a squared speed."""
_CONVINCING = 0.9
"""Another pair takes over once its error is this share of the one believed."""
_FLOOR = 0.002


@dataclass(frozen=True)
class Response:
    """Dead time and lag."""

    delay_s: float = 0.05
    lag_s: float = 0.05

    @property
    def total_s(self) -> float:
        """When a command has had most of its effect."""
        return self.delay_s + self.lag_s


class Actuation:
    """Told of every period once; not for several threads. `rates` (m/s2, rad/s2) limit how fast speeds change."""

    def __init__(self, period_s: float, rates: tuple[float, float], guess: Response | None = None) -> None:
        self._period_s, self._rates = period_s, rates
        self._most = np.array([[rates[0]], [rates[1]]]) * period_s
        self._pairs = [Response(delay, lag) for delay in _DELAYS_S for lag in _LAGS_S]
        self._ticks = np.array([round(pair.delay_s / period_s) for pair in self._pairs])
        lags = np.array([pair.lag_s for pair in self._pairs])
        self._share = np.where(lags > 0, 1.0 - np.exp(-period_s / np.maximum(lags, 1e-9)), 1.0)
        self._guess = guess or Response()
        self.restart()

    def restart(self) -> None:
        """At rest, and nothing known."""
        self._sent: deque[Command] = deque([STOP] * (int(self._ticks.max()) + 2), maxlen=int(self._ticks.max()) + 2)
        self._speeds = np.zeros((2, len(self._pairs)))
        self._errors = np.zeros(len(self._pairs))
        self._believed = self._nearest(self._guess)

    @property
    def response(self) -> Response:
        """The pair believed."""
        return self._pairs[self._believed]

    def note(self, sent: Command, state: RobotState) -> None:
        """`sent` was in force from the last call to now; `state` holds the speeds measured now."""
        self._sent.appendleft(sent if sent.finite else STOP)
        commands = np.array([(c.v_mps, c.w_rps) for c in self._sent])
        change = self._share * (commands[self._ticks].T - self._speeds)
        self._speeds += np.clip(change, -self._most, self._most)
        miss = np.array([[state.v_mps], [state.w_rps]]) - self._speeds
        self._errors = _FORGET * self._errors + np.square(miss[0]) + _TURN_WEIGHT * np.square(miss[1])
        best = int(np.argmin(self._errors))
        if self._errors[best] + _FLOOR < _CONVINCING * self._errors[self._believed]:
            self._believed = best

    def ahead(self, state: RobotState) -> RobotState:
        """Where the base is once it has obeyed what was sent, at the speeds of the last command if the limits allow."""
        pair = self.response
        share = float(self._share[self._believed])
        ticks = int(self._ticks[self._believed])
        x, y, yaw, v, w = state.x, state.y, state.yaw, state.v_mps, state.w_rps
        pending = [self._sent[i] for i in range(ticks - 1, -1, -1)]
        pending += [self._sent[0]] * round(pair.lag_s / self._period_s)
        for command in pending:
            before = (v, w)
            v = v + _within(share * (command.v_mps - v), self._rates[0] * self._period_s)
            w = w + _within(share * (command.w_rps - w), self._rates[1] * self._period_s)
            mean_v, mean_w = (before[0] + v) / 2, (before[1] + w) / 2
            middle = yaw + mean_w * self._period_s / 2
            x += mean_v * math.cos(middle) * self._period_s
            y += mean_v * math.sin(middle) * self._period_s
            yaw += mean_w * self._period_s
        last, late_s = self._sent[0], pair.lag_s + self._period_s
        v += _within(last.v_mps - v, self._rates[0] * late_s)
        w += _within(last.w_rps - w, self._rates[1] * late_s)
        return RobotState(x, y, yaw, v, w, state.stamp_s + len(pending) * self._period_s)

    def _nearest(self, guess: Response) -> int:
        gaps = [abs(p.delay_s - guess.delay_s) + abs(p.lag_s - guess.lag_s) for p in self._pairs]
        return int(np.argmin(gaps))


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)
