"""Activations."""

from __future__ import annotations

from math import inf

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.sources import DERIVED, HEADER, LAYERS, OPERATORS

ACTIVATION = Rule("activation", "ReLU, Sigmoid and TanH (int8 tensors run as fp16)", LAYERS, "A")
LEAKY = Rule(
    "leaky-relu", "the guide and the operator matrix have LeakyReLU, the 11.1 header does not",
    f"{LAYERS}; {OPERATORS}; {HEADER}", "B",
)  # fmt: skip
ABSOLUTE = Rule("unary", "of the unary operations only ABS", HEADER, "A")
CLIP = Rule("clip", "ReLU clipped at a bound in 1..127", LAYERS, "A")
CLIP_BELOW = Rule("clip-below", "whether a lower bound other than 0 is taken is not documented", DERIVED, "C")
PARAMETRIC = Rule("parametric-relu", "slopes known at build time, of the input's rank", LAYERS, "A")
HARD = Rule("hard-activation", "HardSigmoid and HardSwish are not supported", OPERATORS, "A")


def activation(layer: Layer) -> Verdict:
    """The verdict on `Relu`, `Sigmoid`, `Tanh`."""
    return runs(ACTIVATION)


def absolute(layer: Layer) -> Verdict:
    """The verdict on `Abs`."""
    return runs(ABSOLUTE)


def leaky(layer: Layer) -> Verdict:
    """The verdict on `LeakyRelu`."""
    if layer.target.version >= (11,):
        return unsure(LEAKY, f"TensorRT {layer.target.tensorrt}", "use ReLU")
    return runs(LEAKY)


def clip(layer: Layer) -> Verdict:
    """The verdict on `Clip`."""
    low, high = _bound(layer, 1, "min", -inf), _bound(layer, 2, "max", inf)
    if low is None or high is None:
        return refused(CLIP, "bounds computed at run time", "store the bounds as constants")
    if low == 0 and (high == inf or 1 <= high <= 127):
        return runs(CLIP)
    found = f"bounds {low:g} and {high:g}"
    if low == 0 or not (1 <= high <= 127 or high == inf):
        return refused(CLIP, found, "scale the values so that the upper bound is in 1..127")
    return unsure(CLIP_BELOW, found, "shift the values so that the lower bound is 0")


def _bound(layer: Layer, index: int, attribute: str, missing: float) -> float | None:
    if layer.has(index):
        return layer.scalar(index)
    return float(layer.node.attribute(attribute, missing))


def parametric(layer: Layer) -> Verdict:
    """The verdict on `PRelu`."""
    given, slopes = layer.shape(0), layer.shape(1)
    if not layer.is_constant(1):
        return refused(PARAMETRIC, "slopes computed at run time", "store the slopes as an initializer")
    if given is None or slopes is None or len(given) != len(slopes):
        return unsure(PARAMETRIC, f"slopes {slopes} for input {given}", "store the slopes as 1,C,1,1")
    return runs(PARAMETRIC)


def hard(layer: Layer) -> Verdict:
    """The verdict on `HardSigmoid` and `HardSwish`."""
    return refused(HARD, layer.node.op, "write it as Mul, Add, Clip (0..6 for hard-swish) and Mul")
