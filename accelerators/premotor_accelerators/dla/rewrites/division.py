"""Division by a constant: multiplication by its reciprocal."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from onnx import helper

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        if node.op != "Div" or not editor.is_stored(node.inputs[1]) or not editor.is_float(node.inputs[0]):
            continue
        if not editor.is_stored(node.inputs[0]) and np.all(editor.array(node.inputs[1]) != 0):
            yield Match(node, partial(_to_product, editor, node))


def _to_product(editor: Editor, node: Node) -> None:
    reciprocal = 1.0 / editor.array(node.inputs[1]).astype(np.float64)
    by = editor.constant(f"{node.name}_reciprocal", reciprocal, node.inputs[0])
    product = helper.make_node("Mul", [node.inputs[0], by], list(node.outputs), name=f"{node.name}_product")
    editor.replace(node, [product])


DIVISION = Rewrite("division", _find)
