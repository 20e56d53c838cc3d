"""Hard-swish and hard-sigmoid: Mul, Add and a clipped ReLU."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from onnx import helper

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        known = bool(node.inputs) and editor.shape(node.inputs[0]) is not None and editor.is_float(node.inputs[0])
        if known and node.op in ("HardSwish", "HardSigmoid"):
            yield Match(node, partial(_swish if node.op == "HardSwish" else _sigmoid, editor, node))


def _swish(editor: Editor, node: Node) -> None:
    given = node.inputs[0]
    shifted = _step(editor, node, "Add", given, "shifted", 3.0)
    clipped = _clip(editor, node, shifted.output[0], "clipped", 6.0)
    gate = _step(editor, node, "Mul", clipped.output[0], "gate", 1.0 / 6.0)
    product = helper.make_node("Mul", [given, gate.output[0]], [node.outputs[0]], name=f"{node.name}_product")
    editor.replace(node, [shifted, clipped, gate, product])


def _sigmoid(editor: Editor, node: Node) -> None:
    scaled = _step(editor, node, "Mul", node.inputs[0], "scaled", node.attribute("alpha", 0.2))
    shifted = _step(editor, node, "Add", scaled.output[0], "shifted", node.attribute("beta", 0.5))
    clipped = _clip(editor, node, shifted.output[0], "clipped", 1.0)
    clipped.output[0] = node.outputs[0]
    editor.replace(node, [scaled, shifted, clipped])


def _step(editor: Editor, node: Node, op: str, given: str, name: str, number: float) -> Any:
    constant = editor.constant(f"{node.name}_{name}_by", number, node.inputs[0])
    return helper.make_node(op, [given, constant], [_value(editor, node, name)], name=f"{node.name}_{name}")


def _clip(editor: Editor, node: Node, given: str, name: str, top: float) -> Any:
    low = editor.constant(f"{node.name}_{name}_low", 0.0, node.inputs[0])
    high = editor.constant(f"{node.name}_{name}_high", top, node.inputs[0])
    return helper.make_node("Clip", [given, low, high], [_value(editor, node, name)], name=f"{node.name}_{name}")


def _value(editor: Editor, node: Node, name: str) -> str:
    return editor.value(f"{node.name}_{name}", editor.shape(node.inputs[0]) or (), node.inputs[0])


HARD_SWISH = Rewrite("hard-swish", _find)
