"""A Hugging Face folder as a checkpoint: `config.json`, `tokenizer.json`, safetensors in one file or in shards."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from premotor_runtime.models.cache_folder import sha256_of
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.hf_config import read_hf_config
from premotor_runtime.models.packed import Floats, fill, packed_size
from premotor_runtime.models.safetensors_file import SafetensorsFile

_INDEX = "model.safetensors.index.json"
_REMEDY = "name a folder saved by `save_pretrained`"


def load_hf(folder: Path) -> Checkpoint:
    """Load the checkpoint in `folder` into memory as float32.

    Raises CheckpointError when a file is missing or damaged, or when shapes and configuration disagree.
    """
    if not folder.is_dir():
        raise CheckpointError(folder, "no such folder", _REMEDY)
    config = read_hf_config(folder / "config.json")
    tensors = _Tensors(folder)
    flat = np.empty(packed_size(config), np.float32)
    fill(flat, config, lambda name, shape: _layer_tensor(tensors, config, name, shape))
    table = (config.vocab_size, config.hidden_size)
    embedding = DenseTable(tensors.read("model.embed_tokens.weight", table))
    head = embedding if config.tie_word_embeddings else DenseTable(tensors.read("lm_head.weight", table))
    return Checkpoint(folder, tensors.sha256(), config, flat, embedding, head, _tokenizer_json(folder))


def _layer_tensor(tensors: _Tensors, config: ModelConfig, name: str, shape: tuple[int, ...]) -> Floats:
    tensor = tensors.read(f"model.{name}", shape)
    # Gemma stores its norm weights as the difference from one
    return tensor + np.float32(1.0) if config.is_gemma and len(shape) == 1 else tensor


def _tokenizer_json(folder: Path) -> str:
    path = folder / "tokenizer.json"
    try:
        text = path.read_text(encoding="utf-8")
        json.loads(text)
    except FileNotFoundError as error:
        raise CheckpointError(path, "no such file", _REMEDY) from error
    except (OSError, ValueError) as error:
        raise CheckpointError(path, f"not readable as JSON ({error})", "fetch it again") from error
    return text


class _Tensors:
    """Tensors by name, whichever shard they are in."""

    def __init__(self, folder: Path) -> None:
        whole, index = folder / "model.safetensors", folder / _INDEX
        if not whole.exists() and index.exists():
            self._file_of = _weight_map(index)
        else:
            self._file_of = dict.fromkeys(SafetensorsFile(whole).names, whole.name)
        shards = sorted(set(self._file_of.values()))
        self._folder = folder
        self._files = {shard: SafetensorsFile(folder / shard) for shard in shards}

    def read(self, name: str, shape: tuple[int, ...]) -> Floats:
        if name not in self._file_of:
            raise CheckpointError(self._folder, f"no tensor `{name}` in its safetensors", _REMEDY)
        file = self._files[self._file_of[name]]
        if file.shape(name) != shape:
            problem = f"tensor `{name}` has shape {file.shape(name)}, config.json asks for {shape}"
            raise CheckpointError(file.path, problem, "use files of one checkpoint")
        return file.tensor(name)

    def sha256(self) -> str:
        digests = [sha256_of(self._folder / shard) for shard in self._files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def _weight_map(index: Path) -> dict[str, str]:
    try:
        given = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        shards = {str(name): str(shard) for name, shard in given.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(index, f"it holds no readable `weight_map` ({error})", "fetch it again") from error
    for shard in shards.values():
        if Path(shard).name != shard:
            raise CheckpointError(index, f"the shard `{shard}` lies outside the folder", "fetch it from its source")
    return shards
