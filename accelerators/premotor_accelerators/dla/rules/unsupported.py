"""Operators that no DLA runs."""

from __future__ import annotations

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, unsure
from premotor_accelerators.dla.sources import DERIVED, LAYERS, OPERATORS

UNSUPPORTED = Rule("unsupported", "the operator matrix lists it as not supported", OPERATORS, "A")
NEVER = Rule("never", "there is no DLA layer for it", LAYERS, "A")
UNLISTED = Rule("unlisted", "what no table lists as native is taken to run on the GPU", DERIVED, "C")
FOREIGN = Rule("foreign", "operators of other domains are plugins, which run on the GPU", LAYERS, "A")
TRIGONOMETRY = Rule("trigonometry", "native from 8.6.12 on (DRIVE OS), not on Jetson 8.6.2", OPERATORS, "A")

_UNSUPPORTED = {
    "Elu": "use ReLU or LeakyReLU",
    "Selu": "use ReLU or LeakyReLU",
    "Celu": "use ReLU or LeakyReLU",
    "Erf": "use ReLU, or hard-swish as Add, Clip and Mul, in place of GELU",
    "Exp": "keep it outside the model",
    "Log": "keep it outside the model",
    "Expand": "store the constant at full size, or let the arithmetic broadcast a channel",
    "Floor": "keep it outside the model",
    "Ceil": "keep it outside the model",
    "Round": "keep it outside the model",
    "Sign": "keep it outside the model",
    "Softplus": "use ReLU",
    "Softsign": "use TanH",
    "Mish": "use SiLU, which is Sigmoid and Mul",
    "Pad": "fold the zeros into the padding of the convolution behind it",
    "Tile": "use Resize by whole scales, or Concat",
    "Sqrt": "keep it outside the model",
    "Reciprocal": "multiply by a stored constant",
    "LayerNormalization": "use BatchNormalization",
    "GroupNormalization": "use BatchNormalization",
    "InstanceNormalization": "use BatchNormalization",
    "MeanVarianceNormalization": "use BatchNormalization",
    "LogSoftmax": "keep it outside the model",
    "GreaterOrEqual": "compare by Sub and a clipped ReLU",
    "LessOrEqual": "compare by Sub and a clipped ReLU",
    "Mean": "use Add, and Mul by a constant",
    "Mod": "keep it outside the model",
    "ReduceMin": "use a cascade of MaxPool up to 8x8 on the negated values",
}
_NEVER = (
    "TopK", "NonMaxSuppression", "NonZero", "Attention", "Loop", "If", "Scan", "Einsum", "GridSample", "ArgMax",
    "ArgMin", "RoiAlign", "ScatterND", "Unique", "Compress", "OneHot", "Range", "RotaryEmbedding",
)  # fmt: skip
_FOR_NEVER = "keep it in the part that runs on the GPU or the CPU, before or behind the DLA part"


def unsupported(layer: Layer) -> Verdict:
    """The verdict on an operator of the table above."""
    return refused(UNSUPPORTED, layer.node.op, _UNSUPPORTED[layer.node.op])


def never(layer: Layer) -> Verdict:
    """The verdict on an operator without a DLA layer."""
    return refused(NEVER, layer.node.op, _FOR_NEVER)


def trigonometry(layer: Layer) -> Verdict:
    """The verdict on `Sin`, `Cos` and their kin."""
    remedy = "compute it before or behind the DLA part, or store a table"
    if layer.target.version < (8, 7):
        return refused(TRIGONOMETRY, f"TensorRT {layer.target.tensorrt}", remedy)
    return unsure(TRIGONOMETRY, "not seen on a Jetson", remedy)


def unlisted(layer: Layer) -> Verdict:
    """The verdict on an operator that no table has."""
    if "." in layer.node.op:
        return refused(FOREIGN, layer.node.op, _FOR_NEVER)
    return refused(UNLISTED, layer.node.op, _FOR_NEVER)


UNSUPPORTED_OPS = tuple(_UNSUPPORTED)
NEVER_OPS = _NEVER
TRIGONOMETRY_OPS = ("Sin", "Cos", "Atan", "Asin", "Acos", "Tan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh")
