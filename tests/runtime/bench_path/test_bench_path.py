from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from premotor_foundation.errors import UsageError
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.native.library import kernel_library
from premotor_planners.maps.varied import KINDS, varied_maps
from premotor_runtime.app.bench_path import constant_time, sections
from premotor_runtime.app.bench_path.against_onnxruntime import cost_to_go_section, cspace_section
from premotor_runtime.app.bench_path.constant_time import constant_time_section, inputs_of
from premotor_runtime.app.bench_path.section import Line, Section, at_least_times, at_most_ms
from premotor_runtime.app.bench_path.turns import in_turns, median_ms
from premotor_runtime.bench import commands


@pytest.fixture
def needs_compiler() -> None:
    try:
        kernel_library()
    except BuildError as error:
        pytest.skip(str(error))


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer(pretty_exceptions_enable=False)
    commands.register(made)
    return made


def test_each_is_prepared_and_run_once_a_round_in_changing_order() -> None:
    order: list[str] = []
    ticks = iter(range(100))
    prepared: list[str] = []
    runs = {name: (lambda name=name: order.append(name)) for name in "ab"}
    times = in_turns(runs, 9, untimed=1, prepare=prepared.append, clock=lambda: float(next(ticks)))
    rounds = [tuple(order[i : i + 2]) for i in range(0, 20, 2)]
    assert set(rounds) == {("a", "b"), ("b", "a")} and prepared == order
    assert times == {"a": [1000.0] * 9, "b": [1000.0] * 9}
    assert median_ms({"a": [3.0, 1.0, 2.0]}) == {"a": 2.0}


def test_lines_say_what_is_met() -> None:
    assert at_most_ms("m", 1.5, 1.5) == Line("m", "1.50 ms", "<= 1.5 ms", True)
    assert at_most_ms("m", 1.51, 1.5).met is False
    assert at_least_times("m", 6.0, 6.0).met is True and at_least_times("m", 5.9, 6.0).met is False


@pytest.mark.parametrize("section", [cost_to_go_section, cspace_section])
def test_native_and_onnx_runtime_give_the_same_while_they_are_measured(needs_compiler: None, section: Any) -> None:
    found = section(1)
    assert found.figures["same_result"] is True and found.figures["implementation"].startswith("native")
    assert found.figures["ratio"] == found.figures["onnxruntime_ms"] / found.figures["native_ms"]
    assert len(found.lines) == 2 and found.lines[0].bar.startswith("<=")


def test_constant_time_counts_what_is_reached_and_nothing_is_wrong(
    needs_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constant_time, "_LEAST_ROUNDS", 1)
    figures = constant_time_section(1, 15).figures
    assert (figures["maps"], figures["wrong"]) == (15, 0)
    assert figures["within_budget"] >= 3 and figures["beyond_budget"] >= 3
    for who in ("cost_to_go", "astar"):
        assert set(figures[who]["kinds_ms"]) == set(KINDS) and figures[who]["ratio"] >= 1.0


def test_inputs_hold_the_goal_alone() -> None:
    (first,) = varied_maps(1)
    inputs = inputs_of(CostToGo(), first)
    assert np.count_nonzero(inputs["reach"]) == 1 and inputs["reach"][0, 0][first.goal] == CostToGo().limit
    CostToGo().check(inputs)


def test_the_command_writes_figures_with_their_schema(
    app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def section(rounds: int) -> Section:
        asked.append(rounds)
        return Section({"x": 1.0}, (Line("a measure", "1.00 ms", "<= 2 ms", True),), ("a peer is absent",))

    monkeypatch.setattr(sections, "SECTIONS", {"one": section, "two": section})
    target = tmp_path / "out.json"
    options = ["bench", "path", "--rounds", "7", "--only", "one", "--json", str(target)]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    assert "a measure" in done.output and "met" in done.output and "a peer is absent" in done.output
    found = json.loads(target.read_text())
    assert found["schema"] == "premotor.bench.path/1" and found["rounds"] == 7 and asked == [7]
    assert found["sections"] == {"one": {"x": 1.0}} and found["lines"][0]["met"] is True
    assert found["machine"]["cores"] >= 1 and found["absent"] == ["a peer is absent"]


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--only", "nothing"], "no section `nothing`; known: cost_to_go"), (["--json", "no/such/out.json"], "no folder")],
)
def test_wrong_usage_is_told_before_anything_is_measured(app: typer.Typer, options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["bench", "path", *options])
    assert isinstance(done.exception, UsageError) and said in str(done.exception)
