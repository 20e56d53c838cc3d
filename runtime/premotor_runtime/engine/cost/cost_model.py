"""How long a step will take: a linear model, learned from every step, and a high quantile of how wrong it was.

Pure: durations in, predictions out; it reads no clock. Coefficients are those of relative least squares with
forgetting, kept at or above zero (coordinate descent on the normal equations). The quantile is kept apart for each
power of two of the predicted duration, so that it also covers where the truth is not linear.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence
from itertools import islice
from operator import le, mul

QUANTILE = 0.99
WINDOW = 512
LIFETIME = 4096
TRUSTED_GROWTH = 2.0
OUTLIER = 3.0

_FORGETTING = 0.995
_SURE = 16
_SETTLED = 64
_STRIDE = 4
_ROUNDED_UP = 1.1
_FLOOR_S = 2e-5
_SHIFTS = 4
_LATEST = 16
_DOUBT = 0.3
_LONE = 1.5


class Ratios:
    """The last measured / predicted ratios, and a high one of them.

    Each is noted with the number of the step that it comes from, and forgotten when it is `LIFETIME` steps old: what a
    slow spell has left must not stand for ever just because nothing of that size was tried since.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[int, float]] = deque()
        self._sorted: list[float] = []

    def __len__(self) -> int:
        return len(self._recent)

    @property
    def high(self) -> float:
        """The `QUANTILE` of the last ratios (the largest while there are few); 1 without any.

        A single one far above all others is passed over. Never less than the second largest of the latest, so that a
        machine that slows down is noticed at once.
        """
        count = len(self._sorted)
        if count < 2:
            return self._sorted[0] if count else 1.0
        if count <= 1.0 / (1.0 - QUANTILE) and self._sorted[-1] > _LONE * self._sorted[-2]:
            return self._sorted[-2]
        latest = [ratio for _, ratio in islice(reversed(self._recent), _LATEST)]
        return max(self._sorted[min(count - 1, int(QUANTILE * count))], sorted(latest)[-2])

    @property
    def low(self) -> float:
        """The lowest of the last ratios; 1 without any."""
        return self._sorted[0] if self._sorted else 1.0

    def add(self, step: int, ratio: float) -> None:
        """Note one more, and forget the oldest of too many."""
        if len(self._recent) == WINDOW:
            self._forget()
        self._recent.append((step, ratio))
        insort(self._sorted, ratio)

    def age(self, step: int) -> None:
        """Forget what is too old at `step`."""
        while self._recent and self._recent[0][0] < step - LIFETIME:
            self._forget()

    def _forget(self) -> None:
        del self._sorted[bisect_left(self._sorted, self._recent.popleft()[1])]


