"""The default planner's own library: built or not, and the command that builds it."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.doctor import planner_library as finding
from premotor_runtime.doctor.examine import doctor_json, examine
from premotor_runtime.doctor.native_state import native_state
from premotor_runtime.doctor.planner_library import planner_library
from premotor_runtime.doctor.showing import print_findings
from premotor_runtime.models.gguf_cache import _SCHEMA, known_config
from premotor_runtime.models.pretrained_package import SHA256
from premotor_runtime.models.random_checkpoint import SHAPES
from premotor_runtime.runners.native.build import build

SMALL = dataclasses.replace(SHAPES["S"], hidden_size=32, intermediate_size=32, num_attention_heads=4, head_dim=8)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "find_spec", lambda name: name)


def _loaded_before(folder: Path) -> None:
    ready = folder / "checkpoints" / SHA256
    ready.mkdir(parents=True)
    (ready / "manifest.json").write_text(json.dumps({"schema": _SCHEMA, "config": dataclasses.asdict(SMALL)}))


@pytest.mark.usefixtures("installed")
def test_a_model_that_was_never_loaded_has_no_library(tmp_path: Path) -> None:
    found = planner_library(tmp_path)
    assert (found.model, found.built, found.remedy) == ("gemma3-270m", False, "premotor build")
    assert "`premotor build`" in found.reason
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("installed")
def test_another_library_is_not_the_one_of_the_planner(tmp_path: Path) -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))
    _loaded_before(tmp_path)
    assert known_config(SHA256, tmp_path) == SMALL
    build(dataclasses.replace(SMALL, intermediate_size=64), tmp_path)
    state = native_state(tmp_path)
    assert (state.state, state.libraries, state.planner.built) == ("built", 1, False)
    build(SMALL, tmp_path)
    state = native_state(tmp_path)
    assert (state.libraries, state.planner.built, state.planner.remedy) == (2, True, "")


def test_without_the_package_it_is_that_of_the_embedded_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(finding, "find_spec", lambda name: None)
    found = planner_library(tmp_path)
    assert (found.model, found.built) == ("embedded", False)
    assert found.remedy.startswith("premotor build --model ")
    assert (Path(found.remedy.split()[-1]) / "config.json").is_file()


def test_doctor_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    findings = examine()
    assert doctor_json(findings)["native"]["planner"]["built"] is False
    console = Console(width=200, file=io.StringIO(), record=True)
    print_findings(findings, console)
    (line,) = [line for line in console.export_text().splitlines() if "planner's library" in line]
    assert " no " in line and "premotor build" in line
