"""Zero padding before a convolution: the convolution's own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from onnx import helper

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite

_LARGEST = 31


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        pad = editor.maker(node.inputs[0]) if node.op == "Conv" else None
        weights = editor.shape(node.inputs[1]) if pad is not None else None
        if pad is None or pad.op != "Pad" or weights is None or len(weights) != 4:
            continue
        added = _added(editor, pad)
        own = list(node.attribute("pads") or [0, 0, 0, 0])
        if added is None or node.attribute("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
            continue
        pads = [a + b for a, b in zip(own, added, strict=True)]
        if all(size <= _LARGEST and size < kernel for size, kernel in zip(pads, weights[2:] * 2, strict=True)):
            yield Match(node, partial(_fold, editor, node, pad, pads))


def _added(editor: Editor, pad: Node) -> list[int] | None:
    """What a zero padding of height and width adds: top, left, bottom, right; None for any other padding."""
    pads = editor.numbers(pad, 1, "pads")
    shape = editor.shape(pad.inputs[0])
    has_axes = len(pad.inputs) > 3 and pad.inputs[3]
    if pads is None or shape is None or len(shape) != 4 or pad.attribute("mode", "constant") != "constant":
        return None
    axes = editor.numbers(pad, 3, "axes") if has_axes else tuple(range(4))
    if axes is None or not _fills_zero(editor, pad) or min(pads) < 0:
        return None
    full = [0] * 8
    for place, axis in enumerate(axes):
        full[axis % 4], full[axis % 4 + 4] = pads[place], pads[place + len(axes)]
    return full[2:4] + full[6:8] if not any(full[:2] + full[4:6]) else None


def _fills_zero(editor: Editor, pad: Node) -> bool:
    if len(pad.inputs) > 2 and pad.inputs[2]:
        return editor.is_stored(pad.inputs[2]) and not editor.array(pad.inputs[2]).any()
    return float(pad.attribute("value", 0.0)) == 0.0


def _fold(editor: Editor, node: Node, pad: Node, pads: list[int]) -> None:
    changed = type(node.proto)()
    changed.CopyFrom(node.proto)
    changed.input[0] = pad.inputs[0]
    kept = [a for a in node.proto.attribute if a.name not in ("pads", "auto_pad")]
    del changed.attribute[:]
    changed.attribute.extend([*kept, helper.make_attribute("pads", pads)])
    editor.replace(node, [changed])


PAD_INTO_CONV = Rewrite("pad-into-conv", _find)
