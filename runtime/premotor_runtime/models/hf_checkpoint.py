"""A Hugging Face folder as a checkpoint: `config.json`, `tokenizer.json`, safetensors in one file or in shards."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np

from premotor_foundation.cache_folder import cache_folder, fingerprint, sha256_of
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import DenseTable
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.fitting_tokenizer import fitting_tokenizer
from premotor_runtime.models.hf_chat import hf_chat_template, tokenizer_config
from premotor_runtime.models.hf_config import read_hf_config
from premotor_runtime.models.packed import Floats, fill, layout, packed_size
from premotor_runtime.models.safetensors_file import SafetensorsFile

_INDEX = "model.safetensors.index.json"
_NO_BEGINNING = ("GPT2Tokenizer", "GPT2TokenizerFast", "Qwen2Tokenizer", "Qwen2TokenizerFast")
_SMALL = 1 << 26
_REMEDY = "name a folder saved by `save_pretrained`"


def load_hf(folder: Path) -> Checkpoint:
    """Load the checkpoint in `folder` into memory as float32.

    Every tensor's shape is checked before memory is taken. Raises CheckpointError when a file is missing or damaged, or
    when weights, tokenizer and configuration disagree.
    """
    if not folder.is_dir():
        raise CheckpointError(folder, "no such folder", _REMEDY)
    config = _as_tokenized(read_hf_config(folder / "config.json"), folder)
    tokenizer, chat = _tokenizer_json(folder, config), hf_chat_template(folder)
    tensors = _Tensors(folder)
    table = (config.vocab_size, config.hidden_size)
    tensors.check("model.embed_tokens.weight", table)
    for name, shape, _ in layout(config):
        tensors.check(f"model.{name}", shape)
    flat = np.empty(packed_size(config), np.float32)
    fill(flat, config, lambda name, shape: _layer_tensor(tensors, config, name, shape))
    embedding = DenseTable(tensors.read("model.embed_tokens.weight", table))
    head = embedding if config.tie_word_embeddings else DenseTable(tensors.read("lm_head.weight", table))
    return Checkpoint(folder, tensors.sha256(), config, flat, embedding, head, tokenizer, chat)


def _as_tokenized(config: ModelConfig, folder: Path) -> ModelConfig:
    """`config` without a beginning-of-sequence token where the folder's tokenizer puts none before a text."""
    given = tokenizer_config(folder)
    begins = given.get("add_bos_token", given.get("tokenizer_class") not in _NO_BEGINNING)
    return config if begins else dataclasses.replace(config, bos_token_id=None)


def _layer_tensor(tensors: _Tensors, config: ModelConfig, name: str, shape: tuple[int, ...]) -> Floats:
    tensor = tensors.read(f"model.{name}", shape)
    return tensor + np.float32(config.norm_offset) if name.endswith("norm.weight") else tensor


def _tokenizer_json(folder: Path, config: ModelConfig) -> str:
    path = folder / "tokenizer.json"
    try:
        return fitting_tokenizer(path.read_text(encoding="utf-8"), path, config)
    except FileNotFoundError as error:
        raise CheckpointError(path, "no such file", _REMEDY) from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(path, f"not readable as JSON ({error})", "fetch it again") from error


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

    def check(self, name: str, shape: tuple[int, ...]) -> SafetensorsFile:
        if name not in self._file_of:
            raise CheckpointError(self._folder, f"no tensor `{name}` in its safetensors", _REMEDY)
        file = self._files[self._file_of[name]]
        if file.shape(name) != shape:
            problem = f"tensor `{name}` has shape {file.shape(name)}, config.json asks for {shape}"
            raise CheckpointError(file.path, problem, "use files of one checkpoint")
        return file

    def read(self, name: str, shape: tuple[int, ...]) -> Floats:
        return self.check(name, shape).tensor(name)

    def sha256(self) -> str:
        digests = [_digest(self._folder / shard) for shard in self._files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def _digest(file: Path) -> str:
    # a small file is digested faster than a memo is kept
    return sha256_of(file) if file.stat().st_size < _SMALL else fingerprint(file, cache_folder())


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
