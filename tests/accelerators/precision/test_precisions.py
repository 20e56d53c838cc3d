from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.errors import CompileRefused, WrongTensor
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.precision.accuracy import check_accuracy, largest_error
from premotor_accelerators.precision.calibration import ranges_of
from premotor_accelerators.precision.graph_checks import check_graph, check_half_range, parse_model
from premotor_accelerators.precision.half import rounded_to_half, to_half
from premotor_accelerators.precision.quantized import with_qdq
from premotor_accelerators.precision.recordings import Recorder, read_recordings, record
from premotor_foundation.errors import UsageError


def run(model: Any, inputs: dict[str, Any]) -> Any:
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


def parsed(toy: Any) -> Any:
    return parse_model(toy.name, toy.onnx())


def test_half_keeps_the_face_in_float_and_computes_in_half(conv_toy: Any) -> None:
    toy, sample = conv_toy(), conv_toy().example(1)
    model = to_half(parsed(toy), "float")
    check_graph(toy, model)
    result = run(model, sample)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, toy.reference(sample)["y"], atol=2e-3)


def test_half_edges_take_and_give_half(conv_toy: Any) -> None:
    toy, sample = conv_toy(), conv_toy().example(2)
    result = run(to_half(parsed(toy), "half"), {"x": sample["x"].astype(np.float16)})
    assert result.dtype == np.float16
    np.testing.assert_allclose(result, toy.reference(sample)["y"], atol=2e-3)


def test_rounding_to_half_is_what_half_arithmetic_gives(conv_toy: Any) -> None:
    toy, sample = conv_toy(), conv_toy().example(3)
    rounded = rounded_to_half(parsed(toy))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(rounded.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result = session.run(None, sample)[0]
    np.testing.assert_array_equal(result, result.astype(np.float16))
    x = sample["x"].astype(np.float16).astype(np.float32)
    relu = (toy.reference({"x": x})["y"] + np.float32(0.5)).astype(np.float16)
    np.testing.assert_array_equal(result, relu - np.float16(0.5))


def test_the_source_of_a_rewrite_is_untouched(conv_toy: Any) -> None:
    toy = conv_toy()
    model = parsed(toy)
    before = model.SerializeToString()
    to_half(model, "half")
    with_qdq("toy", model, ranges_of("toy", model, [toy.example(0)]))
    assert model.SerializeToString() == before


def test_resize_keeps_its_scales_in_float() -> None:
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="nearest")
    scales = numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scales")
    info = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", (1, 1, 2, 2)), ("y", (1, 1, 4, 4)))
    ]
    graph = helper.make_graph([node], "g", info[:1], info[1:], [scales])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    assert run(to_half(model, "float"), {"x": np.ones((1, 1, 2, 2), np.float32)}).shape == (1, 1, 4, 4)


def test_ranges_are_the_largest_magnitudes_over_all_recordings(conv_toy: Any) -> None:
    toy = conv_toy()
    samples = [{"x": np.full(toy.shape, value, np.float32)} for value in (0.5, -4.0, 1.0)]
    ranges = ranges_of("toy", parsed(toy), samples)
    assert ranges["x"] == 4.0 and ranges["cross"] == 0.25
    assert ranges["c"] == 5.0 and ranges["r"] == 1.25 and ranges["y"] == 0.75


def test_int8_is_within_half_a_step_of_each_quantized_tensor(conv_toy: Any) -> None:
    toy = conv_toy()
    samples = [toy.example(seed) for seed in range(4)]
    ranges = ranges_of("toy", parsed(toy), samples)
    model = with_qdq("toy", parsed(toy), ranges)
    kinds = [node.op_type for node in model.graph.node]
    assert kinds.count("QuantizeLinear") == kinds.count("DequantizeLinear") == 2
    step = ranges["x"] / 127 / 2 * 5 * toy.scale + ranges["cross"] / 127 / 2 * 5 * ranges["x"]
    assert 0 < largest_error(toy, model, samples) <= step


def test_a_constant_of_zeros_has_a_range(conv_toy: Any) -> None:
    toy = conv_toy(scale=0.0)
    assert ranges_of("toy", parsed(toy), [toy.example(0)])["cross"] == 1.0


def test_int8_everywhere_quantizes_what_any_operator_reads(conv_toy: Any) -> None:
    toy = conv_toy()
    samples = [toy.example(seed) for seed in range(4)]
    ranges = ranges_of("toy", parsed(toy), samples)
    model = with_qdq("toy", parsed(toy), ranges, everywhere=True)
    sources = {node.input[0] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    assert sources == {"x", "cross", "c", "r"}
    assert largest_error(toy, model, samples) > largest_error(toy, with_qdq("toy", parsed(toy), ranges), samples)


def test_int8_without_recordings_or_without_anything_to_quantize_is_refused(conv_toy: Any) -> None:
    with pytest.raises(CompileRefused, match="recorded costmaps"):
        ranges_of("toy", parsed(conv_toy()), [])
    with pytest.raises(CompileRefused, match="always zero"):
        with_qdq("toy", parsed(conv_toy()), {"cross": 1.0})
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2,)) for name in ("x", "y")]
    model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", info[:1], info[1:]))
    with pytest.raises(CompileRefused, match="no operator of the graph computes in int8"):
        with_qdq("toy", model, {"x": 1.0})


