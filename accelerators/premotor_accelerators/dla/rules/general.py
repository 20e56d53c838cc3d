"""What holds for every layer: types, static shapes, batch, sizes, rank."""

from __future__ import annotations

from math import prod

from onnx import TensorProto

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.sources import DERIVED, LAYERS, STRONG

ILL_FORMED = Rule("ill-formed", "a node is as its operator is defined", "ONNX operator definitions", "A")
FOLDED = Rule("folded", "computed from constants at build (may need the GPU fallback flag)", LAYERS, "A")
UNREAD = Rule("unread", "what no output of the graph needs is left out at build", DERIVED, "C")
STATIC = Rule("static-shape", "shapes are known before the run", LAYERS, "A")
TYPES = Rule("data-type", "fp16 and int8 only; fp32 is lowered by the builder up to TensorRT 10", LAYERS, "A")
STRONGLY_TYPED = Rule("strongly-typed", "precision is that of the graph's tensors", STRONG, "A")
BATCH = Rule("batch", "batch (all dimensions but the last three) at most 4096", LAYERS, "A")
SIZE = Rule("size", "every other dimension at most 8192", LAYERS, "A")
RANK = Rule("rank", "layers want N,C,H,W; other ranks are folded or refused", LAYERS, "B")
ANY = Rule("general", "nothing general stands against it", LAYERS, "A")

_LOWERED = (TensorProto.FLOAT,)
_NATIVE = (TensorProto.FLOAT16, TensorProto.INT8)


def general(layer: Layer) -> Verdict:
    """The verdict that holds for any operator, from the tensors that flow in and out."""
    names = (*layer.data_inputs, *filter(None, layer.node.outputs))
    for check in (_types, _sizes):
        verdict = check(layer, names)
        if verdict is not None:
            return verdict
    ranks = {len(layer.facts.shapes[name]) for name in names}
    if ranks != {4}:
        return unsure(RANK, f"ranks {sorted(ranks)}", "keep four dimensions, N,C,H,W, at export")
    return runs(ANY)


def _types(layer: Layer, names: tuple[str, ...]) -> Verdict | None:
    typed = layer.target.gate.strongly_typed
    for name in names:
        found = layer.facts.types.get(name, 0)
        label = TensorProto.DataType.Name(found) if found in TensorProto.DataType.values() else str(found)
        if typed and found in _LOWERED:
            remedy = "convert the model to fp16 with ModelOpt autocast --target_dla"
            return refused(STRONGLY_TYPED, f"`{name}` is {label}", remedy)
        allowed = found in _NATIVE or (found in _LOWERED and not typed) or found == 0
        if not allowed and layer.node.op not in ("Equal", "Greater", "Less", "Cast"):
            return refused(TYPES, f"`{name}` is {label}", "export with float tensors, and cast outside the model")
    return None


def _sizes(layer: Layer, names: tuple[str, ...]) -> Verdict | None:
    for name in names:
        shape = layer.facts.shapes.get(name)
        if shape is None:
            return refused(STATIC, f"the shape of `{name}` depends on the data", "cut the model before this node")
        if prod(shape[:-3]) > 4096:
            return refused(BATCH, f"`{name}` is {shape}", "use a smaller batch")
        if any(size > 8192 for size in shape[-3:]):
            return refused(SIZE, f"`{name}` is {shape}", "cut the tensor into parts, or reshape it before DLA")
    return None
