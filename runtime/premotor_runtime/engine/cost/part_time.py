"""How long a part of a step takes that is always much alike, such as what the engine itself does after the model."""

from __future__ import annotations

_MOST_GROWTH = 2.0
_EASING = 0.02


class PartTime:
    """`expected_s` follows longer times at once, though one at most doubles it, and shorter ones slowly."""

    def __init__(self) -> None:
        self.expected_s = 0.0

    def note(self, seconds: float) -> None:
        """It took so long this time."""
        if self.expected_s == 0.0:
            self.expected_s = seconds
        elif seconds > self.expected_s:
            self.expected_s = min(seconds, _MOST_GROWTH * self.expected_s)
        else:
            self.expected_s += _EASING * (seconds - self.expected_s)
