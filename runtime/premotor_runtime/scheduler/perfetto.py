"""Records as spans and instants, and those as Perfetto's JSON (the Chrome trace-event format); a row for each lane."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from premotor_runtime.executor.records import Instant, Span
from premotor_runtime.executor.records import Record as Drawn
from premotor_runtime.scheduler.miss_ladder import ACTIONS
from premotor_runtime.scheduler.recording import Kind, Record
from premotor_runtime.scheduler.slack import FREE
from premotor_runtime.scheduler.task_set import TaskSet

SCHEDULER = "scheduler"
_INSTANTS = {
    Kind.RELEASE: "release", Kind.MISS: "deadline missed", Kind.DROP: "dropped", Kind.SKIP: "releases skipped",
    Kind.DEGRADE: "degrade", Kind.VERDICT: "miss policy", Kind.WATCHDOG: "watchdog", Kind.SWITCH: "plan switched",
    Kind.CLOCK_BACK: "clock went back", Kind.HALT: "halted",
}  # fmt: skip


def perfetto(task_set: TaskSet, records: Iterable[Record]) -> str:
    """The JSON text; instants of no lane stand in a row of the scheduler's own."""
    return trace(drawn(task_set, records))


def trace(records: Sequence[Drawn]) -> str:
    """Spans and instants of any origin as the JSON text."""
    return json.dumps({"traceEvents": _events(records), "displayTimeUnit": "ms"})


def drawn(task_set: TaskSet, records: Iterable[Record]) -> list[Drawn]:
    """Spans of segments and steps, in order of their ends; a submission begins when the one before it has ended."""
    names = [task.name for task in task_set.tasks]
    streams = [stream.name for stream in task_set.streams]
    lanes = [lane.name for lane in task_set.lanes]
    submitted: list[list[int]] = [[] for _ in lanes]
    free = [0] * len(lanes)
    found: list[Drawn] = []
    for record in records:
        if record.kind in (Kind.START, Kind.STEP):
            submitted[record.lane].append(record.at_ns)
        elif record.kind in (Kind.FINISH, Kind.STEPPED) and submitted[record.lane]:
            begin = max(submitted[record.lane].pop(0), free[record.lane])
            free[record.lane] = record.at_ns
            found.append(_span(record, begin, lanes[record.lane], task_set, names, streams))
        elif record.kind in _INSTANTS:
            found.append(_instant(record, names, lanes))
    return found


def _span(
    record: Record, begin_ns: int, lane: str, task_set: TaskSet, names: Sequence[str], streams: Sequence[str]
) -> Span:
    if record.kind == Kind.STEPPED:
        args = {"budget_ms": record.value / 1e6} if record.value != FREE else {}
        return Span(lane, streams[record.who], begin_ns / 1e9, record.at_ns / 1e9, args)
    stage, segment = record.value >> 16, record.value & 0xFFFF
    stages = task_set.tasks[record.who].stages
    known = stage < len(stages) and segment < len(stages[stage].segments)
    name = stages[stage].segments[segment].name if known else names[record.who]
    return Span(lane, name, begin_ns / 1e9, record.at_ns / 1e9, {"task": names[record.who], "job": record.job})


def _instant(record: Record, names: Sequence[str], lanes: Sequence[str]) -> Instant:
    args: dict[str, str | int] = {"value": record.value}
    if record.who < len(names):
        args = {"task": names[record.who], "job": record.job, **args}
    if record.kind == Kind.VERDICT:
        args["action"] = ACTIONS[record.value]
    row = lanes[record.lane] if record.kind == Kind.WATCHDOG else SCHEDULER
    return Instant(row, _INSTANTS[Kind(record.kind)], record.at_ns / 1e9, args)


def _events(records: Sequence[Drawn]) -> list[dict[str, Any]]:
    rows = {lane: tid for tid, lane in enumerate(dict.fromkeys([SCHEDULER, *(each.lane for each in records)]), start=1)}
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": lane}} for lane, tid in rows.items()
    ]
    for each in records:
        common = {"name": each.name, "pid": 1, "tid": rows[each.lane], "args": dict(each.args)}
        if isinstance(each, Span):
            took = round((each.end_s - each.start_s) * 1e6, 3)
            events.append({**common, "ph": "X", "ts": round(each.start_s * 1e6, 3), "dur": took})
        else:
            events.append({**common, "ph": "i", "s": "t", "ts": round(each.at_s * 1e6, 3)})
    return events
