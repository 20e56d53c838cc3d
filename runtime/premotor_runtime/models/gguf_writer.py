"""A Hugging Face folder with a byte-level tokenizer as a GGUF that llama.cpp loads, by the `gguf` package's quantizer.

For measurements against llama.cpp with the same weights. `F16` is the file to hand to llama.cpp's own quantizer,
which keeps tied embeddings at 6 bits; the quantized kinds here store every matrix, embeddings included, alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
from gguf.constants import GGMLQuantizationType

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_checkpoint import gguf_name, interleave, interleaved_heads
from premotor_runtime.models.packed import Floats, named_views
from premotor_runtime.models.rope_divisors import rope_divisors

KINDS = ("F32", "F16", "Q8_0", "Q4_0")
_FILE_TYPES = {
    "F32": gguf.LlamaFileType.ALL_F32,
    "F16": gguf.LlamaFileType.MOSTLY_F16,
    "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
    "Q4_0": gguf.LlamaFileType.MOSTLY_Q4_0,
}
_NORMAL, _CONTROL = 1, 3


def write_gguf(checkpoint: Checkpoint, path: Path, kind: str = "F16") -> Path:
    """Write `checkpoint` (Llama, Qwen 2 or Qwen 3) to `path` with its matrices stored as `kind`, and return `path`.

    Raises CheckpointError for an architecture, tokenizer or kind that cannot be written, OSError otherwise.
    """
    config = checkpoint.config
    if kind not in KINDS:
        raise CheckpointError(path, f"matrices cannot be stored as {kind}", f"use one of {', '.join(KINDS)}")
    if config.architecture == "gemma3":
        raise CheckpointError(path, "a Gemma 3 cannot be written as GGUF", "use llama.cpp's converter")
    part = path.with_name(f".{path.name}.part")
    writer = gguf.GGUFWriter(part, config.architecture)
    _add_metadata(writer, config, kind)
    _add_tokenizer(writer, checkpoint, path)
    _add_tensors(writer, checkpoint, GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return part.replace(path)


def _add_metadata(writer: gguf.GGUFWriter, config: ModelConfig, kind: str) -> None:
    writer.add_file_type(_FILE_TYPES[kind])
    writer.add_vocab_size(config.vocab_size)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_theta)


def _add_tokenizer(writer: gguf.GGUFWriter, checkpoint: Checkpoint, path: Path) -> None:
    stored = json.loads(checkpoint.tokenizer_json)
    model = stored["model"]
    if model.get("type") != "BPE" or "ByteLevel" not in json.dumps(stored.get("pre_tokenizer")):
        raise CheckpointError(path, "its tokenizer is not a byte-level BPE", "use llama.cpp's converter")
    special = {int(token["id"]): str(token["content"]) for token in stored["added_tokens"]}
    spelled = {int(number): piece for piece, number in model["vocab"].items()} | special
    size = checkpoint.config.vocab_size
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([spelled.get(number, f"<unused{number}>") for number in range(size)])
    named = set(spelled) - set(special)
    writer.add_token_types([_NORMAL if number in named else _CONTROL for number in range(size)])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]])
    config = checkpoint.config
    if config.bos_token_id is not None:
        writer.add_bos_token_id(config.bos_token_id)
    if config.eos_token_ids:
        writer.add_eos_token_id(config.eos_token_ids[0])
    writer.add_add_bos_token(config.bos_token_id is not None)


def _add_tensors(writer: gguf.GGUFWriter, checkpoint: Checkpoint, kind: GGMLQuantizationType) -> None:
    config = checkpoint.config
    add = _adder(writer, kind)
    add("token_embd.weight", checkpoint.embedding.rows(slice(None)))
    if not config.tie_word_embeddings:
        add("output.weight", checkpoint.head.rows(slice(None)))
    if config.rope_scaling is not None:
        add("rope_freqs.weight", rope_divisors(config))
    for name, values in named_views(checkpoint.flat, config).items():
        heads = interleaved_heads(name, config)
        add(gguf_name(name, config), values if heads is None else interleave(values, heads))


def _adder(writer: gguf.GGUFWriter, kind: GGMLQuantizationType) -> Callable[[str, Floats], None]:
    def add(name: str, values: Floats) -> None:
        if values.ndim == 1 or kind is GGMLQuantizationType.F32:
            writer.add_tensor(name, np.ascontiguousarray(values, np.float32))
        elif kind is GGMLQuantizationType.F16:
            writer.add_tensor(name, values.astype(np.float16))
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    return add
