"""How misses cluster: one in a hundred spread out is harmless to a robot, a hundred in a row are not."""

from __future__ import annotations

from dataclasses import dataclass

WINDOWS = (10, 50, 500)


@dataclass(frozen=True)
class Clusters:
    """`runs[n]` runs of n misses in succession; `worst[k]` the most misses among any k successive periods."""

    periods: int
    misses: int
    longest_run: int
    runs: dict[int, int]
    worst: dict[int, int]
    broken_windows: int


class MissCounter:
    """Counts as they come, in constant memory. For a firm task, windows of `k` with fewer than `m` kept are broken.

    `periods`, `misses` and `longest` (run) hold at any time; the rest is `counts`.
    """

    def __init__(self, m: int = 1, k: int = 1) -> None:
        self._m, self._k = m, k
        self._sizes = {*WINDOWS, k}
        self._last = 0
        self._mask = (1 << max(self._sizes)) - 1
        self._now = dict.fromkeys(self._sizes, 0)
        self._worst = dict.fromkeys(self._sizes, 0)
        self._runs: dict[int, int] = {}
        self._run = self.longest = self.periods = self.misses = self._broken = 0

    def add(self, missed: bool) -> None:
        """One more period."""
        self.periods += 1
        if not missed and not self._last:
            return
        self._slide(missed)
        if missed:
            self.misses += 1
            self._run += 1
            self.longest = max(self.longest, self._run)
        elif self._run:
            self._runs[self._run] = self._runs.get(self._run, 0) + 1
            self._run = 0

    def add_run(self, misses: int) -> None:
        """Many missed periods at once, as when the machine slept."""
        whole = max(self._sizes)
        for _ in range(min(misses, whole)):
            self.add(True)
        rest = misses - min(misses, whole)
        self.periods += rest
        self.misses += rest
        self._run += rest
        self._broken += rest if self._k > 1 else 0
        self.longest = max(self.longest, self._run)

    def counts(self) -> Clusters:
        """So far; a run that still lasts counts."""
        runs = dict(self._runs)
        if self._run:
            runs[self._run] = runs.get(self._run, 0) + 1
        worst = {size: self._worst[size] for size in WINDOWS}
        return Clusters(self.periods, self.misses, self.longest, runs, worst, self._broken)

    def _slide(self, missed: bool) -> None:
        for size in self._sizes:
            leaving = (self._last >> (size - 1)) & 1
            self._now[size] += missed - leaving
            self._worst[size] = max(self._worst[size], self._now[size])
        self._last = ((self._last << 1) | missed) & self._mask
        if self._k > 1 and self._now[self._k] > self._k - self._m:
            self._broken += 1
