"""Normalisation and softmax."""

from __future__ import annotations

from math import prod

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs
from premotor_accelerators.dla.sources import LAYERS, OPERATORS

BATCH = Rule("batch-normalisation", "a scale and shift a channel, known at build time", f"{LAYERS}; {OPERATORS}", "A")
LOCAL = Rule("lrn", "window of 3, 5, 7 or 9, across channels (int8 runs as fp16)", LAYERS, "A")
SOFTMAX = Rule(
    "softmax",
    "Orin only; along channels or one side of the map, the other two being 1, at most 8192 (int8 runs as fp16)",
    LAYERS,
    "A",
)


def batch(layer: Layer) -> Verdict:
    """The verdict on `BatchNormalization`."""
    if layer.node.attribute("training_mode", 0) or not all(layer.is_constant(i) for i in range(1, 5)):
        return refused(BATCH, "statistics of the batch", "export in evaluation mode")
    return runs(BATCH)


def local(layer: Layer) -> Verdict:
    """The verdict on `LRN`."""
    size = layer.node.attribute("size", 0)
    return runs(LOCAL) if size in (3, 5, 7, 9) else refused(LOCAL, f"window {size}", "use a window of 3, 5, 7 or 9")


def softmax(layer: Layer) -> Verdict:
    """The verdict on `Softmax`."""
    shape = layer.shape(0) or ()
    axis = layer.node.attribute("axis", -1 if layer.graph.opset >= 13 else 1) % max(len(shape), 1)
    place = shape[-3:]
    at = axis - max(len(shape) - 3, 0)
    if not shape or at < 0 or prod(place) != shape[axis] or shape[axis] > 8192:
        remedy = "keep the softmax on the GPU, or outside the model"
        return refused(SOFTMAX, f"axis {axis} of {shape}", remedy)
    return runs(SOFTMAX)
