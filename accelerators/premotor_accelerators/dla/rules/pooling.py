"""Pools."""

from __future__ import annotations

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.rules.windows import pool_window
from premotor_accelerators.dla.sources import GUIDE_85, LAYERS, OPERATORS

POOLING = Rule("pooling", "2-D, maximum or average; window 1..8, padding 0..7, stride 1..16", LAYERS, "A")
AVERAGE_PADDING = Rule(
    "average-padding", "guides differ on whether the padding of an average may count", f"{LAYERS}; {GUIDE_85}", "B"
)
GLOBAL_AVERAGE = Rule("global-average", "GlobalAveragePool and ReduceMean are not supported", OPERATORS, "A")
GLOBAL_MAXIMUM = Rule(
    "global-maximum", "the maximum over a map is a native reduction from 8.6.12 on (DRIVE OS)", OPERATORS, "A"
)


def pool(layer: Layer) -> Verdict:
    """The verdict on `MaxPool` and `AveragePool`."""
    window = pool_window(layer)
    if window is None:
        return refused(POOLING, f"input {layer.shape(0)}", "pool over height and width of an N,C,H,W tensor")
    if layer.node.op == "MaxPool" and (len(list(filter(None, layer.node.outputs))) > 1 or set(window.dilation) != {1}):
        return refused(POOLING, "indices or dilation", "export without return_indices and dilation")
    fits = max(window.kernel) <= 8 and max(window.pads) <= 7 and min(window.pads) >= 0 and max(window.stride) <= 16
    if not fits:
        return refused(POOLING, f"{window}", "use a cascade of smaller windows")
    if layer.node.op == "AveragePool" and any(window.pads):
        remedy = "pad by zero in the convolution before, or average without padding"
        return unsure(AVERAGE_PADDING, f"{window}", remedy)
    return runs(POOLING)


def global_average(layer: Layer) -> Verdict:
    """The verdict on `GlobalAveragePool` and `ReduceMean`."""
    remedy = "use a depthwise convolution with weights 1/(H*W), or a cascade of AveragePool up to 8x8"
    return refused(GLOBAL_AVERAGE, f"over {layer.shape(0)}", remedy)


def global_maximum(layer: Layer) -> Verdict:
    """The verdict on `GlobalMaxPool` and `ReduceMax`."""
    remedy = "use a cascade of MaxPool up to 8x8"
    if layer.target.version < (8, 7):
        return refused(GLOBAL_MAXIMUM, f"TensorRT {layer.target.tensorrt}", remedy)
    return unsure(GLOBAL_MAXIMUM, "not seen on a Jetson", remedy)
