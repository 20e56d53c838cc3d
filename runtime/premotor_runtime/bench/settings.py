"""What a benchmark run is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_foundation.errors import UsageError
from premotor_runtime.bench.bars import BANDWIDTH_SHARE, OPPONENTS, TABLE
from premotor_runtime.bench.case import Case
from premotor_runtime.bench.weights import shape
from premotor_runtime.models.config import ModelConfig

SECTIONS = ("speed", "batching", "prefix", "budget", "planning")
_STEPS = {"S": 128, "M": 32}
_FEW_STEPS = 16


@dataclass(frozen=True)
class BenchSettings:
    """`contests` are (model, precision), `cases` what is measured of each, `rounds` times.

    `runner` runs our side. `shapes` are the models by name.
    """

    contests: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...]
    rounds: int
    threads: int
    sections: tuple[str, ...] = SECTIONS
    runner: str = "native"
    shapes: dict[str, ModelConfig] = field(default_factory=dict)

    def shape(self, model: str) -> ModelConfig:
        """The shape of `model`. Raises UsageError."""
        return self.shapes.get(model) or shape(model)

    @property
    def models(self) -> tuple[str, ...]:
        """Models in order, each once."""
        return tuple(dict.fromkeys(model for model, _ in self.contests))


def steps(model: str) -> int:
    """Decode steps of one measurement: about half a second's worth, the same for every engine."""
    return _STEPS.get(model, _FEW_STEPS)


def choose_contests(models: str | None, precisions: str | None) -> tuple[tuple[str, str], ...]:
    """Every named model at every named precision; without names, those that have a bar. Raises UsageError."""
    with_bar = tuple(dict.fromkeys([*TABLE, *BANDWIDTH_SHARE]))
    if models is None and precisions is None:
        return with_bar
    wanted = words(models) if models is not None else tuple(dict.fromkeys(model for model, _ in with_bar))
    chosen = words(precisions) if precisions is not None else tuple(OPPONENTS)
    for model in wanted:
        shape(model)
    if unknown := [each for each in chosen if each not in OPPONENTS]:
        raise UsageError(f"the precision is `{unknown[0]}`; give some of {', '.join(OPPONENTS)}")
    return tuple((model, precision) for model in wanted for precision in chosen)


def choose_cases(batches: str) -> tuple[Case, ...]:
    """Decode at each of the batch sizes, and prefill. Raises UsageError."""
    sizes = words(batches)
    if bad := [size for size in sizes if not size.isdecimal() or not 1 <= int(size) <= 64]:
        raise UsageError(f"the batch size is `{bad[0]}`; give whole numbers from 1 to 64")
    return (*(Case("decode", int(size)) for size in sizes), Case("prefill", 1))


def choose_sections(only: Sequence[str]) -> tuple[str, ...]:
    """The named sections in the usual order, all without names. Raises UsageError."""
    if unknown := [name for name in only if name not in SECTIONS]:
        raise UsageError(f"there is no section `{unknown[0]}`; give some of {', '.join(SECTIONS)}")
    return tuple(name for name in SECTIONS if name in only) if only else SECTIONS


def words(text: str) -> tuple[str, ...]:
    """The parts of a list with commas, each once. Raises UsageError for an empty one."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise UsageError(f"`{text}` names nothing; give one or more, with commas between them")
    return parts