class LinearCost:
    """Seconds as a non-negative linear function of features.

    `units[i]` is the smallest amount of feature i worth a first trial; feature 0 is the constant 1. What lies beyond
    `TRUSTED_GROWTH` times the largest amount measured so far is not predicted but called endless.
    """

    def __init__(self, units: Sequence[float]) -> None:
        size = len(units)
        self._units = tuple(units)
        self._gram = [[0.0] * size for _ in range(size)]
        self._moment = [0.0] * size
        self._gain = 1.0
        self._surprises: list[float] = []
        self._bins: dict[int, Ratios] = {}
        self._fastest: list[float] | None = None
        self.coefficients = [0.0] * size
        self.largest = [0.0] * size
        self.samples = 0
        self._steps = 0

    def mean(self, features: Sequence[float]) -> float:
        """The expected duration in seconds; 0 before anything was learned."""
        return float(sum(map(mul, self.coefficients, features)))

    def upper(self, features: Sequence[float]) -> float:
        """A duration in seconds that is hardly ever exceeded; infinity for what is far from anything measured."""
        growth = self._growth(features)
        if growth > TRUSTED_GROWTH or not self.samples:
            return math.inf
        mean = self.mean(features)
        return mean * self._margin(mean) * (1.0 if self.sure else growth)

    @property
    def sure(self) -> bool:
        """Whether enough was measured for a verdict."""
        return self.samples >= _SURE

    def lower(self, features: Sequence[float]) -> float:
        """What the same amount has taken at the best of times; 0 before anything was learned."""
        mean = self.mean(features)
        ratios = self._bins.get(_bin(mean))
        best = mean * min(1.0, ratios.low if ratios else 1.0)
        return best if self._fastest is None else min(best, sum(map(mul, self._fastest, features)))

    def learn(self, features: Sequence[float], seconds: float) -> None:
        """Take one measured step into account.

        A duration of more than `OUTLIER` times the expected one moves the coefficients only when several come in a
        row, for then the machine has changed; the quantile sees it at once.
        """
        mean = self.mean(features)
        known = all(map(le, features, self.largest))
        self._steps += 1
        if mean > 0.0 and known and self.sure:
            self._ratios(mean).add(self._steps, seconds / mean)
        if known and self.sure and not mean / OUTLIER < seconds + _FLOOR_S < (mean + _FLOOR_S) * OUTLIER:
            self._surprises.append(seconds)
            if len(self._surprises) < _SHIFTS:
                return
            self._remember(features)
            self._start_over()
            known = False
        self._surprises.clear()
        self.samples += 1
        if not known:
            self.largest = [max(seen, _ROUNDED_UP * x) for seen, x in zip(self.largest, features, strict=True)]
        elif self.samples > _SETTLED and self.samples % _STRIDE:
            return
        self._accumulate(features, seconds)
        if self.samples % _SETTLED == 0:
            self._remember(features)

    def _remember(self, features: Sequence[float]) -> None:
        if self._fastest is None or self.mean(features) < sum(map(mul, self._fastest, features)):
            self._fastest = list(self.coefficients)

    def _start_over(self) -> None:
        # the old equations would outvote the new truth for hundreds of steps
        self._gain *= 1e3
        self._bins.clear()
        if self._gain > 1e12:
            self._rescale()

    def _accumulate(self, features: Sequence[float], seconds: float) -> None:
        active = [i for i, x in enumerate(features) if x]
        self._gain /= _FORGETTING
        weight = self._gain / max(seconds, _FLOOR_S) ** 2
        for i in active:
            scaled = weight * features[i]
            row = self._gram[i]
            for j in active:
                row[j] += scaled * features[j]
            self._moment[i] += scaled * seconds
        self._descend(active)
        if self._gain > 1e12:
            self._rescale()

    def _descend(self, active: Sequence[int]) -> None:
        found = self.coefficients
        for i in active:
            row = self._gram[i]
            rest = self._moment[i] - sum(map(mul, row, found)) + row[i] * found[i]
            found[i] = max(0.0, rest / row[i])

    def _rescale(self) -> None:
        self._gram = [[entry / self._gain for entry in row] for row in self._gram]
        self._moment = [entry / self._gain for entry in self._moment]
        self._gain = 1.0

    def _growth(self, features: Sequence[float]) -> float:
        if all(map(le, features, self.largest)):
            return 1.0
        worst = 1.0
        for x, seen, unit in zip(features, self.largest, self._units, strict=True):
            if x > seen:
                worst = max(worst, x / max(seen, unit))
        return worst

    def _margin(self, mean: float) -> float:
        here = self._bins.get(_bin(mean))
        if here is not None:
            here.age(self._steps)
        if here is not None and len(here) >= _SURE:
            return here.high
        rich = [ratios.high for ratios in self._bins.values() if len(ratios) >= _SURE]
        doubt = _DOUBT if self.sure else 1.0
        return max([1.0, *rich]) * (1.0 + doubt / (1 + (len(here) if here else 0)))

    def _ratios(self, mean: float) -> Ratios:
        return self._bins.setdefault(_bin(mean), Ratios())


def _bin(seconds: float) -> int:
    return math.frexp(seconds)[1]
