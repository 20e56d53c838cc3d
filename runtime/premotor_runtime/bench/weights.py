"""The same random weights for every engine, made once and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.errors import UsageError
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.gguf_writer import write_gguf
from premotor_runtime.models.random_checkpoint import SHAPES, random_checkpoint
from premotor_runtime.models.registry import load_checkpoint

SEED = 1


def shape(model: str) -> ModelConfig:
    """The shape called `model`. Raises UsageError listing the known ones."""
    if model not in SHAPES:
        raise UsageError(f"there is no benchmark model `{model}`; known: {', '.join(SHAPES)}")
    return SHAPES[model]


def hf_folder(model: str, config: ModelConfig, root: Path | None = None) -> Path:
    """The Hugging Face folder (bfloat16) of random weights, made at the first call. Raises OSError."""
    return _kept(_place(model, config, root) / "hf", lambda path: random_checkpoint(config, SEED, path))


def gguf_file(model: str, config: ModelConfig, kind: str, root: Path | None = None) -> Path:
    """The same weights as GGUF, every matrix and the embedding as `kind`, made at the first call. Raises OSError."""
    folder = hf_folder(model, config, root)
    path = _place(model, config, root) / f"{kind}.gguf"
    return _kept(path, lambda part: write_gguf(load_checkpoint(folder), part, kind))


def _place(model: str, config: ModelConfig, root: Path | None) -> Path:
    # a different shape or maker of the weights is a different folder
    digest = hashlib.sha256(f"{config}{SEED}".encode()).hexdigest()[:12]
    return (root or cache_folder()) / "bench" / f"{model}-{digest}"


def _kept(path: Path, make: Callable[[Path], object]) -> Path:
    """`path`, whole: made beside and renamed, so that an interrupted or a second maker does no harm."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=path.parent, prefix=".make-"))
    try:
        make(beside / path.name)
        if not path.exists():
            os.rename(beside / path.name, path)  # noqa: PTH104 - the atomic step itself
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return path
