"""Rewrites that leave results as they were and bring nodes onto DLA, a file each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from premotor_accelerators.dla.report import Suggestion
from premotor_accelerators.dla.rewrites.division import DIVISION
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.flatten_gemm import FLATTEN_GEMM
from premotor_accelerators.dla.rewrites.global_average_pool import GLOBAL_AVERAGE_POOL
from premotor_accelerators.dla.rewrites.hard_swish import HARD_SWISH
from premotor_accelerators.dla.rewrites.pad_into_conv import PAD_INTO_CONV
from premotor_accelerators.dla.rewrites.resize_scales import RESIZE_SCALES

REWRITES = (PAD_INTO_CONV, RESIZE_SCALES, GLOBAL_AVERAGE_POOL, FLATTEN_GEMM, HARD_SWISH, DIVISION)
"""In the order in which they are applied: a flattening moves behind a hard-swish only while that is one node."""
OLDEST_OPSET = 11
"""Below, Clip, Pad and Resize take no inputs for their numbers; such models are to be exported anew."""


def suggestions(model: Any, folder: Path | None = None) -> tuple[Suggestion, ...]:
    """The rewrites that fit the model as it is, with the nodes they would replace; weights are not read."""
    editor = Editor(model, folder)
    if editor.graph.opset < OLDEST_OPSET:
        return ()
    found = ((rewrite.name, tuple(match.node.name for match in rewrite.find(editor))) for rewrite in REWRITES)
    return tuple(Suggestion(name, nodes) for name, nodes in found if nodes)
