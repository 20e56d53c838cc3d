"""A Hugging Face `config.json` as a `ModelConfig`: Llama, Qwen 2, Qwen 3, and the text model of Gemma 3.

Where a key is absent, the default is the one of `transformers` for that family.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from premotor_runtime.models.config import Architecture, ModelConfig
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.features import features
from premotor_runtime.models.hf_rope import read_rope

FAMILIES: dict[str, Architecture] = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma3_text": "gemma3"}
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "attention_bias": (False,),
    "mlp_bias": (False,),
    "hidden_act": ("silu",),
    "hidden_activation": ("gelu_pytorch_tanh",),
    "attn_logit_softcapping": (None,),
    "final_logit_softcapping": (None,),
    "use_bidirectional_attention": (False, None),
    "quantization_config": (None,),
}
_HEAD_DIM: dict[Architecture, int] = {"qwen3": 128, "gemma3": 256}
_LIMITS = {
    "vocab_size": 1 << 21,
    "hidden_size": 1 << 16,
    "intermediate_size": 1 << 18,
    "num_hidden_layers": 512,
    "num_attention_heads": 1024,
    "num_key_value_heads": 1024,
    "head_dim": 1024,
    "max_position_embeddings": 1 << 27,
    "sliding_window": 1 << 27,
}
_SLIDING, _FULL = "sliding_attention", "full_attention"


def read_hf_config(path: Path) -> ModelConfig:
    """Read `config.json`. Raises CheckpointError when it is missing, malformed or asks for what is not computed."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(path, "no such file", "name a folder saved by `save_pretrained`") from error
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(path, f"not readable as JSON ({error})", "fetch it again") from error
    kind = given.get("model_type") if isinstance(given, dict) else type(given).__name__
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise CheckpointError(path, f"its model_type is `{kind}`", f"use one of {', '.join(FAMILIES)}")
    for key, neutral in _NEUTRAL.items():
        if key in given and given[key] not in neutral:
            raise CheckpointError(path, f"`{key}` is {given[key]!r}, which is not computed", f"it must be {neutral[0]}")
    try:
        return _config(given, FAMILIES[kind])
    except KeyError as error:
        raise CheckpointError(path, f"the key {error} is missing", "fetch it again") from error
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise CheckpointError(path, f"it makes no model ({error})", "correct or fetch it again") from error


def _config(given: dict[str, Any], family: Architecture) -> ModelConfig:
    gemma = family == "gemma3"
    heads, hidden = _size(given, "num_attention_heads"), _size(given, "hidden_size")
    layers = _size(given, "num_hidden_layers")
    head_dim = _size(given, "head_dim", _HEAD_DIM.get(family) or hidden // heads)
    rope = read_rope(given, by_layer_kind=gemma)
    sliding = _sliding_layers(given, layers, family)
    return ModelConfig(
        architecture=family,
        vocab_size=_size(given, "vocab_size"),
        hidden_size=hidden,
        intermediate_size=_size(given, "intermediate_size"),
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=_size(given, "num_key_value_heads", heads),
        head_dim=head_dim,
        rms_norm_eps=_small(given["rms_norm_eps"]),
        rope_theta=rope.theta,
        rope_scaling=rope.scaling,
        rope_local_theta=rope.local_theta,
        max_position_embeddings=_size(given, "max_position_embeddings"),
        tie_word_embeddings=bool(given.get("tie_word_embeddings", gemma)),
        bos_token_id=None if given.get("bos_token_id") is None else int(given["bos_token_id"]),
        eos_token_ids=_ids(given.get("eos_token_id")),
        attention_scale=float(given["query_pre_attn_scalar"] if gemma else head_dim) ** -0.5,
        sliding_window=_size(given, "sliding_window") if any(sliding) else None,
        sliding_layers=sliding,
        **features(family, hidden),
    )


def _size(given: dict[str, Any], key: str, default: int | None = None) -> int:
    """`given[key]`, bounded, so that nothing is allocated by a damaged file's word."""
    value = given.get(key)
    if value is None:
        if default is None:
            raise KeyError(key)
        value = default
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LIMITS[key]:
        raise ValueError(f"`{key}` is {value!r}; it must be a whole number from 1 to {_LIMITS[key]}")
    return value


def _small(given: Any) -> float:
    value = float(given)
    if not (math.isfinite(value) and 0 < value < 1):
        raise ValueError(f"`rms_norm_eps` is {given!r}; it must lie between 0 and 1")
    return value


def _sliding_layers(given: dict[str, Any], layers: int, family: Architecture) -> tuple[bool, ...]:
    windowed = family == "gemma3" or (given.get("use_sliding_window") and given.get("sliding_window") is not None)
    kinds = given.get("layer_types")
    if kinds:
        if unknown := sorted({str(kind) for kind in kinds} - {_SLIDING, _FULL}):
            raise ValueError(f"layers of kind `{unknown[0]}` are not computed; `{_FULL}` and `{_SLIDING}` are")
        return tuple(kind == _SLIDING for kind in kinds) if windowed else ()
    if not windowed:
        return ()
    if family != "gemma3":
        return tuple(n >= int(given["max_window_layers"]) for n in range(layers))
    pattern = int(given.get("sliding_window_pattern", 6))
    return tuple(bool((n + 1) % pattern) for n in range(layers))


def _ids(given: Any) -> tuple[int, ...]:
    if given is None:
        return ()
    return tuple(int(token) for token in (given if isinstance(given, list) else [given]))
