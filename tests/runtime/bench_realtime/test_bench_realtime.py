"""All set-ups for a second each, with the smallest benchmark model. No timing is judged."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
import typer

from premotor_foundation.errors import EXIT_FAILED, UsageError
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.native.library import kernel_library
from premotor_runtime.app.bench_realtime import commands, processes
from premotor_runtime.app.bench_realtime.figures import Collected, figures
from premotor_runtime.app.bench_realtime.lanes import typical_second
from premotor_runtime.app.bench_realtime.processes import run_slices
from premotor_runtime.app.bench_realtime.report import report
from premotor_runtime.app.bench_realtime.settings import RealtimeSettings
from premotor_runtime.app.bench_realtime.slices import BASES, SET_UPS, Slice, slices
from premotor_runtime.app.child import ProcessFailed
from premotor_runtime.bench.weights import hf_folder, shape
from premotor_runtime.doctor.machine import read_machine


@pytest.fixture
def settings() -> RealtimeSettings:
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("needs the cores 0 and 1")
    try:
        kernel_library()
    except BuildError as error:
        pytest.skip(str(error))
    return RealtimeSettings(1.0, SET_UPS, "S", hf_folder("S", shape("S")), "reference", 24, 0.1)


@pytest.mark.slow
def test_every_set_up_answers_for_every_release(settings: RealtimeSettings) -> None:
    seen: list[Slice] = []
    order = slices(settings.seconds, [*SET_UPS, *BASES], 0.02)
    collected = run_slices(settings, order, seen.append)
    assert seen == order
    found = report(read_machine(), settings, figures(collected))
    for name, each in found["setups"].items():
        assert each["periods"] == 50 and 0 <= each["longest_run"] <= each["misses"] <= 50, name
        assert 0 < each["lateness_ms"]["p50"] <= each["lateness_ms"]["max"] <= each["response_ms"]["max"] + 1e-6
        # on a busy machine no step of the reference runner may fit between two periods
        assert each["llm_tokens"] > 0 or name == "shared_lane", name
        assert each["llm_tok_s"] >= each["llm_output_tok_s"] >= 0, name
        assert each["errors"] == []
        witnessed = name in ("own_lane", "shared_lane") and each["rights"]["sched_fifo"]
        assert len(each["missed"]) == each["misses"] if witnessed else each["missed"] is None
        assert all(0 <= missed["withheld_ms"] <= 20.0 for missed in each["missed"] or ())
    shared = found["setups"]["shared_lane"]
    assert shared["llm_bounded_steps"] >= 0 and 0 < shared["control_cpu_share"] < 1
    assert shared["rights"]["core"] == 0 and found["setups"]["own_lane"]["rights"]["core"] == 1
    assert found["llm_alone_tok_s"] > 0 and len(found["bars"]) == 6
    for name in SET_UPS:
        assert typical_second(collected, name).records


@pytest.mark.slow
def test_a_process_that_cannot_go_on_ends_the_run(settings: RealtimeSettings, tmp_path: Path) -> None:
    broken = RealtimeSettings(1.0, (), "S", tmp_path / "nothing", "reference", 24, 0.1)
    with pytest.raises(ProcessFailed, match="nothing"):
        run_slices(broken, slices(1.0, ["llm_alone"], 0.02), lambda name: None)


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"`--picture .*there is no folder .*make it first"):
        commands.bench_realtime(1.0, None, "S", tmp_path / "no" / "a.png", None, None)
    with pytest.raises(UsageError, match="no benchmark model `XL`"):
        commands.bench_realtime(1.0, None, "XL", None, None, None)


@pytest.mark.parametrize("missed", [False, True])
def test_a_missed_bar_is_an_exit_code(missed: bool, collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {**collected["own_lane"], **({"reflex": collected["naive"]["whole"]} if missed else {})}
    measured = {"own_lane": own, **{name: collected[name] for name in BASES}}
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(processes, "run_slices", lambda settings, order, ended: measured)
    with pytest.raises(typer.Exit) if missed else contextlib.nullcontext() as left:
        commands.bench_realtime(2.0, ["own_lane"], "S", None, None, None)
    assert left is None or left.value.exit_code == EXIT_FAILED
