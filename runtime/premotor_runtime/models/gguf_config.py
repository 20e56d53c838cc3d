"""The metadata of a GGUF file as a `ModelConfig`: Gemma 3, Llama, Qwen 2 and Qwen 3.

Keys: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gguf import quants

from premotor_runtime.models.config import Architecture, ModelConfig, RopeScaling
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.features import features
from premotor_runtime.models.gguf_header import GgufHeader, tensor_blocks
from premotor_runtime.models.rope_divisors import recognised_scaling

ARCHITECTURES: tuple[Architecture, ...] = ("gemma3", "llama", "qwen2", "qwen3")
ROPE_FACTORS = "rope_freqs.weight"
_LOCAL_ROPE_THETA = 10_000.0  # not in the file: fixed for every Gemma 3 (Gemma 3 report, section 2)
_LAYERS_A_GLOBAL_ONE = 6
_MAX_LAYERS, _MAX_SIZE = 512, 1 << 27
_ANOTHER = "use another file"


def model_config(header: GgufHeader) -> ModelConfig:
    """The configuration in the metadata. Raises CheckpointError for a model that is not computed."""
    architecture = header.value("general.architecture")
    if architecture not in ARCHITECTURES:
        remedy = f"use one of {', '.join(ARCHITECTURES)}, or a Hugging Face folder"
        raise CheckpointError(header.path, f"its architecture is `{architecture}`, which is not read", remedy)
    _refuse_variants(header, architecture)
    try:
        return _config(_Metadata(header, architecture), architecture)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise CheckpointError(header.path, f"its metadata makes no model ({error})", _ANOTHER) from error


class _Metadata:
    def __init__(self, header: GgufHeader, architecture: str) -> None:
        self.header = header
        self._prefix = architecture

    def size(self, key: str, default: int | None = None, limit: int = _MAX_SIZE) -> int:
        value = self._value(key, default)
        if not isinstance(value, int) or not 1 <= value <= limit:
            raise ValueError(f"`{key}` is {value!r}; it must be a whole number from 1 to {limit}")
        return value

    def positive(self, key: str, default: float | None = None) -> float:
        value = float(self._value(key, default))
        if not 0 < value < float("inf"):
            raise ValueError(f"`{key}` is {value}; it must be a number above 0")
        return value

    def token(self, key: str) -> int | None:
        given = self.header.metadata.get(f"tokenizer.ggml.{key}_token_id")
        if given is not None and not 0 <= int(given) < len(self.header.value("tokenizer.ggml.tokens")):
            raise ValueError(f"its {key} token is {given}, beyond its vocabulary")
        return None if given is None else int(given)

    def _value(self, key: str, default: float | None) -> Any:
        name = f"{self._prefix}.{key}"
        return self.header.metadata.get(name, default) if default is not None else self.header.value(name)


def _config(given: _Metadata, architecture: Architecture) -> ModelConfig:
    gemma, header = architecture == "gemma3", given.header
    layers = given.size("block_count", limit=_MAX_LAYERS)
    hidden, heads = given.size("embedding_length"), given.size("attention.head_count")
    head_dim = given.size("attention.key_length", hidden // heads)
    bos, eos = given.token("bos"), given.token("eos")
    if not isinstance(header.value("tokenizer.ggml.tokens"), list):
        raise TypeError("`tokenizer.ggml.tokens` is not a list of texts")
    theta = given.positive("rope.freq_base", 10_000.0)
    return ModelConfig(
        architecture=architecture,
        vocab_size=len(header.value("tokenizer.ggml.tokens")),
        hidden_size=hidden,
        intermediate_size=given.size("feed_forward_length"),
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=given.size("attention.head_count_kv", heads),
        head_dim=head_dim,
        rms_norm_eps=given.positive("attention.layer_norm_rms_epsilon"),
        rope_theta=theta,
        rope_scaling=_llama3_scaling(header, theta, head_dim),
        rope_local_theta=_LOCAL_ROPE_THETA if gemma else None,
        max_position_embeddings=given.size("context_length"),
        tie_word_embeddings="output.weight" not in header.tensors,
        bos_token_id=bos if header.metadata.get("tokenizer.ggml.add_bos_token", True) else None,
        eos_token_ids=() if eos is None else (eos,),
        attention_scale=float(head_dim) ** -0.5,
        sliding_window=given.size("attention.sliding_window") if gemma else None,
        sliding_layers=tuple(bool((n + 1) % _LAYERS_A_GLOBAL_ONE) for n in range(layers)) if gemma else (),
        **features(architecture, hidden),
    )


def _refuse_variants(header: GgufHeader, architecture: str) -> None:
    scaling = header.metadata.get(f"{architecture}.rope.scaling.type", "none")
    softcap = any(key.endswith("softcapping") for key in header.metadata)
    large_gemma = architecture == "gemma3" and header.value("gemma3.block_count") == 62
    experts = header.metadata.get(f"{architecture}.expert_count", 0)
    if scaling != "none" or softcap or large_gemma or experts:
        problem = (
            f"it is a {architecture} variant (scaled rope, soft caps, experts or 27B scaling) that is not computed"
        )
        raise CheckpointError(header.path, problem, "use a plain text model")
    key = header.metadata.get(f"{architecture}.attention.key_length")
    for width in ("attention.value_length", "rope.dimension_count"):
        if key is not None and header.metadata.get(f"{architecture}.{width}", key) != key:
            raise CheckpointError(header.path, f"its `{width}` differs from its `attention.key_length`", _ANOTHER)


def _llama3_scaling(header: GgufHeader, theta: float, head_dim: int) -> RopeScaling | None:
    """Llama 3's scaling, which GGUF stores only as divisors of the frequencies: recognised, or refused."""
    if ROPE_FACTORS not in header.tensors:
        return None
    entry = header.tensor(ROPE_FACTORS)
    if entry.shape != (head_dim // 2,):
        raise ValueError(f"`{ROPE_FACTORS}` has shape {entry.shape}")
    divisors = np.asarray(quants.dequantize(tensor_blocks(header, entry), entry.kind), np.float32)
    return recognised_scaling(divisors, theta, head_dim)
