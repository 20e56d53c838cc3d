"""A `ModelConfig` as the `config.json` that `transformers` reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from premotor_runtime.models.config import ModelConfig

_CLASSES = {
    "llama": ("llama", "LlamaForCausalLM"),
    "qwen2": ("qwen2", "Qwen2ForCausalLM"),
    "qwen3": ("qwen3", "Qwen3ForCausalLM"),
    "gemma3": ("gemma3_text", "Gemma3ForCausalLM"),
}


def hf_config(config: ModelConfig, dtype: str) -> dict[str, Any]:
    """The keys that describe `config`; `dtype` is what its tensors are stored in."""
    model_type, name = _CLASSES[config.architecture]
    eos = config.eos_token_ids
    return {
        "architectures": [name],
        "model_type": model_type,
        "dtype": dtype,
        "torch_dtype": dtype,
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.num_hidden_layers,
        "num_attention_heads": config.num_attention_heads,
        "num_key_value_heads": config.num_key_value_heads,
        "head_dim": config.head_dim,
        "rms_norm_eps": config.rms_norm_eps,
        "max_position_embeddings": config.max_position_embeddings,
        "tie_word_embeddings": config.tie_word_embeddings,
        "bos_token_id": config.bos_token_id,
        "eos_token_id": eos[0] if len(eos) == 1 else list(eos) or None,
        "attention_bias": False,
        **_rope(config),
        **(_gemma(config) if config.architecture == "gemma3" else {"hidden_act": "silu"}),
        **(_sliding(config) if any(config.sliding_layers) else {}),
    }


def _rope(config: ModelConfig) -> dict[str, Any]:
    scaling = config.rope_scaling
    rope = {"rope_theta": config.rope_theta, "rope_scaling": None}
    return rope if scaling is None else rope | {"rope_scaling": {"rope_type": "llama3", **asdict(scaling)}}


def _gemma(config: ModelConfig) -> dict[str, Any]:
    return {
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": round(config.attention_scale**-2),
        "rope_local_base_freq": config.rope_local_theta,
    }


def _sliding(config: ModelConfig) -> dict[str, Any]:
    return {
        "use_sliding_window": True,
        "sliding_window": config.sliding_window,
        "layer_types": ["sliding_attention" if slides else "full_attention" for slides in config.sliding_layers],
    }
