"""Whatever the file, a typed error or a report."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from premotor_accelerators.dla import reading
from premotor_accelerators.dla.checker import check_file, check_model
from premotor_accelerators.dla.errors import (
    DlaUnavailable,
    DynamicShapes,
    ExternalDataMissing,
    ModelTooLarge,
    ModelUnreadable,
)
from premotor_accelerators.dla.target import make_target
from premotor_foundation.errors import PremotorError, UsageError

SHAPE = (1, 4, 8, 8)


@pytest.fixture
def small(net: Any) -> bytes:
    value = net.op("Relu", net.conv("x", 4, 4, 3))
    return bytes(net.model({"x": SHAPE}, [value]).SerializeToString())


def check(path: Path) -> Any:
    return check_file(path, make_target())


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        check(tmp_path / "absent.onnx")
    with pytest.raises(UsageError, match="no such file"):
        check(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x00" * 64, b"not a model at all", bytes(range(256))])
def test_garbage(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.onnx"
    file.write_bytes(content)
    with pytest.raises(ModelUnreadable):
        check(file)


def test_every_truncation_is_an_error(tmp_path: Path, small: bytes) -> None:
    file = tmp_path / "m.onnx"
    for end in range(0, len(small) - 1, 7):
        file.write_bytes(small[:end])
        with pytest.raises(PremotorError):
            check(file)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_file_gives_a_report_or_a_typed_error(
    tmp_path: Path, small: bytes, changes: list[tuple[int, int]]
) -> None:
    damaged = bytearray(small)
    for place, value in changes:
        damaged[place % len(damaged)] = value
    file = tmp_path / "m.onnx"
    file.write_bytes(damaged)
    try:
        report = check(file)
    except PremotorError:
        return
    assert report.json()["nodes"]


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    with file.open("wb") as handle:
        handle.truncate(2**31 + 5)
    with pytest.raises(ModelTooLarge, match="external data"):
        check(file)


def test_dynamic_shapes_are_refused_and_can_be_fixed(net: Any) -> None:
    model = net.model({"x": ("batch", 4, 8, 8)}, [net.op("Relu", "x")])
    with pytest.raises(DynamicShapes, match=r"x \[batch, 4, 8, 8\].*--shape"):
        check_model(model, make_target())
    assert check_model(model, make_target(), shapes={"x": SHAPE}).share_on_dla == 1.0


def test_a_given_shape_must_fit(net: Any) -> None:
    model = net.model({"x": ("batch", 4, 8, 8)}, [net.op("Relu", "x")])
    with pytest.raises(UsageError, match="the model's inputs are x"):
        check_model(model, make_target(), shapes={"y": SHAPE})
    for wrong in ((1, 5, 8, 8), (1, 4, 8)):
        with pytest.raises(UsageError, match="the model has"):
            check_model(model, make_target(), shapes={"x": wrong})


def _save_external(folder: Path, net: Any) -> Path:
    model = net.model({"x": SHAPE}, [net.conv("x", 4, 4, 3)])
    file = folder / "m.onnx"
    onnx.save_model(model, str(file), save_as_external_data=True, location="weights.bin", size_threshold=0)
    return file


def test_external_weights(tmp_path: Path, net: Any) -> None:
    file = _save_external(tmp_path, net)
    assert check(file).share_on_dla == 1.0
    weights = tmp_path / "weights.bin"
    weights.write_bytes(weights.read_bytes()[:10])
    with pytest.raises(ExternalDataMissing, match="ends before"):
        check(file)
    weights.unlink()
    with pytest.raises(ExternalDataMissing, match="is not there"):
        check(file)


def test_external_weights_outside_the_folder_are_refused(tmp_path: Path, net: Any) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    file = _save_external(folder, net)
    model = onnx.load_model(str(file), load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = "../weights.bin" if entry.key == "location" else entry.value
    (tmp_path / "weights.bin").write_bytes(b"\0" * 4096)
    file.write_bytes(model.SerializeToString())
    with pytest.raises(ExternalDataMissing, match="outside"):
        check(file)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([("Relu", ["nowhere"], ["y"])], "nothing makes"),
        ([("Relu", ["x"], ["y"]), ("Relu", ["x"], ["y"])], "made twice"),
        ([("Add", ["x", "b"], ["a"]), ("Relu", ["a"], ["b"])], "circle"),
        ([("Relu", [], ["y"])], "do not fit together"),
    ],
)
def test_ill_formed_graphs(nodes: list[tuple[str, list[str], list[str]]], message: str) -> None:
    with pytest.raises(ModelUnreadable, match=message):
        check_model(_model([helper.make_node(*node) for node in nodes]), make_target())


def test_an_ill_formed_node_goes_to_the_gpu_by_name() -> None:
    (node,) = check_model(_model([helper.make_node("Conv", ["x"], ["y"])]), make_target()).nodes
    assert (node.verdict.placement, node.verdict.rule.name) == ("gpu", "ill-formed")


def _model(nodes: list[Any], opset: int = 17) -> Any:
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    return helper.make_model(helper.make_graph(nodes, "g", given, made), opset_imports=[helper.make_opsetid("", opset)])


def test_nodes_out_of_order_and_without_names_are_read() -> None:
    model = _model([helper.make_node("Relu", ["a"], ["y"]), helper.make_node("Tanh", ["x"], ["a"])])
    assert [node.name for node in check_model(model, make_target()).nodes] == ["Tanh_1", "Relu_0"]


def test_local_functions_are_inlined(tmp_path: Path) -> None:
    body = [helper.make_node("Relu", ["a"], ["b"]), helper.make_node("Tanh", ["b"], ["c"])]
    function = helper.make_function("own", "Both", ["a"], ["c"], body, [helper.make_opsetid("", 17)])
    model = _model([helper.make_node("Both", ["x"], ["y"], domain="own")])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    file = tmp_path / "m.onnx"
    file.write_bytes(model.SerializeToString())
    assert [node.op for node in check(file).nodes] == ["Relu", "Tanh"]


def test_an_fp32_graph_is_refused_where_types_are_strong(net: Any, networks: ModuleType) -> None:
    target = make_target("agx_orin_64", "fp16", "11.4.1")
    with pytest.raises(DlaUnavailable, match="autocast"):
        check_model(net.model({"x": SHAPE}, [net.op("Relu", "x")]), target)
    half = networks.Net(dtype=np.float16)
    assert check_model(half.model({"x": SHAPE}, [half.op("Relu", "x")]), target).share_on_dla == 1.0


def test_a_shape_worked_out_from_shapes_is_folded(net: Any) -> None:
    sizes = net.op("Shape", "x")
    batch = net.op("Gather", sizes, net.constant([0], np.int64))
    wanted = net.op("Concat", batch, net.ints(-1), axis=0)
    report = check_model(net.model({"x": SHAPE}, [net.op("Reshape", "x", wanted)]), make_target())
    assert [node.verdict.rule.name for node in report.nodes] == ["folded", "folded", "folded", "shuffle"]
    assert report.nodes[-1].verdict.found == "(1, 4, 8, 8) to (1, 256)"


def test_the_size_limit_is_what_protobuf_can_hold() -> None:
    assert reading._MOST_BYTES == 2**31 - 1
