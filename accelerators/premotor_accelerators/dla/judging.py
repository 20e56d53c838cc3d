"""One verdict for one node: the operator's rule, then what holds for every layer."""

from __future__ import annotations

from collections.abc import Callable

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Verdict, refused, runs, worse
from premotor_accelerators.dla.rules import (
    activations,
    convolution,
    elementwise,
    linear,
    normalising,
    pooling,
    resizing,
    shaping,
    unsupported,
)  # fmt: skip
from premotor_accelerators.dla.rules.general import FOLDED, ILL_FORMED, UNREAD, general

_Rule = Callable[[Layer], Verdict]

_RULES: dict[str, _Rule] = {
    **dict.fromkeys(unsupported.UNSUPPORTED_OPS, unsupported.unsupported),
    **dict.fromkeys(unsupported.NEVER_OPS, unsupported.never),
    **dict.fromkeys(unsupported.TRIGONOMETRY_OPS, unsupported.trigonometry),
    **dict.fromkeys(shaping.REARRANGED_OPS, shaping.rearranged),
    **dict.fromkeys(("Relu", "Sigmoid", "Tanh"), activations.activation),
    **dict.fromkeys(("Add", "Sub", "Mul", "Sum", "Max", "Min"), elementwise.arithmetic),
    **dict.fromkeys(("Equal", "Greater", "Less"), elementwise.comparison),
    **dict.fromkeys(("MaxPool", "AveragePool"), pooling.pool),
    **dict.fromkeys(("GlobalAveragePool", "ReduceMean"), pooling.global_average),
    **dict.fromkeys(("GlobalMaxPool", "ReduceMax"), pooling.global_maximum),
    **dict.fromkeys(("Reshape", "Transpose"), shaping.shuffle),
    **dict.fromkeys(("Flatten", "Squeeze", "Unsqueeze"), shaping.flatten),
    **dict.fromkeys(("Identity", "Dropout"), shaping.identity),
    **dict.fromkeys(("Gemm", "MatMul"), linear.product),
    **dict.fromkeys(("Resize", "Upsample"), resizing.resize),
    **dict.fromkeys(("HardSigmoid", "HardSwish"), activations.hard),
    "Abs": activations.absolute,
    "LeakyRelu": activations.leaky,
    "Clip": activations.clip,
    "PRelu": activations.parametric,
    "Conv": convolution.convolution,
    "ConvTranspose": convolution.transposed,
    "Div": elementwise.division,
    "Pow": elementwise.power,
    "Concat": shaping.concatenation,
    "Slice": shaping.slicing,
    "Split": shaping.splitting,
    "Cast": shaping.cast,
    "Softmax": normalising.softmax,
    "LRN": normalising.local,
    "BatchNormalization": normalising.batch,
}


def judge(layer: Layer) -> Verdict:
    """Where this node runs, and by which rule. The stricter of the operator's rule and the general ones."""
    if layer.node.flaw:
        return refused(ILL_FORMED, layer.node.flaw, "export the model anew")
    if not layer.is_needed:
        return runs(UNREAD)
    if layer.is_folded:
        return runs(FOLDED)
    if shaping.changes_nothing(layer):
        return runs(shaping.REMOVED)
    own = _RULES.get(layer.node.op, unsupported.unlisted)(layer)
    return worse(own, general(layer))
