"""One layer at a time against the limits of the layer tables."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from premotor_accelerators.dla.checker import check_model
from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rules.convolution import banks
from premotor_accelerators.dla.rules.windows import Window
from premotor_accelerators.dla.target import make_target

SHAPE = (1, 8, 32, 32)


def verdict(net: Any, value: str, shape: tuple[int, ...] = SHAPE, **target: str) -> tuple[str, str]:
    """Placement and rule of the last node."""
    report = check_model(net.model({"x": shape}, [value]), make_target(**target))
    found = report.nodes[-1].verdict
    assert found.placement == "dla" or found.remedy
    return found.placement, found.rule.name


def conv(net: Any, kernel: int = 3, cin: int = 8, cout: int = 8, **attributes: Any) -> str:
    weights = net.weight(cout, cin // attributes.get("group", 1), kernel, kernel)
    return str(net.op("Conv", "x", weights, kernel_shape=[kernel, kernel], **attributes))


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"kernel": 3, "pads": [1] * 4}, ("dla", "convolution")),
        ({"kernel": 32}, ("dla", "convolution")),
        ({"kernel": 3, "strides": [8, 8]}, ("dla", "convolution")),
        ({"kernel": 3, "strides": [9, 9]}, ("gpu", "convolution")),
        ({"kernel": 1, "pads": [1] * 4}, ("gpu", "convolution")),
        ({"kernel": 3, "pads": [6] * 4, "dilations": [6, 6]}, ("conditional", "dilated-padding")),
        ({"kernel": 3, "group": 8, "auto_pad": "SAME_UPPER"}, ("dla", "convolution")),
        ({"kernel": 1, "cout": 8193}, ("gpu", "convolution")),
    ],
)
def test_convolution(net: Any, attributes: dict[str, Any], expected: tuple[str, str]) -> None:
    assert verdict(net, conv(net, **attributes)) == expected


def test_a_kernel_of_33_is_too_large(net: Any) -> None:
    assert verdict(net, conv(net, kernel=33, pads=[1] * 4)) == ("gpu", "convolution")


def test_convolutions_over_one_or_three_dimensions_are_refused(net: Any) -> None:
    value = net.op("Conv", "x", net.weight(4, 8, 3))
    assert verdict(net, value, (1, 8, 32)) == ("gpu", "convolution-rank")


def test_weights_computed_at_run_time_are_refused(net: Any) -> None:
    assert verdict(net, net.op("Conv", "x", net.op("Relu", "x")), (8, 8, 3, 3)) == ("gpu", "constant-weights")


def square(kernel: int, dilation: int = 1) -> Window:
    return Window((kernel, kernel), (1, 1), (dilation, dilation), (0, 0, 0, 0))


def test_the_buffer_rule_gives_the_published_examples() -> None:
    assert banks(512, 512, square(3), 56, 1) == 4
    assert banks(512, 512, square(7), 1024, 2) == 226


def test_dilation_counts_in_the_buffer() -> None:
    assert banks(512, 512, square(3, 2), 56, 1) == 1 + -(-224 * 5 // 256)


@pytest.mark.parametrize(
    ("tensorrt", "expected"),
    [
        ("8.5.2", ("dla", "convolution")),
        ("8.6.2", ("gpu", "convolution-buffer")),
        ("10.3", ("gpu", "convolution-buffer")),
    ],
)
def test_the_buffer_rule_is_enforced_from_86_on(net: Any, tensorrt: str, expected: tuple[str, str]) -> None:
    value = conv(net, kernel=7, cin=512, cout=1)
    assert verdict(net, value, (1, 512, 8, 1024), tensorrt=tensorrt) == expected


def test_int8_halves_what_the_buffer_must_hold(net: Any) -> None:
    model_value = conv(net, kernel=3, cin=512, cout=1)
    assert verdict(net, model_value, (1, 512, 8, 200), precision="int8")[0] == "dla"
    assert verdict(net, model_value, (1, 512, 8, 200), precision="fp16")[0] == "gpu"


def test_groups_that_may_share_the_buffer_are_conditional(net: Any) -> None:
    value = conv(net, kernel=5, cin=1024, cout=1024, group=1024)
    assert verdict(net, value, (1, 1024, 16, 128)) == ("conditional", "grouped-buffer")


@pytest.mark.parametrize(
    ("kernel", "attributes", "placement"),
    [
        ((2, 2), {"strides": [2, 2]}, "dla"),
        ((64, 1), {"strides": [64, 1]}, "dla"),
        ((24, 24), {"strides": [2, 2]}, "gpu"),
        ((33, 2), {"strides": [2, 2]}, "gpu"),
        ((3, 3), {"pads": [1] * 4}, "gpu"),
        ((2, 2), {"group": 2}, "gpu"),
    ],
)
def test_deconvolution(net: Any, kernel: tuple[int, int], attributes: dict[str, Any], placement: str) -> None:
    value = net.op("ConvTranspose", "x", net.weight(8, 4, *kernel), kernel_shape=list(kernel), **attributes)
    assert verdict(net, value, (1, 8, 4, 4)) == (placement, "deconvolution")


@pytest.mark.parametrize(
    ("op", "attributes", "expected"),
    [
        ("MaxPool", {"kernel_shape": [8, 8]}, ("dla", "pooling")),
        ("MaxPool", {"kernel_shape": [9, 1]}, ("gpu", "pooling")),
        ("MaxPool", {"kernel_shape": [3, 3], "strides": [16, 16]}, ("dla", "pooling")),
        ("MaxPool", {"kernel_shape": [3, 3], "strides": [17, 1]}, ("gpu", "pooling")),
        ("MaxPool", {"kernel_shape": [3, 3], "dilations": [2, 2]}, ("gpu", "pooling")),
        ("AveragePool", {"kernel_shape": [2, 2]}, ("dla", "pooling")),
        ("AveragePool", {"kernel_shape": [3, 3], "pads": [1] * 4}, ("conditional", "average-padding")),
        ("GlobalAveragePool", {}, ("gpu", "global-average")),
        ("ReduceMean", {"axes": [2, 3]}, ("gpu", "global-average")),
        ("GlobalMaxPool", {}, ("conditional", "global-maximum")),
        ("Relu", {}, ("dla", "activation")),
        ("Sigmoid", {}, ("dla", "activation")),
        ("Tanh", {}, ("dla", "activation")),
        ("Abs", {}, ("dla", "unary")),
        ("LeakyRelu", {}, ("dla", "leaky-relu")),
        ("HardSwish", {}, ("gpu", "hard-activation")),
        ("Elu", {}, ("gpu", "unsupported")),
        ("Sin", {}, ("conditional", "trigonometry")),
        ("TopK", {}, ("gpu", "never")),
        ("Neg", {}, ("gpu", "reconstruction")),
        ("LRN", {"size": 5}, ("dla", "lrn")),
        ("LRN", {"size": 11}, ("gpu", "lrn")),
        ("Identity", {}, ("conditional", "identity")),
        ("Transpose", {"perm": [0, 1, 2, 3]}, ("dla", "removed")),
        ("Transpose", {"perm": [0, 2, 3, 1]}, ("conditional", "shuffle")),
        ("Flatten", {"axis": 1}, ("gpu", "flatten")),
        ("Softmax", {"axis": 1}, ("gpu", "softmax")),
        ("DepthToSpace", {"blocksize": 2}, ("gpu", "reconstruction")),
    ],
)
def test_layers_of_one_input(net: Any, op: str, attributes: dict[str, Any], expected: tuple[str, str]) -> None:
    extra = [net.ints(3)] if op == "TopK" else []
    value = net.op(op, "x", *extra, outs=2 if op == "TopK" else 1, **attributes)
    assert verdict(net, value if isinstance(value, str) else value[0]) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 6.0, ("dla", "clip")),
        (0.0, 127.0, ("dla", "clip")),
        (0.0, 2048.0, ("gpu", "clip")),
        (0.0, 0.5, ("gpu", "clip")),
        (-1.0, 1.0, ("conditional", "clip-below")),
        (0.0, inf, ("dla", "clip")),
    ],
)
def test_clip(net: Any, low: float, high: float, expected: tuple[str, str]) -> None:
    assert verdict(net, net.op("Clip", "x", net.constant(low), net.constant(high))) == expected


@pytest.mark.parametrize(
    ("op", "shape", "expected"),
    [
        ("Add", (), ("dla", "scale")),
        ("Sub", (8, 1, 1), ("dla", "scale")),
        ("Mul", (1, 8, 32, 32), ("dla", "scale")),
        ("Mul", (32, 32), ("conditional", "scale")),
        ("Max", (), ("conditional", "constant-operand")),
        ("Div", (), ("gpu", "division")),
        ("Pow", (), ("gpu", "power")),
    ],
)
def test_arithmetic_with_a_constant(net: Any, op: str, shape: tuple[int, ...], expected: tuple[str, str]) -> None:
    assert verdict(net, net.op(op, "x", net.constant(np.full(shape, 2.0)))) == expected


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Max", "Sum"])
def test_arithmetic_between_tensors(net: Any, op: str) -> None:
    assert verdict(net, net.op(op, net.op("Relu", "x"), "x")) == ("dla", "elementwise")


def test_a_minimum_is_conditional_and_a_channel_may_be_spread(net: Any) -> None:
    assert verdict(net, net.op("Min", net.op("Relu", "x"), "x")) == ("conditional", "minimum")
    point = net.op("AveragePool", "x", kernel_shape=[8, 8])
    assert verdict(net, net.op("Mul", point, "x"), (1, 8, 8, 8)) == ("dla", "elementwise-broadcast")


def test_joining_along_channels_only(net: Any) -> None:
    other = net.op("Relu", "x")
    assert verdict(net, net.op("Concat", "x", other, axis=1)) == ("dla", "concatenation")
    assert verdict(net, net.op("Concat", "x", other, axis=-3)) == ("dla", "concatenation")
    assert verdict(net, net.op("Concat", "x", other, axis=2)) == ("gpu", "concatenation")
    assert verdict(net, net.op("Concat", "x", axis=1)) == ("dla", "removed")


@pytest.mark.parametrize(
    ("axis", "step", "placement"), [(1, 1, "dla"), (3, 1, "dla"), (0, 1, "gpu"), (2, 2, "gpu"), (-1, 1, "dla")]
)
def test_slices(net: Any, axis: int, step: int, placement: str) -> None:
    bounds = [net.ints(0), net.ints(4), net.ints(axis), net.ints(step)]
    assert verdict(net, net.op("Slice", "x", *bounds), (8, 8, 8, 8)) == (placement, "slice")


def resized(net: Any, scales: Any = None, sizes: Any = None, **attributes: Any) -> str:
    grid = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", **attributes}
    given = ["", net.constant(scales, np.float32)] if scales else ["", "", net.ints(*sizes)]
    return str(net.op("Resize", "x", *given, **grid))


@pytest.mark.parametrize(
    ("options", "placement"),
    [
        ({"scales": [1, 1, 2, 2]}, "dla"),
        ({"scales": [1, 1, 2, 2], "nearest_mode": "ceil"}, "gpu"),
        ({"scales": [1, 1, 1.5, 2]}, "gpu"),
        ({"scales": [1, 2, 1, 1]}, "gpu"),
        ({"scales": [1, 1, 4, 4], "mode": "linear", "coordinate_transformation_mode": "half_pixel"}, "dla"),
        ({"scales": [1, 1, 5, 5], "mode": "linear", "coordinate_transformation_mode": "half_pixel"}, "gpu"),
        ({"scales": [1, 1, 2, 2], "mode": "linear", "coordinate_transformation_mode": "align_corners"}, "gpu"),
        ({"scales": [1, 1, 2, 2], "mode": "cubic"}, "gpu"),
        ({"sizes": [1, 8, 64, 64]}, "gpu"),
    ],
)
def test_resizing(net: Any, options: dict[str, Any], placement: str) -> None:
    assert verdict(net, resized(net, **options)) == (placement, "resize")


def test_softmax_over_points(net: Any) -> None:
    assert verdict(net, net.op("Softmax", "x", axis=1), (1, 1000, 1, 1)) == ("dla", "softmax")
    assert verdict(net, net.op("Softmax", "x", axis=1), (1, 1000)) == ("conditional", "rank")


def test_products(net: Any) -> None:
    assert verdict(net, net.gemm("x", 8, 4), (2, 8)) == ("conditional", "fully-connected")
    assert verdict(net, net.gemm("x", 8, 4), (2, 8), tensorrt="8.6.2") == ("conditional", "rank")
    assert verdict(net, net.op("MatMul", "x", "x"), (1, 4, 8, 8)) == ("gpu", "matmul-two-inputs")


def test_parametric_slopes_want_the_rank_of_the_input(net: Any) -> None:
    assert verdict(net, net.op("PRelu", "x", net.weight(1, 8, 1, 1))) == ("dla", "parametric-relu")
    assert verdict(net, net.op("PRelu", "x", net.weight(8, 1, 1))) == ("conditional", "parametric-relu")


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((4096, 8, 4, 4), ("dla", "activation")),
        ((4097, 8, 4, 4), ("gpu", "batch")),
        ((1, 1, 4, 8192), ("dla", "activation")),
        ((1, 1, 4, 8193), ("gpu", "size")),
        ((2, 3, 8, 4, 4), ("conditional", "rank")),
    ],
)
def test_batch_size_and_rank(net: Any, shape: tuple[int, ...], expected: tuple[str, str]) -> None:
    assert verdict(net, net.op("Relu", "x"), shape) == expected


def test_a_comparison_is_cast_at_once(net: Any) -> None:
    equal = net.op("Equal", "x", net.op("Relu", "x"))
    cast = net.op("Cast", equal, to=TensorProto.FLOAT)
    report = check_model(net.model({"x": SHAPE}, [cast]), make_target())
    assert [node.verdict.placement for node in report.nodes] == ["dla"] * 3


def test_integers_and_data_dependent_shapes_go_to_the_gpu(net: Any) -> None:
    whole = net.op("Cast", "x", to=TensorProto.INT32)
    assert verdict(net, net.op("Add", whole, whole)) == ("gpu", "data-type")
    assert verdict(net, net.op("Abs", net.op("Compress", "x", net.op("Cast", "x", to=TensorProto.BOOL))), (4,)) == (
        "gpu",
        "static-shape",
    )


def test_an_operator_of_another_domain_is_a_plugin(net: Any) -> None:
    model = net.model({"x": SHAPE}, [net.op("Magic", "x", domain="acme")])
    del model.opset_import[1:]  # some exporters forget to declare it
    (node,) = check_model(model, make_target()).nodes
    assert (node.op, node.verdict.placement, node.verdict.rule.name) == ("acme.Magic", "gpu", "foreign")


def test_a_layer_knows_a_left_out_input(net: Any) -> None:
    from premotor_accelerators.dla.checker import read_layers

    (layer,) = read_layers(net.model({"x": SHAPE}, [net.op("Clip", "x", "", net.constant(6.0))]), make_target())
    assert isinstance(layer, Layer)
    assert not layer.has(1)
    assert layer.scalar(2) == 6.0
