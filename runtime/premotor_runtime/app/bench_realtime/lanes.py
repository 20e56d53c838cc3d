"""One second of a set-up as records: who held which core, when control was released, and what was missed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from premotor_runtime.app.bench_realtime.figures import Collected, control_of, llm_of
from premotor_runtime.app.bench_realtime.messages import ControlFound, LlmFound
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.app.bench_realtime.slices import SetUp
from premotor_runtime.app.bench_realtime.statistics import Grid, answers
from premotor_runtime.executor.records import Instant, Record, Span
from premotor_runtime.scheduler.perfetto import trace

CONTROL, LLM, RELEASE, MISS = "control", "LLM", "release", "deadline missed"
SHOWN_S = 1.0
ROWS: dict[SetUp, tuple[str, str]] = {
    "naive": ("one thread", "one thread"),
    "threads": ("control's thread", "engine's thread"),
    "own_lane": ("core 1, reflex", "core 0, brain"),
    "shared_lane": ("core 0, both", "core 0, both"),
}
"""Where control and where the engine is drawn."""


@dataclass(frozen=True)
class Second:
    """Records of `name` from `start_s` on, for `SHOWN_S` seconds; spans that reach beyond are cut."""

    name: SetUp
    start_s: float
    records: tuple[Record, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        """Its lanes, control's first."""
        return tuple(dict.fromkeys(ROWS[self.name]))


def typical_second(collected: Collected, name: SetUp) -> Second:
    """The second of the counted ones whose misses are nearest to the set-up's mean, the first of several."""
    control = control_of(collected, name)
    shown = max(1, round(SHOWN_S / TIMING.period_s))
    missed = [answers(grid, control.periods, TIMING.deadline_ms * 1e-3).missed.tolist() for grid in control.grids]
    counts = [
        (sum(each[at : at + shown]), number, at)
        for number, each in enumerate(missed)
        for at in range(0, max(1, len(each) - shown + 1), shown)
    ]
    mean = sum(map(sum, missed)) / max(1, sum(map(len, missed))) * shown
    _, number, at = min(counts, key=lambda count: abs(count[0] - mean))
    grid = control.grids[number]
    start = float(grid.releases_s[at])
    spans = [*_control_spans(control, name), *_llm_spans(llm_of(collected, name), name)]
    instants = _instants(grid, missed[number], name)
    return Second(name, start, tuple(_within([*spans, *instants], start)))


def trace_of(seconds: Sequence[Second]) -> str:
    """As Perfetto's JSON: a row for each lane of each set-up, all from 0 on."""
    return trace([_moved(each, second) for second in seconds for each in second.records])


def _moved(record: Record, second: Second) -> Record:
    lane, start = f"{second.name}: {record.lane}", second.start_s
    if isinstance(record, Span):
        return Span(lane, record.name, record.start_s - start, record.end_s - start, record.args)
    return Instant(lane, record.name, record.at_s - start, record.args)


def _control_spans(found: ControlFound, name: SetUp) -> list[Record]:
    return [Span(ROWS[name][0], CONTROL, each.started_s, each.acted_s) for each in found.periods]


def _llm_spans(found: LlmFound, name: SetUp) -> list[Record]:
    lane = ROWS[name][1]
    return [
        Span(lane, LLM, each.start_s, each.end_s, {"prompt": each.prompt_tokens, "output": each.output_tokens})
        for each in found.steps
    ]


def _instants(grid: Grid, missed: Sequence[bool], name: SetUp) -> list[Record]:
    lane = ROWS[name][0]
    return [
        Instant(lane, MISS if late else RELEASE, at)
        for at, late in zip(grid.releases_s.tolist(), missed, strict=True)
    ]  # fmt: skip


def _within(records: Sequence[Record], start_s: float) -> list[Record]:
    end_s = start_s + SHOWN_S
    found: list[Record] = []
    for each in records:
        if isinstance(each, Instant):
            found += [each] if start_s - 1e-6 <= each.at_s < end_s - 1e-6 else []
        elif each.end_s > start_s and each.start_s < end_s:
            cut = max(each.start_s, start_s), min(each.end_s, end_s)
            found.append(Span(each.lane, each.name, *cut, each.args))
    return found
