from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_sim.report.result import (
    Control,
    LaneUse,
    Lateness,
    Llm,
    MissionResult,
    PlannedStep,
    StepResult,
    lateness,
    result_json,
    write_result,
)


def a_result(mission_time_s: float = 31.5) -> MissionResult:
    return MissionResult(
        task="take the mug",
        plan=(PlannedStep("pick", {"object": "red mug"}),),
        plan_origin="llm",
        success=True,
        mission_time_s=mission_time_s,
        steps=(StepResult("pick", {"object": "red mug"}, "succeeded", 1.5),),
        collisions=0,
        path_length_m=12.5,
        control=Control(50.0, 630, 0, lateness([-30.0, -20.0])),
        llm=Llm(1, 200, 12, 4, 140.0, 35.0),
        lanes=(LaneUse("cpu0", 0.25),),
        seed=3,
        versions={"premotor": "0.1.0"},
    )


def test_the_file_has_exactly_the_keys_of_the_schema(tmp_path: Path) -> None:
    write_result(tmp_path / "out" / "result.json", a_result())
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    assert list(found) == [
        "schema", "task", "plan", "plan_origin", "success", "mission_time_s", "steps", "collisions", "path_length_m",
        "control", "llm", "lanes", "seed", "versions",
    ]  # fmt: skip
    assert found["schema"] == "premotor.result/1"
    assert found["plan"] == [{"skill": "pick", "args": {"object": "red mug"}}]
    assert found["steps"] == [
        {"skill": "pick", "args": {"object": "red mug"}, "status": "succeeded", "duration_s": 1.5}
    ]  # fmt: skip
    assert found["control"] == {
        "period_ms": 50.0, "ticks": 630, "misses": 0,
        "lateness_ms": {"p50": -30.0, "p99": -20.0, "p999": -20.0, "max": -20.0},
    }  # fmt: skip
    assert set(found["llm"]) == {
        "requests", "prompt_tokens", "output_tokens", "forced_tokens", "ttft_ms", "decode_tok_s",
    }  # fmt: skip
    assert found["lanes"] == [{"name": "cpu0", "utilization": 0.25}]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["result.json"]


def test_a_number_that_json_lacks_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="JSON"):
        write_result(path, a_result(mission_time_s=math.nan))
    assert path.read_text() == "old"


def test_a_task_in_any_script_survives() -> None:
    text = result_json(MissionResult(**{**vars(a_result()), "task": "nimm die Tasse für Zoë 杯子 \udcff"}))
    assert json.loads(text)["task"] == "nimm die Tasse für Zoë 杯子 \udcff"


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, (1, 1, 1, 1)),
        (2, (1, 2, 2, 2)),
        (100, (50, 99, 100, 100)),
        (1000, (500, 990, 999, 1000)),
        (1001, (501, 991, 1000, 1001)),
    ],
)
def test_percentiles_are_nearest_rank(count: int, expected: tuple[int, ...]) -> None:
    samples = [float(n) for n in range(count, 0, -1)]
    assert lateness(samples) == Lateness(*map(float, expected))


def test_no_samples_no_percentiles() -> None:
    assert lateness([]) == Lateness(None, None, None, None)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300))
def test_percentiles_are_samples_in_order_and_cover_their_share(samples: list[float]) -> None:
    found = lateness(samples)
    values = (found.p50, found.p99, found.p999, found.max)
    for value, share in zip(values, (0.5, 0.99, 0.999, 1.0), strict=True):
        assert value in samples
        assert value is not None
        assert sum(sample <= value for sample in samples) >= share * len(samples) - 1e-9
    assert list(values) == sorted(values)  # type: ignore[type-var]
