"""Resize by sizes: by scales, where they come out whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from premotor_accelerators.dla.graph import Node
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite


def _find(editor: Editor) -> Iterator[Match]:
    for node in editor.nodes:
        if node.op != "Resize" or len(node.inputs) < 4 or not node.inputs[3]:
            continue
        given, out = editor.shape(node.inputs[0]), editor.shape(node.outputs[0])
        cropped = node.attribute("coordinate_transformation_mode") == "tf_crop_and_resize"
        if given is None or out is None or len(given) != 4 or cropped:
            continue
        if given[:2] == out[:2] and all(large % small == 0 for large, small in zip(out, given, strict=True)):
            scales = [large // small for large, small in zip(out, given, strict=True)]
            yield Match(node, partial(_to_scales, editor, node, scales))


def _to_scales(editor: Editor, node: Node, scales: list[int]) -> None:
    changed = type(node.proto)()
    changed.CopyFrom(node.proto)
    by = editor.store(f"{node.name}_scales", np.asarray(scales, np.float32))
    del changed.input[:]
    changed.input.extend([node.inputs[0], "", by])
    kept = [a for a in node.proto.attribute if a.name not in ("axes", "keep_aspect_ratio_policy")]
    del changed.attribute[:]
    changed.attribute.extend(kept)
    editor.replace(node, [changed])


RESIZE_SCALES = Rewrite("resize-scales", _find)
