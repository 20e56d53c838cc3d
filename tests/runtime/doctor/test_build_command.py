from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.app.kernels import commands as kernel_commands
from premotor_runtime.app.kernels import natives
from premotor_runtime.doctor import building, commands
from premotor_runtime.doctor.building import Built
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.random_checkpoint import SHAPES


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer(pretty_exceptions_enable=False)
    commands.register(made)
    kernel_commands.register(made)
    return made


def test_build_prints_compiler_flags_shape_time_and_place(app: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[ModelConfig] = []

    def build(config: ModelConfig) -> Built:
        asked.append(config)
        return Built(Path("/somewhere/lib.so"), "c++ 1.2", ("-O3",), ("-DX=1",), "avx2")

    monkeypatch.setattr(building, "build_native", build)
    monkeypatch.setattr(natives, "build_natives", lambda: ["kernel    mppi: native (avx2)"])
    done = CliRunner().invoke(app, ["build", "--model", "S"])
    assert done.exit_code == 0, done.output
    assert asked == [SHAPES["S"]]
    for words in ("c++ 1.2", "-O3", "-DX=1", "avx2", "/somewhere/lib.so", "time ", "kernel    mppi: native"):
        assert words in done.output


def test_without_a_compiler_build_fails_with_what_to_install(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["build", "--model", "S"])
    assert isinstance(done.exception, BuildError)
    assert "install g++" in str(done.exception) and done.exception.exit_code == 1


def test_doctor_prints_text_or_json(app: typer.Typer) -> None:
    text = CliRunner().invoke(app, ["doctor"]).output
    assert "native runner" in text and "SCHED_FIFO" in text
    assert '"schema": "premotor.doctor/1"' in CliRunner().invoke(app, ["doctor", "--json"]).output
