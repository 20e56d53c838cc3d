"""A GGUF checkpoint made ready: what is slow to derive is derived once and kept, by content, beside the other caches.

`<cache>/checkpoints/<sha256>/` holds `manifest.json` (configuration, where the embedding lies), `tokenizer.json` and
`layers.npy` (all layers as float32, memory-mapped copy-on-write). The folder appears whole or not at all, and may be
deleted at any time.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from gguf.constants import GGMLQuantizationType

from premotor_foundation.cache_folder import cache_folder, fingerprint
from premotor_runtime.models.chat_template import ChatTemplate
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.embedding import QuantizedTable
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_checkpoint import check_layers, dequantize_layers
from premotor_runtime.models.gguf_config import model_config
from premotor_runtime.models.gguf_header import GgufHeader, GgufTensor, read_header
from premotor_runtime.models.gguf_tokenizer import special_tokens, tokenizer_json
from premotor_runtime.models.packed import packed_size

_SCHEMA = "premotor.checkpoint/2"
_log = logging.getLogger(__name__)


def load_gguf(path: Path, folder: Path | None = None) -> Checkpoint:
    """Load a GGUF (`gguf_config.ARCHITECTURES`); the first time takes seconds, later ones read the cache in `folder`.

    Raises CheckpointError for a file that is missing, damaged or unsupported.
    """
    folder = folder or cache_folder()
    try:
        sha256 = fingerprint(path, folder)
    except OSError as error:
        raise CheckpointError(path, f"cannot be read ({error.strerror})", "check the path") from error
    ready = folder / "checkpoints" / sha256
    try:
        return _read(path, sha256, ready)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if ready.exists():
            _log.warning("%s is damaged (%s); made again", ready, error)
            shutil.rmtree(ready, ignore_errors=True)
    _prepare(path, ready)
    try:
        return _read(path, sha256, ready)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(ready, f"the cache cannot be read back ({error})", "delete it and try again") from error


def known_config(sha256: str, folder: Path | None = None) -> ModelConfig | None:
    """The configuration of a GGUF that was loaded before, without loading it; None where the cache does not know it."""
    try:
        return _config(_manifest((folder or cache_folder()) / "checkpoints" / sha256))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _manifest(ready: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((ready / "manifest.json").read_text())
    if manifest["schema"] != _SCHEMA:
        raise ValueError(f"schema {manifest['schema']}")
    return manifest


def _config(manifest: dict[str, Any]) -> ModelConfig:
    fields = manifest["config"]
    fields |= {key: tuple(fields[key]) for key in ("eos_token_ids", "sliding_layers")}
    scaling = fields["rope_scaling"]
    return ModelConfig(**fields | {"rope_scaling": RopeScaling(**scaling) if scaling else None})


def _read(path: Path, sha256: str, ready: Path) -> Checkpoint:
    manifest = _manifest(ready)
    config = _config(manifest)
    flat = np.load(ready / "layers.npy", mmap_mode="c")
    if flat.shape != (packed_size(config),) or flat.dtype != np.float32:
        raise ValueError(f"layers.npy holds {flat.dtype} {flat.shape}")
    embedding = _table(path, manifest["embedding"])
    head = _table(path, manifest["head"]) if manifest["head"] else embedding
    text = (ready / "tokenizer.json").read_text(encoding="utf-8")
    return Checkpoint(path, sha256, config, flat.view(np.ndarray), embedding, head, text, _chat(path, manifest["chat"]))


def _chat(path: Path, stored: dict[str, Any] | None) -> ChatTemplate | None:
    return ChatTemplate(path, {"default": str(stored["template"])}, stored["special_tokens"]) if stored else None


def _table(path: Path, place: dict[str, int]) -> QuantizedTable:
    size = place["rows"] * place["row_bytes"]
    blocks = np.memmap(path, np.uint8, mode="r", offset=place["offset"], shape=(size,))
    table = blocks.view(np.ndarray).reshape(place["rows"], place["row_bytes"])
    return QuantizedTable(table, GGMLQuantizationType(place["kind"]))


def _prepare(path: Path, ready: Path) -> None:
    header = read_header(path)
    config = model_config(header)
    check_layers(header, config)
    try:
        ready.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ready.parent, prefix=".prepare-") as folder:
            part = Path(folder) / "ready"
            part.mkdir()
            _write_files(header, config, part)
            if not ready.exists():
                os.rename(part, ready)  # noqa: PTH104 - the atomic step itself
    except FileExistsError:
        return  # another process was quicker with the same content
    except OSError as error:
        remedy = f"free {packed_size(config) * 4 // 2**20 + 20} MB there, or set XDG_CACHE_HOME"
        raise CheckpointError(ready, f"the cache cannot be written ({error})", remedy) from error


def _write_files(header: GgufHeader, config: ModelConfig, part: Path) -> None:
    (part / "tokenizer.json").write_text(tokenizer_json(header), encoding="utf-8")
    flat = np.lib.format.open_memmap(part / "layers.npy", "w+", np.float32, (packed_size(config),))
    dequantize_layers(header, config, flat)
    flat.flush()
    template = header.metadata.get("tokenizer.chat_template")
    manifest = {
        "schema": _SCHEMA,
        "config": dataclasses.asdict(config),
        "chat": {"template": template, "special_tokens": special_tokens(header)} if template else None,
        "embedding": _place(header.tensor("token_embd.weight"), config, header),
        "head": None if config.tie_word_embeddings else _place(header.tensor("output.weight"), config, header),
    }
    (part / "manifest.json").write_text(json.dumps(manifest, indent=1))


def _place(tensor: GgufTensor, config: ModelConfig, header: GgufHeader) -> dict[str, int]:
    if tensor.shape != (config.vocab_size, config.hidden_size):
        problem = f"tensor `{tensor.name}` has shape {tensor.shape}, its metadata asks for another"
        raise CheckpointError(header.path, problem, "use another file")
    rows = tensor.shape[0]
    return {"offset": tensor.offset, "rows": rows, "row_bytes": tensor.size // rows, "kind": int(tensor.kind)}
