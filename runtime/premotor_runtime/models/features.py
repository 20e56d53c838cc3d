"""Which features each family of checkpoints has, as keyword arguments of `ModelConfig`."""

from __future__ import annotations

from typing import Any

from premotor_runtime.models.config import Architecture


def features(architecture: Architecture, hidden_size: int) -> dict[str, Any]:
    """The feature fields of `ModelConfig` for a family; what is absent keeps its default, which is Llama's."""
    if architecture == "qwen2":
        return {"qkv_bias": True}
    if architecture == "qwen3":
        return {"qk_norm": True}
    if architecture == "gemma3":
        return {
            "qk_norm": True,
            "post_norms": True,
            "embedding_scale": float(hidden_size) ** 0.5,
            "activation": "gelu_tanh",
            "norm_offset": 1.0,
        }
    return {}
