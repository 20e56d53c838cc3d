"""The trained weights as a Hugging Face checkpoint folder (Llama, float16) that `transformers` and the engine load."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import save

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.training.embedded_tokenizer import BOS, EOS


def write_embedded(
    folder: Path,
    parameters: Mapping[str, torch.Tensor],
    config: ModelConfig,
    tokenizer_json: str,
    note: Mapping[str, str],
) -> None:
    """Write config, tokenizer and weights, each file whole or not at all; `note` goes into the weights' metadata.

    Raises OSError.
    """
    tensors = {f"model.{name}": weight.detach().half().contiguous() for name, weight in sorted(parameters.items())}
    write_atomically(folder / "tokenizer.json", tokenizer_json)
    write_atomically(folder / "tokenizer_config.json", _text(_tokenizer_config(config)))
    write_atomically(folder / "config.json", _text(_hf_config(config)))
    write_atomically(folder / "model.safetensors", save(tensors, {"format": "pt", **note}))


def _text(values: Mapping[str, object]) -> str:
    return json.dumps(values, indent=2) + "\n"


def _hf_config(config: ModelConfig) -> dict[str, object]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": config.bos_token_id,
        "dtype": "float16",
        "eos_token_id": config.eos_token_ids[0],
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "max_position_embeddings": config.max_position_embeddings,
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": config.num_attention_heads,
        "num_hidden_layers": config.num_hidden_layers,
        "num_key_value_heads": config.num_key_value_heads,
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "tie_word_embeddings": True,
        "vocab_size": config.vocab_size,
    }


def _tokenizer_config(config: ModelConfig) -> dict[str, object]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
        "clean_up_tokenization_spaces": False,
        "model_max_length": config.max_position_embeddings,
    }
