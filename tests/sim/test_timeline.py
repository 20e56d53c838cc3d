from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.executor.records import Instant, Record, Span
from premotor_sim.report.timeline import trace_events, write_timeline


def names_of_rows(events: list[dict[str, Any]]) -> dict[int, str]:
    return {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}


def test_spans_and_instants_become_events_in_microseconds_from_the_first(tmp_path: Path) -> None:
    records = [
        Span("cpu0 reflex", "sense", 10.0, 10.001),
        Span("gpu brain", "decode", 10.0005, 10.0305, {"tokens": 4}),
        Instant("cpu0 reflex", "deadline missed", 10.05, {"lateness_ms": 2.5}),
    ]
    write_timeline(tmp_path / "timeline.json", records)
    trace = json.loads((tmp_path / "timeline.json").read_text())
    rows = names_of_rows(trace["traceEvents"])
    events = [e for e in trace["traceEvents"] if e["ph"] != "M"]
    assert list(rows.values()) == ["cpu0 reflex", "gpu brain"]
    assert [(e["name"], e["ph"], e["ts"], e.get("dur"), rows[e["tid"]]) for e in events] == [
        ("sense", "X", 0.0, 1000.0, "cpu0 reflex"),
        ("decode", "X", 500.0, 30000.0, "gpu brain"),
        ("deadline missed", "i", 50000.0, None, "cpu0 reflex"),
    ]
    assert events[1]["args"] == {"tokens": 4}
    assert events[2]["s"] == "t"


def test_phases_inside_a_period_share_its_row_and_straddling_spans_do_not() -> None:
    records = [
        Span("cpu", "period", 0.0, 0.05),
        Span("cpu", "sense", 0.0, 0.01),
        Span("cpu", "gate", 0.01, 0.05),
        Span("cpu", "straddles", 0.04, 0.06),
    ]
    events = trace_events(records)
    rows = names_of_rows(events)
    found = {e["name"]: rows[e["tid"]] for e in events if e["ph"] == "X"}
    assert found == {"period": "cpu", "sense": "cpu", "gate": "cpu", "straddles": "cpu (2)"}


def test_no_records_is_an_empty_trace() -> None:
    assert [e["ph"] for e in trace_events([])] == ["M"]


def test_a_span_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`mppi` on `cpu` ends at 1\.0, before 2\.0"):
        trace_events([Span("cpu", "mppi", 2.0, 1.0)])


MOMENTS = st.integers(0, 50).map(lambda n: n / 1000)


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), MOMENTS, MOMENTS), max_size=30))
def test_on_every_row_spans_nest_or_follow_and_none_is_lost(spans: list[tuple[str, float, float]]) -> None:
    records: list[Record] = [Span(lane, "work", start, start + length) for lane, start, length in spans]
    events = [e for e in trace_events(records) if e["ph"] == "X"]
    assert len(events) == len(spans)
    for tid in {e["tid"] for e in events}:
        times = [(e["ts"], e["ts"] + e["dur"]) for e in events if e["tid"] == tid]
        for i, (_, end) in enumerate(times):
            for other_start, other_end in times[i + 1 :]:
                assert other_start >= end - 0.01 or other_end <= end + 0.01
