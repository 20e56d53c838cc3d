"""`timeline.json`: the mission's records in the Chrome trace-event format, which Perfetto opens; one row per lane.

Format: complete events (`ph` X), instants (`ph` i, thread scope) and metadata (`ph` M); times in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.executor.records import Instant, Record, Span

_PID = 1
Event = dict[str, Any]


def write_timeline(path: Path, records: Sequence[Record]) -> None:
    """Write the records whole or not at all; raises OSError, or ValueError for a span that ends before it starts."""
    trace = {"traceEvents": trace_events(records), "displayTimeUnit": "ms"}
    write_atomically(path, json.dumps(trace, allow_nan=False))


def trace_events(records: Sequence[Record]) -> list[Event]:
    """Metadata first, then spans and instants in order of time; the earliest record is at 0.

    Lanes get rows in order of first appearance in `records`. Spans of a lane must follow or contain each other for a
    row to show them; one that straddles another goes to a second row of that lane.
    """
    origin_s = min((_start(record) for record in records), default=0.0)
    rows = _Rows(_lanes(records))
    events = [_event(record, rows, origin_s) for record in sorted(records, key=_order)]
    return [*rows.metadata(), *events]


def _event(record: Record, rows: _Rows, origin_s: float) -> Event:
    event: Event = {"name": record.name, "pid": _PID, "ts": _us(_start(record) - origin_s), "args": dict(record.args)}
    if isinstance(record, Instant):
        return {**event, "ph": "i", "s": "t", "tid": rows.tid(record.lane, 0)}
    if record.end_s < record.start_s:
        raise ValueError(f"span `{record.name}` on `{record.lane}` ends at {record.end_s}, before {record.start_s}")
    return {**event, "ph": "X", "dur": _us(record.end_s - record.start_s), "tid": rows.tid_of_span(record)}


class _Rows:
    """Which row (thread id) a span goes to: the lane's first one on which it nests."""

    def __init__(self, lanes: Iterable[str]) -> None:
        self._open: dict[tuple[str, int], list[float]] = {}
        self._tids: dict[tuple[str, int], int] = {(lane, 0): tid for tid, lane in enumerate(lanes, start=1)}

    def tid(self, lane: str, row: int) -> int:
        return self._tids.setdefault((lane, row), len(self._tids) + 1)

    def tid_of_span(self, span: Span) -> int:
        row = 0
        while not self._nests(span, row):
            row += 1
        self._open[span.lane, row].append(span.end_s)
        return self.tid(span.lane, row)

    def _nests(self, span: Span, row: int) -> bool:
        ends = self._open.setdefault((span.lane, row), [])
        while ends and ends[-1] <= span.start_s:
            ends.pop()
        return not ends or span.end_s <= ends[-1]

    def metadata(self) -> list[Event]:
        events = [_metadata("process_name", 0, name="premotor mission")]
        for index, ((lane, row), tid) in enumerate(sorted(self._tids.items(), key=self._sorted_by_lane)):
            events.append(_metadata("thread_name", tid, name=f"{lane} ({row + 1})" if row else lane))
            events.append(_metadata("thread_sort_index", tid, sort_index=index))
        return events

    def _sorted_by_lane(self, entry: tuple[tuple[str, int], int]) -> tuple[int, int]:
        (lane, row), _ = entry
        return (self._tids[lane, 0], row)


def _metadata(kind: str, tid: int, **args: str | int) -> Event:
    return {"ph": "M", "name": kind, "pid": _PID, "tid": tid, "args": args}


def _lanes(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(record.lane for record in records))


def _start(record: Record) -> float:
    return record.start_s if isinstance(record, Span) else record.at_s


def _order(record: Record) -> tuple[float, float]:
    """By start; of two spans that start together the longer first, so that it contains the other."""
    return (_start(record), -record.end_s if isinstance(record, Span) else 0.0)


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)
