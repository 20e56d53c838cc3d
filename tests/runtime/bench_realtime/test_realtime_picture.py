from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from PIL import Image
from rich.console import Console

from premotor_runtime.app.bench_realtime.figures import Collected, figures
from premotor_runtime.app.bench_realtime.lanes import MISS, SHOWN_S, trace_of, typical_second
from premotor_runtime.app.bench_realtime.picture import write_picture
from premotor_runtime.app.bench_realtime.picture_layout import WIDTH, layout
from premotor_runtime.app.bench_realtime.report import SCHEMA, print_realtime_report, report
from premotor_runtime.app.bench_realtime.settings import RealtimeSettings
from premotor_runtime.doctor.machine import read_machine
from premotor_runtime.executor.records import Instant, Span

SETTINGS = RealtimeSettings(2.0, ("naive", "own_lane", "shared_lane"), "S", Path("weights"))


def test_panels_lie_below_each_other_and_moments_within_them() -> None:
    plan = layout([1, 2, 2, 1])
    tops = [panel.top for panel in plan.panels]
    assert tops == sorted(tops) and all(a.bottom < b.top for a, b in zip(plan.panels, plan.panels[1:], strict=False))
    first = plan.panels[1]
    assert first.x(0.0) == first.left and first.x(1.0) == first.right == first.x(2.0) and first.right < WIDTH
    assert first.row(0)[1] < first.row(1)[0] and first.bottom == first.row(1)[1] < plan.height
    with pytest.raises(ValueError, match="at least one set-up"):
        layout([])


def test_a_typical_second_has_the_mean_number_of_misses(collected: Collected) -> None:
    second = typical_second(collected, "naive")
    missed = [each for each in second.records if isinstance(each, Instant) and each.name == MISS]
    releases = [each for each in second.records if isinstance(each, Instant)]
    assert len(releases) == 50 and second.start_s == 10.0
    assert len(missed) == 49  # of 49 and 10, equally far from the mean, the first
    assert second.rows == ("one thread",)


def test_what_reaches_beyond_the_second_is_cut(collected: Collected) -> None:
    second = typical_second(collected, "own_lane")
    spans = [each for each in second.records if isinstance(each, Span)]
    end = second.start_s + SHOWN_S
    assert spans and all(second.start_s <= each.start_s <= each.end_s <= end for each in spans)
    assert {each.lane for each in spans} == set(second.rows) == {"core 1, reflex", "core 0, brain"}


def test_trace_opens_in_perfetto(collected: Collected) -> None:
    events = json.loads(trace_of([typical_second(collected, name) for name in SETTINGS.set_ups]))["traceEvents"]
    rows = {each["args"]["name"] for each in events if each["ph"] == "M"}
    assert {"naive: one thread", "own_lane: core 0, brain", "shared_lane: core 0, both"} <= rows
    assert all(0 <= each["ts"] <= SHOWN_S * 1e6 for each in events if each["ph"] != "M")


def test_picture_and_report_show_every_set_up(collected: Collected, tmp_path: Path) -> None:
    found = report(read_machine(), SETTINGS, figures(collected))
    assert found["schema"] == SCHEMA == "premotor.bench.realtime/1"
    assert json.loads(json.dumps(found))["setups"]["naive"]["misses"] == 59
    assert set(found["setups"]["own_lane"]["lateness_ms"]) == {"p50", "p99", "p999", "max"}
    out = Console(file=StringIO(), width=100)
    print_realtime_report(found, out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert all(words in text for words in ("naive", "shared lane", "59/100", "0 of 100", "met"))
    path = tmp_path / "seconds.png"
    write_picture([typical_second(collected, name) for name in SETTINGS.set_ups], found, path)
    with Image.open(path) as image:
        assert image.width == WIDTH
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20) or []}
    assert {(20, 110, 60), (240, 178, 72), (205, 40, 40)} <= colours
