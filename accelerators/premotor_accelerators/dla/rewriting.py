"""Applying the safe rewrites and showing that the model still computes the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx

from premotor_accelerators.dla.errors import RewriteRefused
from premotor_accelerators.dla.proof import Difference, Proof
from premotor_accelerators.dla.reading import external_bytes, fix_shapes, read_model
from premotor_accelerators.dla.rewrites import OLDEST_OPSET, REWRITES
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_foundation.atomic_write import write_atomically

_MOST_BYTES = 2**31 - 1


@dataclass(frozen=True)
class Rewritten:
    """A model, which rewrites made it, how far its outputs are from the first model's, and which were taken back."""

    model: Any
    applied: Mapping[str, tuple[str, ...]]
    difference: Difference
    taken_back: tuple[str, ...]


def rewrite_file(path: Path, out: Path, shapes: Mapping[str, tuple[int, ...]] | None = None) -> Rewritten:
    """Rewrite an ONNX file and write the result, whole or not at all; nothing is written where nothing fits.

    Raises RewriteRefused, and what `read_model` raises.
    """
    if out.resolve() == path.resolve():
        raise RewriteRefused(f"--rewrite {out} is the model itself; give another file")
    model = read_model(path)
    fix_shapes(model, shapes or {})
    _load_weights(model, path)
    rewritten = rewrite_model(model)
    if rewritten.applied:
        _write(rewritten.model, out)
    return rewritten


def rewrite_model(model: Any, seed: int = 0) -> Rewritten:
    """Apply one kind of rewrite after the other, each kept only if outputs stay equal on random inputs.

    The model itself is left as it is. Raises RewriteRefused, DynamicShapes, ModelUnreadable.
    """
    fix_shapes(model, {})
    proof = Proof(model, seed)
    applied: dict[str, tuple[str, ...]] = {}
    taken_back = []
    difference = Difference(0.0, 0.0)
    current = model
    for rewrite in REWRITES:
        editor = Editor(current)
        if editor.graph.opset < OLDEST_OPSET:
            raise RewriteRefused(f"opset {editor.graph.opset}; export with opset {OLDEST_OPSET} or later, 17 is best")
        names = rewrite.apply(editor)
        if not names:
            continue
        changed = editor.finish()
        found = proof.compare(changed)
        if not found.is_equal:
            taken_back.append(rewrite.name)
            continue
        current, difference = changed, found
        applied[rewrite.name] = names
    return Rewritten(current, applied, difference, tuple(taken_back))


def _load_weights(model: Any, path: Path) -> None:
    size = external_bytes(model)
    if size + path.stat().st_size > _MOST_BYTES:
        raise RewriteRefused(f"{path}: {size / 2**30:.1f} GiB of weights; models up to 2 GiB can be rewritten")
    try:
        onnx.load_external_data_for_model(model, str(path.parent))
    except Exception as error:  # onnx raises whatever the file system or numpy raises
        raise RewriteRefused(f"{path}: its external data cannot be read ({error})") from error


def _write(model: Any, out: Path) -> None:
    try:
        write_atomically(out, model.SerializeToString())
    except (OSError, ValueError) as error:
        raise RewriteRefused(f"{out}: cannot be written ({error}); no file was left") from error
