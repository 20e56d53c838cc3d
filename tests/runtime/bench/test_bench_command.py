from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from premotor_foundation.errors import UsageError
from premotor_runtime.app import bench_planning
from premotor_runtime.bench import commands, measuring
from premotor_runtime.bench.group import bench_group
from premotor_runtime.bench.peers import LLAMA_CPP, peers_python
from premotor_runtime.bench.result import BenchResult
from premotor_runtime.bench.settings import BenchSettings
from premotor_runtime.doctor.machine import read_machine


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer(pretty_exceptions_enable=False)
    commands.register(made)
    made.command("other")(lambda: None)
    return made


def test_the_command_writes_the_report_and_prints_it(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[BenchSettings] = []

    def run(settings: BenchSettings, planning: Any, advance: Any) -> BenchResult:
        asked.append(settings)
        planning()
        return BenchResult(read_machine(), settings.threads, settings.rounds)

    monkeypatch.setattr(measuring, "run_bench", run)
    monkeypatch.setattr(bench_planning, "measure_planning", lambda rounds: {"rounds": rounds})
    options = ["--models", "S", "--batch", "1", "--rounds", "2", "--only", "speed", "--threads", "3"]
    done = CliRunner().invoke(app, ["bench", "llm", *options, "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "out.json").read_text())["schema"] == "premotor.bench.llm/1"
    (settings,) = asked
    assert (settings.rounds, settings.threads, settings.sections) == (2, 3, ("speed",))
    assert "3 threads" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--models", "XXL"], "XXL"),
        (["--precision", "fp4"], "fp4"),
        (["--only", "everything"], "everything"),
        (["--runner", "turbo"], "turbo"),
        (["--json", "no/such/folder/out.json"], "no/such/folder"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_measured(
    options: list[str], named: str, app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "run_bench", lambda *_: pytest.fail("nothing may be measured"))
    done = CliRunner().invoke(app, ["bench", "llm", *options])
    assert isinstance(done.exception, UsageError)
    assert named in str(done.exception)


def test_folders_share_the_group(app: typer.Typer) -> None:
    assert bench_group(app) is bench_group(app)
    bench_group(app).command("second")(lambda: None)
    output = CliRunner().invoke(app, ["bench", "--help"]).output
    assert "llm" in output and "second" in output


def test_peers_are_looked_for_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PREMOTOR_PEERS", str(tmp_path))
    assert peers_python() == tmp_path / "bin" / "python"
    monkeypatch.delenv("PREMOTOR_PEERS")
    assert peers_python().parts[-3:] == (".venv-peers", "bin", "python")
    assert peers_python() != Path(sys.executable)
    assert LLAMA_CPP.name == "llama-cpp-python"
