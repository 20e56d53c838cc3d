"""A Hugging Face `config.json` as a `ModelConfig`: Llama, and the text model of Gemma 3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.errors import CheckpointError

_SUPPORTED = {"llama": "llama", "gemma3_text": "gemma3"}
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "attention_bias": (False,),
    "mlp_bias": (False,),
    "hidden_act": ("silu",),
    "hidden_activation": ("gelu_pytorch_tanh",),
    "attn_logit_softcapping": (None,),
    "final_logit_softcapping": (None,),
    "use_bidirectional_attention": (False, None),
}


def read_hf_config(path: Path) -> ModelConfig:
    """Read `config.json`. Raises CheckpointError when it is missing, malformed or asks for what is not computed."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(path, "no such file", "name a folder saved by `save_pretrained`") from error
    except (OSError, ValueError) as error:
        raise CheckpointError(path, f"not readable as JSON ({error})", "fetch it again") from error
    if not isinstance(given, dict) or given.get("model_type") not in _SUPPORTED:
        kind = given.get("model_type") if isinstance(given, dict) else type(given).__name__
        raise CheckpointError(path, f"its model_type is `{kind}`", f"use one of {', '.join(_SUPPORTED)}")
    for key, neutral in _NEUTRAL.items():
        if key in given and given[key] not in neutral:
            raise CheckpointError(path, f"`{key}` is {given[key]!r}, which is not computed", f"it must be {neutral[0]}")
    try:
        return _config(given)
    except KeyError as error:
        raise CheckpointError(path, f"the key {error} is missing", "fetch it again") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(path, f"it makes no model ({error})", "correct or fetch it again") from error


def _config(given: dict[str, Any]) -> ModelConfig:
    gemma = given["model_type"] == "gemma3_text"
    heads = int(given["num_attention_heads"])
    head_dim = int(given.get("head_dim") or int(given["hidden_size"]) // heads)
    rope, local = _rope(given, gemma)
    return ModelConfig(
        architecture="gemma3" if gemma else "llama",
        vocab_size=int(given["vocab_size"]),
        hidden_size=int(given["hidden_size"]),
        intermediate_size=int(given["intermediate_size"]),
        num_hidden_layers=int(given["num_hidden_layers"]),
        num_attention_heads=heads,
        num_key_value_heads=int(given.get("num_key_value_heads") or heads),
        head_dim=head_dim,
        rms_norm_eps=float(given["rms_norm_eps"]),
        rope_theta=float(rope["rope_theta"]),
        rope_scaling=_scaling(rope),
        rope_local_theta=local,
        max_position_embeddings=int(given["max_position_embeddings"]),
        tie_word_embeddings=bool(given.get("tie_word_embeddings", gemma)),
        bos_token_id=given.get("bos_token_id"),
        eos_token_ids=_ids(given.get("eos_token_id")),
        attention_scale=float(given["query_pre_attn_scalar"] if gemma else head_dim) ** -0.5,
        sliding_window=int(given["sliding_window"]) if gemma else None,
        sliding_layers=_sliding_layers(given) if gemma else (),
    )


def _rope(given: dict[str, Any], gemma: bool) -> tuple[dict[str, Any], float | None]:
    """The (global) rope parameters and Gemma's local base, from the newer `rope_parameters` or the older keys."""
    newer = given.get("rope_parameters")
    if newer and gemma:
        local = newer["sliding_attention"]
        if local.get("rope_type", "default") != "default":
            raise ValueError("scaled rope in sliding layers is not computed")
        return newer["full_attention"], float(local["rope_theta"])
    if newer:
        return newer, None
    older = {**(given.get("rope_scaling") or {}), "rope_theta": given.get("rope_theta", 1e6 if gemma else 1e4)}
    return older, float(given.get("rope_local_base_freq", 1e4)) if gemma else None


def _scaling(rope: dict[str, Any]) -> RopeScaling | None:
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind == "default":
        return None
    if kind != "llama3":
        raise ValueError(f"rope of type `{kind}` is not computed; `default` and `llama3` are")
    return RopeScaling(
        factor=float(rope["factor"]),
        low_freq_factor=float(rope["low_freq_factor"]),
        high_freq_factor=float(rope["high_freq_factor"]),
        original_max_position_embeddings=int(rope["original_max_position_embeddings"]),
    )


def _sliding_layers(given: dict[str, Any]) -> tuple[bool, ...]:
    kinds = given.get("layer_types")
    if kinds:
        return tuple(kind == "sliding_attention" for kind in kinds)
    pattern = int(given.get("sliding_window_pattern", 6))
    return tuple(bool((n + 1) % pattern) for n in range(int(given["num_hidden_layers"])))


def _ids(given: Any) -> tuple[int, ...]:
    if given is None:
        return ()
    return tuple(int(token) for token in (given if isinstance(given, list) else [given]))