def test_recordings_that_are_not_finite_are_refused_not_calibrated_with(conv_toy: Any) -> None:
    toy = conv_toy()
    with pytest.raises(CompileRefused, match=r"recording 1 makes `x` NaN"):
        ranges_of("toy", parsed(toy), [toy.example(0), {"x": np.full(toy.shape, np.nan, np.float32)}])


def test_an_error_above_the_tolerance_is_refused_with_the_better_precision(conv_toy: Any) -> None:
    toy = conv_toy(tolerance=1e-7)
    with pytest.raises(CompileRefused, match=r"at fp16 .* tolerance is 1e-07; compile with fp32"):
        check_accuracy(toy, rounded_to_half(parsed(toy)), "fp16", [toy.example(0)])
    assert 0 < check_accuracy(conv_toy(), rounded_to_half(parsed(toy)), "fp16", [toy.example(0)]) < 1e-2


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf])
def test_constants_that_are_not_finite_are_refused(scale: float, conv_toy: Any) -> None:
    with np.errstate(invalid="ignore"):
        toy = conv_toy(scale=scale)
        with pytest.raises(CompileRefused, match="`cross` holds NaN or infinity"):
            check_graph(toy, parsed(toy))


def test_constants_beyond_half_precision_are_refused(conv_toy: Any) -> None:
    check_half_range("toy", parsed(conv_toy(scale=65504.0)))
    with pytest.raises(CompileRefused, match=r"`cross` reaches 70000; half precision ends at 65504.*fp32"):
        check_half_range("toy", parsed(conv_toy(scale=70000.0)))


def test_dynamic_shapes_and_wrong_faces_are_refused(conv_toy: Any) -> None:
    toy, model = conv_toy(), parsed(conv_toy())
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    with pytest.raises(CompileRefused, match=r"dynamic shape.*fixed sizes"):
        check_graph(toy, model)
    with pytest.raises(CompileRefused, match="make them equal"):
        check_graph(conv_toy(shape=(1, 1, 8, 13)), parsed(toy))
    with pytest.raises(CompileRefused, match="not a valid ONNX model"):
        parse_model("toy", toy.onnx()[:50])


def test_recordings_are_read_as_they_were_recorded(conv_toy: Any, tmp_path: Path) -> None:
    toy = conv_toy()
    for number in range(6):
        record(tmp_path, toy, number, toy.example(number))
    read = read_recordings(tmp_path, toy, most=3)
    assert len(read) == 3
    np.testing.assert_array_equal(read[1]["x"], toy.example(2)["x"])


def test_a_recorder_keeps_some_runs_and_changes_none(conv_toy: Any, tmp_path: Path) -> None:
    toy = conv_toy()
    recorder = Recorder(CpuDevice().compile(toy), toy, tmp_path, every=3, most=2)
    for seed in range(9):
        outputs = {"y": np.zeros(toy.shape, np.float32)}
        recorder.run(toy.example(seed), outputs)
        np.testing.assert_allclose(outputs["y"], toy.reference(toy.example(seed))["y"], atol=1e-6)
    kept = read_recordings(tmp_path, toy)
    assert len(kept) == 2 and recorder.profile(2).runs == 2
    np.testing.assert_array_equal(kept[1]["x"], toy.example(3)["x"])


def test_recordings_that_are_damaged_foreign_or_missing_are_named(conv_toy: Any, tmp_path: Path) -> None:
    toy = conv_toy()
    with pytest.raises(UsageError, match="holds no conv_toy"):
        read_recordings(tmp_path, toy)
    path = record(tmp_path, toy, 0, toy.example(0))
    with pytest.raises(WrongTensor, match="`x`"):
        record(tmp_path, toy, 1, {"x": np.zeros(3, np.float32)})
    with pytest.raises(WrongTensor, match="`x` is float32"):
        read_recordings(tmp_path, conv_toy(shape=(1, 1, 4, 4)))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(UsageError, match="not a recording"):
        read_recordings(tmp_path, toy)
    record(tmp_path, toy, 0, {"x": np.full(toy.shape, np.inf, np.float32)})
    with pytest.raises(WrongTensor, match="NaN or infinity"):
        read_recordings(tmp_path, toy)
