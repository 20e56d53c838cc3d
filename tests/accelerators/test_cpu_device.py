from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from premotor_accelerators.boards import load_board
from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.errors import CompileRefused, RunFailed, WrongTensor
from premotor_foundation.errors import ConfigError

FLOAT = np.dtype(np.float32)


@dataclass(frozen=True)
class Spec:
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] = FLOAT


@dataclass(frozen=True)
class Toy:
    """y = op(x, x), as a kernel; `graph_shape` may lie about the declared shape."""

    op: str = "Add"
    graph_shape: tuple[Any, ...] = (2, 3)
    name: str = "toy"
    tolerance: float = 0.0
    inputs: tuple[Spec, ...] = (Spec("x", (2, 3)),)
    outputs: tuple[Spec, ...] = (Spec("y", (2, 3)),)

    def reference(self, inputs: Any) -> dict[str, Any]:
        return {"y": inputs["x"] * 2}

    def onnx(self) -> bytes:
        info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, self.graph_shape) for n in ("x", "y")]
        graph = helper.make_graph([helper.make_node(self.op, ["x", "x"], ["y"])], "toy", info[:1], info[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        assert isinstance(model, onnx.ModelProto)
        return bytes(model.SerializeToString())


def arrays() -> tuple[dict[str, Any], dict[str, Any]]:
    return {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}, {"y": np.full((2, 3), -1, np.float32)}


def test_results_are_written_into_the_callers_array() -> None:
    inputs, outputs = arrays()
    given = outputs["y"]
    run = CpuDevice().compile(Toy(), "fp32")
    run.run(inputs, outputs)
    assert outputs["y"] is given
    np.testing.assert_array_equal(given, inputs["x"] * 2)
    inputs["x"] += 1
    run.run(inputs, outputs)
    np.testing.assert_array_equal(given, inputs["x"] * 2)


@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_other_precisions_are_refused_with_a_reason(precision: Any) -> None:
    with pytest.raises(CompileRefused, match=f"toy: precision {precision}.*fp32 only"):
        CpuDevice().compile(Toy(), precision)


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (Toy(graph_shape=("batch", 3)), "dynamic shape"),
        (Toy(graph_shape=(2, 4)), "make them equal"),
        (Toy(op="NoSuchOperator"), "NoSuchOperator"),
        (replace(Toy(), inputs=(Spec("z", (2, 3)),)), "declares"),
        (replace(Toy(), outputs=(Spec("y", (2, 3), np.dtype(np.int32)),)), "make them equal"),
    ],
)
def test_a_graph_that_does_not_fit_is_refused(kernel: Toy, said: str) -> None:
    with pytest.raises(CompileRefused, match=said):
        CpuDevice().compile(kernel, "fp32")


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((3, 2), np.float32),
        np.zeros((2, 3), np.float64),
        np.zeros((3, 2), np.float32).T,
        np.float32(0.0),
        [[0.0] * 3] * 2,
    ],
)
def test_arrays_that_do_not_match_exactly_are_refused(x: Any) -> None:
    run = CpuDevice().compile(Toy())
    with pytest.raises(WrongTensor, match="`x`"):
        run.run({"x": x}, arrays()[1])


def test_missing_surplus_and_read_only_arrays_are_refused() -> None:
    run = CpuDevice().compile(Toy())
    inputs, outputs = arrays()
    with pytest.raises(WrongTensor, match="exactly these"):
        run.run({}, outputs)
    with pytest.raises(WrongTensor, match="exactly these"):
        run.run(inputs, {**outputs, "more": outputs["y"]})
    outputs["y"].flags.writeable = False
    with pytest.raises(WrongTensor, match="writable"):
        run.run(inputs, outputs)


def test_a_failing_run_is_a_typed_error_and_the_next_one_works() -> None:
    run = CpuDevice().compile(Toy())
    inputs, outputs = arrays()
    session = run._session
    run._session = None
    with pytest.raises(RunFailed, match="toy on cpu"):
        run.run(inputs, outputs)
    run._session = session
    run.run(inputs, outputs)
    np.testing.assert_array_equal(outputs["y"], inputs["x"] * 2)


def test_profile_orders_its_percentiles() -> None:
    profile = CpuDevice().compile(Toy()).profile(5)
    assert profile.runs == 5
    assert 0 < profile.p50_ms <= profile.p99_ms <= profile.max_ms
    with pytest.raises(ValueError, match="at least 1"):
        CpuDevice().compile(Toy()).profile(0)


def test_board_files(tmp_path: Path) -> None:
    board = load_board(Path(__file__).parents[2] / "configs/boards/laptop.yaml")
    assert [lane.device for lane in board.lanes] == ["cpu", "cpu"]
    twice = tmp_path / "twice.yaml"
    twice.write_text("name: b\nlanes:\n  - {name: a, device: cpu}\n  - {name: a, device: cpu}\n")
    with pytest.raises(ConfigError, match="names differ"):
        load_board(twice)
