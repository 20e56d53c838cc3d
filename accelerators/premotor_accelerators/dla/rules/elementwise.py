"""Arithmetic between tensors, or with a constant."""

from __future__ import annotations

from premotor_accelerators.dla.facts import Shape
from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.sources import (
    DERIVED,
    HEADER,
    JETSON_10,
    LAYERS,
    LOG_86,
    LOG_ORIN,
    LOG_TUTORIAL,
    OPERATORS,
)

ELEMENTWISE = Rule(
    "elementwise", "SUM, SUB, PROD, MAX, MIN of equal shapes; int8 inputs share one dynamic range", HEADER, "A"
)
BROADCAST = Rule("elementwise-broadcast", "one value a channel, or one value, spread over a map", DERIVED, "C")
SCALE = Rule(
    "scale", "scale and shift by constants: one, one a channel, or one an element (the constant may need the GPU "
    "fallback flag to be folded)", LAYERS, "A",
)  # fmt: skip
CONSTANT_OPERAND = Rule(
    "constant-operand", "constants are no DLA layer, and MAX and MIN with one are no scale layer",
    f"{LOG_ORIN}; {LOG_TUTORIAL}", "B",
)  # fmt: skip
MINIMUM = Rule("minimum", "the header has MIN, the operator matrix does not", f"{HEADER}; {OPERATORS}", "B")
DIVISION = Rule("division", "DIV is rejected on Jetson, whatever the newest table says", f"{LOG_86}; {JETSON_10}", "B")
POWER = Rule("power", "POW is rejected on Jetson, and scale layers have power 1", f"{LAYERS}; {LOG_TUTORIAL}", "B")
COMPARISON = Rule(
    "comparison", "Equal is native, Greater and Less from 8.6.12 on (DRIVE OS); the result is cast at once",
    OPERATORS, "A",
)  # fmt: skip


def arithmetic(layer: Layer) -> Verdict:
    """The verdict on `Add`, `Sub`, `Mul`, `Sum`, `Max`, `Min`."""
    constants = [i for i in range(len(layer.node.inputs)) if layer.is_constant(i)]
    verdict = _with_constant(layer, constants[0]) if constants else _between(layer)
    if layer.node.op == "Min" and verdict.placement == "dla":
        return unsure(MINIMUM, "MIN", "write min(a, b) as a + b - max(a, b), or -max(-a, -b)")
    return verdict


def _with_constant(layer: Layer, index: int) -> Verdict:
    if layer.node.op in ("Max", "Min"):
        remedy = "write max(x, c) as ReLU(x - c) + c, or feed the constant as an input"
        return unsure(CONSTANT_OPERAND, f"{layer.node.op} with a constant", remedy)
    if is_scale(layer.shape(index), layer.out):
        return runs(SCALE)
    found = f"constant {layer.shape(index)} for {layer.out}"
    return unsure(SCALE, found, "store the constant as one value, 1,C,1,1 or the full C,H,W")


def is_scale(constant: Shape | None, out: Shape | None) -> bool:
    """Whether a constant of this shape is uniform, per channel or per element for that output."""
    if constant is None or out is None:
        return False
    padded = (1,) * (len(out) - len(constant)) + constant
    if all(size == 1 for size in padded):
        return True
    channel, place = padded[-3:], out[-3:]
    return all(size == 1 for size in padded[:-3]) and channel in (place, (*place[:1], 1, 1))


def _between(layer: Layer) -> Verdict:
    shapes = {layer.shape(i) for i in range(len(layer.node.inputs))}
    if shapes == {layer.out}:
        return runs(ELEMENTWISE)
    if all(shape is not None and _spreads(shape, layer.out) for shape in shapes):
        return runs(BROADCAST)
    return unsure(ELEMENTWISE, f"shapes {sorted(map(str, shapes))}", "bring both operands to one shape at export")


def _spreads(shape: Shape, out: Shape | None) -> bool:
    if out is None or len(shape) != len(out):
        return shape in ((), (1,))
    return shape == out or all(size == 1 for size in shape) or (shape[:-2] == out[:-2] and shape[-2:] == (1, 1))


def division(layer: Layer) -> Verdict:
    """The verdict on `Div`."""
    return refused(DIVISION, f"TensorRT {layer.target.tensorrt}", "multiply by the reciprocal, stored as a constant")


def power(layer: Layer) -> Verdict:
    """The verdict on `Pow`."""
    return refused(POWER, f"exponent {layer.scalar(1)}", "write a square as Mul of the tensor with itself")


def comparison(layer: Layer) -> Verdict:
    """The verdict on `Equal`, `Greater`, `Less`."""
    readers = layer.graph.readers.get(layer.node.outputs[0], [])
    casts = [index for index in readers if layer.graph.nodes[index].op == "Cast"]
    remedy = "cast the result to fp16 at once, or compare by Sub and a clipped ReLU"
    if len(casts) != len(readers) or not casts:
        return refused(COMPARISON, "the result is not cast at once", remedy)
    if layer.node.op == "Equal":
        return runs(COMPARISON)
    if layer.target.version < (8, 7):
        return refused(COMPARISON, f"TensorRT {layer.target.tensorrt}", remedy)
    return unsure(COMPARISON, "not seen on a Jetson", remedy)
