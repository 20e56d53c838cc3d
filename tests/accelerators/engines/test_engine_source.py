from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import CompileRefused, NotStored
from premotor_accelerators.tensorrt import engine_source
from premotor_accelerators.tensorrt.builder import Built
from premotor_accelerators.tensorrt.engine_source import EngineSource
from premotor_accelerators.tensorrt.options import RTX_CAPABILITIES, BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor

RTX = Vendor(None, "tensorrt_rtx", (1, 7, 1))
OPTIONS = BuildOptions("fp16", compute_capability="8.6")


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Counts builds; an engine is its number."""
    made: list[str] = []

    def build(vendor: Vendor, name: str, model: bytes, *_: Any) -> Built:
        made.append(name)
        return Built(f"engine {len(made)}".encode(), 5, b"")

    monkeypatch.setattr(engine_source, "build_engine", build)
    return made


def source(folder: Path, builder: str = "tensorrt_rtx 1.7.1", load: Any = lambda: RTX) -> EngineSource:
    return EngineSource(builder, load, "rtx", EngineCache(folder))


def test_a_hit_loads_no_library_and_builds_nothing(builds: list[str], conv_toy: Any, tmp_path: Path) -> None:
    def never() -> Vendor:
        raise AssertionError("the library was loaded")

    first = source(tmp_path).engine(conv_toy(), OPTIONS)
    again = source(tmp_path, load=never).engine(conv_toy(), OPTIONS)
    assert (first.cached, again.cached) == (False, True) and again.plan == first.plan == b"engine 1"
    assert builds == ["conv_toy"]


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, precision="fp32"),
        replace(OPTIONS, compute_capability="8.9"),
        replace(OPTIONS, level=4),
        replace(OPTIONS, workspace_mib=64),
        BuildOptions("fp16", "dla", 0),
        BuildOptions("fp16", "dla", 1),
    ],
)
def test_any_other_option_is_another_engine(
    options: BuildOptions, builds: list[str], conv_toy: Any, tmp_path: Path
) -> None:
    source(tmp_path).engine(conv_toy(), OPTIONS)
    assert not source(tmp_path).engine(conv_toy(), options).cached and len(builds) == 2


def test_another_graph_version_or_recording_is_another_engine(builds: list[str], conv_toy: Any, tmp_path: Path) -> None:
    toy = conv_toy()
    source(tmp_path).engine(toy, OPTIONS)
    assert not source(tmp_path).engine(conv_toy(scale=0.3), OPTIONS).cached
    assert not source(tmp_path, "tensorrt_rtx 1.7.2").engine(toy, OPTIONS).cached
    assert not source(tmp_path).engine(toy, OPTIONS, [toy.example(0)]).cached
    assert not source(tmp_path).engine(toy, OPTIONS, [toy.example(1)]).cached
    assert source(tmp_path).engine(toy, OPTIONS, [toy.example(1)]).cached and len(builds) == 5


def test_what_is_refused_or_not_stored_leaves_no_engine(
    builds: list[str], conv_toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CompileRefused, match="half precision"):
        source(tmp_path).engine(conv_toy(scale=1e6), OPTIONS)
    with pytest.raises(CompileRefused, match="off by"):
        source(tmp_path).engine(conv_toy(tolerance=0.0), OPTIONS, [conv_toy().example(0)])
    assert not builds and not list(tmp_path.iterdir())

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotStored, match="the disk is full"):
        source(tmp_path).engine(conv_toy(), OPTIONS)
    assert not list(tmp_path.iterdir())


def test_options_that_cannot_be_are_refused() -> None:
    for wrong in ({"unit": "dla"}, {"dla_core": 0}, {"compute_capability": "8.7"}, {"level": 6}, {"workspace_mib": 0}):
        with pytest.raises(ValueError):
            BuildOptions(**wrong)  # type: ignore[arg-type]
    assert BuildOptions(compute_capability=RTX_CAPABILITIES[-1]).flags()["unit"] == "gpu"
