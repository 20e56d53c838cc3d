"""Layers that only move values."""

from __future__ import annotations

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.sources import DERIVED, GUIDE_85, LAYERS, LOG_86, LOG_ORIN, OPERATORS, STRONG

CONCATENATION = Rule(
    "concatenation", "at least two inputs, on the channel axis (third from last); int8 ranges equal", LAYERS, "A"
)
SLICE = Rule("slice", "4-D, constant start, size and stride 1, not on the batch axis", f"{LAYERS}; {LOG_ORIN}", "A")
SLICE_INT8 = Rule("slice-int8", "slices were fp16 only in the 8.5 guide", GUIDE_85, "B")
SHUFFLE = Rule(
    "shuffle", "reshape and transpose are listed, yet build logs show most of them on the GPU",
    f"{OPERATORS}; {LOG_86}; {LOG_ORIN}", "B",
)  # fmt: skip
REMOVED = Rule("removed", "a layer that changes nothing is removed at build", DERIVED, "C")
FLATTEN = Rule("flatten", "Flatten, Squeeze and Unsqueeze are not supported", OPERATORS, "A")
FLATTEN_POINT = Rule(
    "flatten-point", "a flattening of 1x1 maps before or after a DLA layer may be removed", DERIVED, "C"
)
IDENTITY = Rule("identity", "Identity and Dropout are to be taken out of the graph", OPERATORS, "A")
CAST = Rule("cast", "Cast runs only right after a comparison", OPERATORS, "A")
QUANTISED = Rule(
    "explicit-quantisation", "strongly typed networks carry Q/DQ; what DLA takes of it is open", STRONG, "C"
)
REARRANGED = Rule("reconstruction", "the graph must be rebuilt from native operators first", OPERATORS, "A")


def concatenation(layer: Layer) -> Verdict:
    """The verdict on `Concat`."""
    out, axis = layer.out or (), layer.node.attribute("axis", 1)
    axis += len(out) if axis < 0 else 0
    if len(out) < 3 or axis != len(out) - 3:
        return refused(CONCATENATION, f"axis {axis} of {out}", "join along the channels of N,C,H,W tensors")
    if len(layer.data_inputs) < 2 or any(layer.is_constant(i) for i in range(len(layer.node.inputs))):
        return refused(CONCATENATION, "fewer than two inputs that flow", "feed constants as inputs")
    return runs(CONCATENATION)


def slicing(layer: Layer) -> Verdict:
    """The verdict on `Slice`."""
    starts = layer.numbers(1, "starts")
    if starts is None:
        return refused(SLICE, "bounds computed at run time", "make the bounds constants")
    axes = layer.numbers(3, "axes") or tuple(range(len(starts)))
    steps = layer.numbers(4, "steps") or (1,) * len(starts)
    if set(steps) != {1}:
        return refused(SLICE, f"steps {steps}", "write a strided slice as a strided convolution")
    return _cut(layer, axes)


def splitting(layer: Layer) -> Verdict:
    """The verdict on `Split`, which is a slice for each part."""
    return _cut(layer, (layer.node.attribute("axis", 0),))


def _cut(layer: Layer, axes: tuple[int, ...]) -> Verdict:
    shape = layer.shape(0) or ()
    if len(shape) != 4:
        return refused(SLICE, f"input {shape}", "slice N,C,H,W tensors, before they are reshaped")
    if any(axis % 4 == 0 for axis in axes):
        return refused(SLICE, "on the batch axis", "slice along channels, height or width")
    if layer.target.precision == "int8" and layer.target.version < (8, 6):
        return unsure(SLICE_INT8, f"TensorRT {layer.target.tensorrt}", "check with fp16")
    return runs(SLICE)


def changes_nothing(layer: Layer) -> bool:
    """Whether the output holds the same values in the same order and shape."""
    if layer.node.op == "Transpose":
        shape, order = layer.shape(0) or (), layer.node.attribute("perm")
        moved = [axis for axis in order or reversed(range(len(shape))) if 0 <= axis < len(shape) and shape[axis] != 1]
        return moved == sorted(moved) and layer.shape(0) == layer.out
    if layer.node.op == "Cast":
        types = layer.facts.types
        return types.get(layer.node.inputs[0], -1) == types.get(layer.node.outputs[0], -2)
    same = layer.out is not None and layer.shape(0) == layer.out
    if layer.node.op in ("Slice", "Concat"):
        return same and len(layer.data_inputs) == 1
    if layer.node.op == "Pad":
        return layer.value(1) is not None and not any(layer.numbers(1, "pads") or ())
    return same and layer.node.op in ("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand")


def shuffle(layer: Layer) -> Verdict:
    """The verdict on `Reshape` and `Transpose`."""
    return unsure(SHUFFLE, f"{layer.shape(0)} to {layer.out}", "move it behind the last DLA layer")


def flatten(layer: Layer) -> Verdict:
    """The verdict on `Flatten`, `Squeeze`, `Unsqueeze`."""
    given, out = layer.shape(0) or (), layer.out or ()
    points = given if len(given) >= len(out) else out
    if len(points) == 4 and points[2:] == (1, 1):
        return unsure(FLATTEN_POINT, f"{given} to {out}", "keep four dimensions up to the output")
    return refused(FLATTEN, f"{given} to {out}", "keep four dimensions, and write the Gemm behind it as a convolution")


def identity(layer: Layer) -> Verdict:
    """The verdict on `Identity` and `Dropout`."""
    return unsure(IDENTITY, layer.node.op, "take it out of the graph at export")


def cast(layer: Layer) -> Verdict:
    """The verdict on `Cast`."""
    maker = layer.graph.makers.get(layer.node.inputs[0])
    if maker is not None and layer.graph.nodes[maker].op in ("Equal", "Greater", "Less"):
        return runs(CAST)
    return refused(CAST, "no comparison before it", "export in one precision, and take the Cast out")


def rearranged(layer: Layer) -> Verdict:
    """The verdict on what DLA-SW rebuilds from native operators."""
    if layer.target.gate.strongly_typed and layer.node.op in ("QuantizeLinear", "DequantizeLinear"):
        return unsure(QUANTISED, layer.node.op, "try a build on the board")
    remedy = _REBUILD.get(layer.node.op, "rebuild it from convolutions, slices and arithmetic")
    return refused(REARRANGED, layer.node.op, remedy)


_REBUILD = {
    "Neg": "multiply by -1",
    "Not": "subtract from 1",
    "And": "multiply values of 0 and 1",
    "Or": "take the maximum of values of 0 and 1",
    "Xor": "square the difference of values of 0 and 1",
    "Where": "mask * a + (1 - mask) * b with a mask of 0 and 1",
    "DepthToSpace": "use a transposed convolution with constant weights",
    "SpaceToDepth": "use a strided convolution with constant weights",
    "ReduceSum": "use a convolution with weights of 1",
    "CumSum": "use a convolution with a triangle of ones over the channels",
    "QuantizeLinear": "turn Q/DQ into implicit scales with the qdq-translator of Deep-Learning-Accelerator-SW",
    "DequantizeLinear": "turn Q/DQ into implicit scales with the qdq-translator of Deep-Learning-Accelerator-SW",
    "Gather": "with constant indices: slice and join, or use a 1x1 convolution that selects channels",
}
REARRANGED_OPS = (
    *_REBUILD, "GatherElements", "GatherND", "Scatter", "ScatterElements", "GRU", "LSTM", "RNN",
)  # fmt: skip
