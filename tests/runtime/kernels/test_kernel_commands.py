from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import typer
from typer.testing import CliRunner

from premotor_accelerators.errors import DeviceUnavailable, NotStored
from premotor_accelerators.precision.graph_checks import parse_model
from premotor_accelerators.precision.recordings import record
from premotor_accelerators.profiles.record import from_json
from premotor_accelerators.profiles.store import ProfileStore
from premotor_accelerators.tensorrt import vendor as vendors
from premotor_foundation.errors import UsageError
from premotor_runtime.app.kernels import building, commands
from premotor_runtime.app.kernels.catalogue import KERNELS, kernel_named
from premotor_runtime.app.kernels.devices import open_device, precision_named


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> typer.Typer:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = typer.Typer(pretty_exceptions_enable=False)
    commands.register(made)
    return made


def call(app: typer.Typer, *arguments: str) -> Any:
    done = CliRunner().invoke(app, list(arguments))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_is_exported_with_static_shapes_at_opset_17(name: str, app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "kernel.onnx"
    said = json.loads(call(app, "export", name, "-o", str(path), "--json").stdout)
    model = onnx.load(str(path))
    assert said["schema"] == "premotor.export/1" and said["bytes"] == path.stat().st_size
    assert [entry.version for entry in model.opset_import if entry.domain == ""] == [17]
    assert said["inputs"] == {spec.name: list(spec.shape) for spec in kernel_named(name).inputs}
    assert parse_model(name, path.read_bytes()).graph.node and len(model.graph.node) == said["nodes"]


def test_an_unknown_kernel_or_a_place_that_cannot_be_written(app: typer.Typer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no kernel `mpi`.*did you mean `mppi`"):
        call(app, "export", "mpi", "-o", str(tmp_path / "x.onnx"))
    (tmp_path / "file").touch()
    with pytest.raises(NotStored, match="name a folder that can"):
        call(app, "export", "cspace", "-o", str(tmp_path / "file" / "x.onnx"))


def test_a_profile_is_printed_and_stored(app: typer.Typer) -> None:
    record_ = from_json(call(app, "profile", "--kernel", "cspace", "--runs", "5", "--json").stdout)
    assert record_.key.device == "cpu" and record_.key.precision == "fp32" and record_.runs == 5
    assert record_.cold_ms > 0 and record_.p50_ms <= record_.p99_ms <= record_.max_ms
    assert ProfileStore().find(record_.key) == record_
    text = call(app, "profile", "--kernel", "cspace", "--runs", "5").stdout
    assert "p99" in text and "pinned to core" in text and "stored in" in text
    assert len(ProfileStore().all("cspace")) == 1


def test_recordings_are_the_inputs_of_a_profile(app: typer.Typer, tmp_path: Path) -> None:
    kernel = kernel_named("cspace")
    record(tmp_path, kernel, 0, {"free": np.ones((1, 1, 128, 128), np.float32)})
    done = call(app, "profile", "--kernel", "cspace", "--runs", "3", "--recordings", str(tmp_path))
    assert "over 3 runs" in done.stdout
    with pytest.raises(UsageError, match="record runs of the kernel"):
        call(app, "profile", "--kernel", "mppi", "--recordings", str(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["--device", "gpu"], UsageError, "no device `gpu`"),
        (["--device", "dla0"], UsageError, "needs --board"),
        (["--precision", "fp17"], UsageError, "no precision `fp17`"),
        (["--core", "4000"], DeviceUnavailable, "core 4000 is not"),
    ],
)
def test_what_cannot_be_profiled_is_said(
    arguments: list[str], error: type[Exception], words: str, app: typer.Typer
) -> None:
    with pytest.raises(error, match=words):
        call(app, "profile", "--kernel", "cspace", "--runs", "2", *arguments)


def test_devices_whose_packages_are_missing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors.importlib, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    for name in ("tensorrt", "dla0"):
        with pytest.raises(DeviceUnavailable, match="`tensorrt` is not there"):
            open_device(name, "agx_orin_64")
    assert precision_named(None, "dla1") == "fp16" and precision_named(None, "cpu") == "fp32"


def test_building_for_rtx_without_its_wheels_says_how_to_get_them(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "rtx_builder", lambda: None)
    monkeypatch.setattr(vendors.importlib, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    with pytest.raises(DeviceUnavailable, match=r"rtx\.txt"):
        call(app, "build", "--target", "rtx", "--kernel", "cspace", "--json")


def test_wrong_targets_and_options_of_build_are_usage_errors(app: typer.Typer) -> None:
    pytest.importorskip("tensorrt_rtx_bindings", reason="needs the wheels of tests/external/rtx.txt")
    with pytest.raises(UsageError, match="no target `xavier`; known: native, rtx, tensorrt, dla0, dla1"):
        call(app, "build", "--target", "xavier")
    with pytest.raises(UsageError, match="--json is for"):
        call(app, "build", "--json")
    with pytest.raises(UsageError, match=r"compute capability 8\.5; allowed"):
        call(app, "build", "--target", "rtx", "--capability", "8.5", "--kernel", "cspace")


@pytest.mark.rtx
def test_build_for_rtx_reports_times_sizes_and_refusals(app: typer.Typer) -> None:
    if building.rtx_builder() is None:
        pytest.skip("TensorRT-RTX is not installed (tests/external/rtx.txt)")
    arguments = ["build", "--target", "rtx", "--kernel", "cspace", "--capability", "8.6"]
    row = json.loads(call(app, *arguments, "--json").stdout)["engines"][0]
    assert row["refused"] == "" and not row["cached"] and row["engine_bytes"] > 10_000 and row["layers"] > 10
    again = json.loads(call(app, *arguments, "--json").stdout)
    assert again["schema"] == "premotor.build/1" and again["engines"][0]["cached"]
    table = call(app, *arguments, "--precision", "int8").stdout
    assert "refused" in table and "recorded" in table
