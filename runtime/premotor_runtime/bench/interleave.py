"""Rounds in which contestants take turns, so that a disturbance of the machine meets all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from premotor_runtime.bench.case import Case, Contestant, Samples
from premotor_runtime.bench.errors import WorkerFailed

Measure = Callable[[Contestant, Case], float]


def turns(contestants: Sequence[Contestant], cases: Sequence[Case], round_number: int) -> list[tuple[Contestant, Case]]:
    """The order of one round: case by case, all contestants next to each other, and every other round reversed."""
    order = list(contestants) if round_number % 2 == 0 else list(reversed(contestants))
    return [(contestant, case) for case in cases for contestant in order]


def interleave(
    contestants: Sequence[Contestant],
    cases: Sequence[Case],
    rounds: int,
    measure: Measure,
    failed: Callable[[Contestant, str], None],
) -> Samples:
    """Measure tokens a second, `rounds` times each. A contestant that fails is reported once, then left out."""
    samples, out = Samples(), set()
    for number in range(rounds):
        for contestant, case in turns(contestants, cases, number):
            value = None
            if contestant not in out:
                try:
                    value = measure(contestant, case)
                except WorkerFailed as error:
                    out.add(contestant)
                    failed(contestant, str(error))
            samples.add(contestant, case, value)
    return samples
