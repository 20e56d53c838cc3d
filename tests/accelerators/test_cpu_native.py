from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from premotor_accelerators.devices import cpu
from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.errors import CompileRefused, WrongTensor
from premotor_foundation.errors import PremotorError
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.cost_to_go import CostToGo


@dataclass(frozen=True)
class Tripling:
    """A native version that gives another result than the graph, so that a test sees which of them ran."""

    description: str = "native (toy)"

    def run(self, inputs: Any, outputs: Any) -> None:
        outputs["reach_next"][...] = 3.0


@dataclass(frozen=True)
class Toy(CostToGo):
    """A real kernel whose native version is ours to choose."""

    rows: int = 4
    cols: int = 4
    fails: bool = False

    def native(self) -> Any:
        if self.fails:
            raise BuildError("no C++ compiler", "install g++")
        return Tripling()


class Plain:
    """The same without a native version."""

    def __init__(self) -> None:
        kernel = Toy()
        self.name, self.tolerance = kernel.name, kernel.tolerance
        self.inputs, self.outputs = kernel.inputs, kernel.outputs
        self.reference, self.onnx = kernel.reference, kernel.onnx


@pytest.fixture(autouse=True)
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "_warned", set())


def ran(executable: Any) -> float:
    kernel = Toy()
    out = {"reach_next": kernel.outputs[0].zeros()}
    executable.run({"reach": kernel.inputs[0].zeros(), "free": kernel.inputs[1].zeros()}, out)
    return float(out["reach_next"].max())


def test_the_native_version_is_taken_where_there_is_one_and_named() -> None:
    executable = CpuDevice().compile(Toy())
    assert executable.implementation == "native (toy)" and ran(executable) == 3.0
    plain = CpuDevice().compile(Plain())
    assert plain.implementation == "onnxruntime" and ran(plain) == 0.0
    forced = CpuDevice(implementation="onnxruntime").compile(Toy())
    assert forced.implementation == "onnxruntime" and ran(forced) == 0.0


def test_without_a_compiler_onnx_runtime_runs_and_says_so_once(caplog: Any) -> None:
    with caplog.at_level(logging.WARNING):
        executables = [CpuDevice().compile(Toy(fails=True)) for _ in range(2)]
    assert len(caplog.records) == 1 and "no C++ compiler" in caplog.text and "install g++" in caplog.text
    assert all("onnxruntime: no C++ compiler" in each.implementation for each in executables)
    assert ran(executables[0]) == 0.0


@pytest.mark.parametrize(("kernel", "said"), [(Toy(fails=True), "install g\\+\\+"), (Plain(), "no native version")])
def test_where_native_is_insisted_on_nothing_takes_its_place(kernel: Any, said: str) -> None:
    with pytest.raises(CompileRefused, match=said):
        CpuDevice(implementation="native").compile(kernel)
    with pytest.raises(ValueError, match="auto, native, onnxruntime"):
        CpuDevice(implementation="fast")  # type: ignore[arg-type]


@pytest.mark.parametrize("implementation", ["native", "onnxruntime"])
@pytest.mark.parametrize(
    "wrong", [np.zeros((1, 1, 4, 4)), np.zeros((4, 4), np.float32), np.zeros((1, 1, 4, 4), np.int16), None]
)
def test_wrong_types_and_shapes_never_reach_an_implementation(implementation: Any, wrong: Any) -> None:
    executable = CpuDevice(implementation=implementation).compile(Toy())
    good = {tensor.name: tensor.zeros() for tensor in Toy().inputs}
    out = {"reach_next": Toy().outputs[0].zeros()}
    for name in good:
        with pytest.raises(WrongTensor, match=f"`{name}`"):
            executable.run({**good, name: wrong}, out)
    with pytest.raises(WrongTensor, match="reach_next"):
        executable.run(good, {"reach_next": wrong})


def test_values_are_checked_before_onnx_runtime_runs() -> None:
    executable = CpuDevice(implementation="onnxruntime").compile(Toy())
    inputs = {tensor.name: tensor.zeros() for tensor in Toy().inputs}
    inputs["free"][0, 0, 1, 2] = np.nan
    with pytest.raises(PremotorError, match=r"`free` holds nan at \(0, 0, 1, 2\)"):
        executable.run(inputs, {"reach_next": Toy().outputs[0].zeros()})


def test_profiles_of_both_order_their_percentiles() -> None:
    for implementation in ("native", "onnxruntime"):
        profile = CpuDevice(implementation=implementation).compile(Toy()).profile(5)  # type: ignore[arg-type]
        assert profile.runs == 5 and 0 < profile.p50_ms <= profile.p99_ms <= profile.max_ms
