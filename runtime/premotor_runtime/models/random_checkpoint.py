"""Checkpoints of a given shape with random weights, so that engines can be measured without a download.

The files are real ones: `transformers` and every other engine that reads Hugging Face folders load them, and
`gguf_writer` writes the same weights for llama.cpp.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.features import features
from premotor_runtime.models.hf_config_writer import hf_config
from premotor_runtime.models.packed import Floats, layout
from premotor_runtime.models.random_tokenizer import BOS_ID, EOS_ID, random_tokenizer_json, tokenizer_config
from premotor_runtime.models.safetensors_writer import TensorType, write_safetensors


def _llama(vocabulary: int, hidden: int, inner: int, layers: int, heads: int, kv_heads: int) -> ModelConfig:
    return ModelConfig(
        architecture="llama",
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=64,
        rms_norm_eps=1e-5,
        rope_theta=100_000.0,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=BOS_ID,
        eos_token_ids=(EOS_ID,),
        attention_scale=64**-0.5,
    )


SHAPES: Mapping[str, ModelConfig] = {
    "S": _llama(8192, 256, 768, 6, 4, 4),
    "M": _llama(49152, 576, 1536, 30, 9, 3),
    "L": replace(
        _llama(151_936, 896, 4864, 24, 14, 2),
        architecture="qwen2",
        rms_norm_eps=1e-6,
        rope_theta=1e6,
        max_position_embeddings=32_768,
        **features("qwen2", 896),
    ),
}
"""Benchmark shapes: S, 7 million parameters; M, SmolLM2-135M; L, Qwen2.5-0.5B (all with tied embeddings)."""


def random_checkpoint(config: ModelConfig, seed: int, folder: Path, dtype: TensorType = "bfloat16") -> Path:
    """Write a Hugging Face folder of random weights, and return `folder`: the same bytes for the same arguments.

    `config.json`, `model.safetensors`, `tokenizer.json` and `tokenizer_config.json`, whose vocabulary has the model's
    size, so any text can be encoded. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "tokenizer.json", random_tokenizer_json(config.vocab_size))
    write_atomically(folder / "tokenizer_config.json", json.dumps(tokenizer_config(config), indent=1))
    write_atomically(folder / "config.json", json.dumps(hf_config(config, dtype), indent=1))
    write_safetensors(folder / "model.safetensors", hf_shapes(config), hf_tensors(config, seed), dtype)
    return folder


def hf_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Hugging Face name and shape of every tensor, in the order of the file."""
    tables = ["model.embed_tokens.weight", *([] if config.tie_word_embeddings else ["lm_head.weight"])]
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(tables, (config.vocab_size, config.hidden_size))
    return shapes | {f"model.{name}": shape for name, shape, _ in layout(config)}


def hf_tensors(config: ModelConfig, seed: int) -> Iterator[tuple[str, Floats]]:
    """Hugging Face name and float32 values of every tensor; names and norms as files store them.

    Matrices have standard deviation 1 / sqrt(inputs), those that write into the residual stream less by
    sqrt(2 * layers): hidden states and logits stay near 1 whatever the shape. Norm factors lie around 1.
    """
    random = np.random.default_rng(seed)
    for name, shape in hf_shapes(config).items():
        if name.endswith("norm.weight"):
            values = random.uniform(0.8, 1.2, shape).astype(np.float32) - np.float32(config.norm_offset)
        elif len(shape) == 1:
            values = _normal(random, shape, 0.1)
        else:
            writes = name.endswith(("o_proj.weight", "down_proj.weight"))
            values = _normal(random, shape, (shape[1] * (2 * config.num_hidden_layers if writes else 1)) ** -0.5)
        yield name, values


def _normal(random: np.random.Generator, shape: tuple[int, ...], deviation: float) -> Floats:
    drawn: Floats = random.standard_normal(shape, np.float32)
    drawn *= np.float32(deviation)
    return drawn
