"""A Llama-style decoder in torch over packs; parameters carry their Hugging Face names (without `model.`)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as functional

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.packed import layout
from premotor_runtime.training.embedded_attention import pack_attention
from premotor_runtime.training.packs import TokenPack

EMBEDDING = "embed_tokens.weight"
Parameters = dict[str, torch.Tensor]


def embedded_config(vocab_size: int) -> ModelConfig:
    """The committed model's shape: 1.3 million parameters, small enough to learn in minutes of one CPU core."""
    return ModelConfig(
        architecture="llama", vocab_size=vocab_size, hidden_size=160, intermediate_size=352, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, head_dim=40, rms_norm_eps=1e-5, rope_theta=10000.0,
        max_position_embeddings=1024, tie_word_embeddings=True, bos_token_id=0, eos_token_ids=(1,),
        attention_scale=40**-0.5,
    )  # fmt: skip


def new_parameters(config: ModelConfig, generator: torch.Generator) -> Parameters:
    """Fresh weights: norms one, what writes into the residual stream zero, the rest normal."""
    parameters = {EMBEDDING: torch.randn(config.vocab_size, config.hidden_size, generator=generator) * 0.02}
    for name, shape, _ in layout(config):
        if len(shape) == 1:
            weight = torch.ones(shape)
        elif name.endswith(("o_proj.weight", "down_proj.weight")):
            weight = torch.zeros(shape)
        else:
            weight = torch.randn(shape, generator=generator) * shape[1] ** -0.5
        parameters[name] = weight
    return {name: weight.requires_grad_() for name, weight in parameters.items()}


def answer_logits(parameters: Parameters, config: ModelConfig, packs: Sequence[TokenPack]) -> torch.Tensor:
    """Logits (A, vocabulary) where the packs predict answer tokens, pack after pack."""
    ids = torch.cat([pack.ids for pack in packs])
    rotation = _rotation(torch.cat([pack.positions for pack in packs]), config)
    x = parameters[EMBEDDING][ids]
    for layer in range(config.num_hidden_layers):
        last = layer == config.num_hidden_layers - 1
        x = _layer(x, parameters, layer, config, packs, rotation, _predicting(packs) if last else None)
    return functional.linear(_norm(x, parameters["norm.weight"], config), parameters[EMBEDDING])


def answer_targets(packs: Sequence[TokenPack]) -> torch.Tensor:
    """The tokens (A,) that the logits should name."""
    return torch.cat([pack.targets for pack in packs])


def _predicting(packs: Sequence[TokenPack]) -> torch.Tensor:
    starts = torch.tensor([0, *[len(pack.ids) for pack in packs]]).cumsum(0)
    return torch.cat([pack.predict + start for pack, start in zip(packs, starts, strict=False)])


def _layer(
    x: torch.Tensor,
    parameters: Parameters,
    layer: int,
    config: ModelConfig,
    packs: Sequence[TokenPack],
    rotation: tuple[torch.Tensor, torch.Tensor],
    keep: torch.Tensor | None,
) -> torch.Tensor:
    """One block; after attention only the rows `keep` go on (the last layer needs no others)."""

    def weight(*names: str) -> torch.Tensor:
        found = [parameters[f"layers.{layer}.{name}.weight"] for name in names]
        return found[0] if len(found) == 1 else torch.cat(found)

    qkv = functional.linear(
        _norm(x, weight("input_layernorm"), config), weight("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
    )
    mixed = _attention(qkv, config, packs, rotation)
    if keep is not None:
        x, mixed = x[keep], mixed[keep]
    x = x + functional.linear(mixed, weight("self_attn.o_proj"))
    y = functional.linear(_norm(x, weight("post_attention_layernorm"), config), weight("mlp.gate_proj", "mlp.up_proj"))
    gate, up = y.chunk(2, -1)
    return x + functional.linear(functional.silu(gate) * up, weight("mlp.down_proj"))


def _attention(
    qkv: torch.Tensor, config: ModelConfig, packs: Sequence[TokenPack], rotation: tuple[torch.Tensor, torch.Tensor]
) -> torch.Tensor:
    heads, shared, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    q, k, v = qkv.view(len(qkv), -1, size).split((heads, shared, shared), 1)
    q = _rotate(q, *rotation) * config.attention_scale
    k = _rotate(k, *rotation)
    lengths = [len(pack.ids) for pack in packs]
    parts = zip(q.split(lengths), k.split(lengths), v.split(lengths), packs, strict=True)
    grouped = ((one.view(len(one), shared, -1, size), *rest) for one, *rest in parts)
    return torch.cat([pack_attention(*part) for part in grouped])


def _norm(x: torch.Tensor, weight: torch.Tensor, config: ModelConfig) -> torch.Tensor:
    return functional.rms_norm(x, (x.shape[-1],), weight, config.rms_norm_eps)


def _rotation(positions: torch.Tensor, config: ModelConfig) -> tuple[torch.Tensor, torch.Tensor]:
    size = config.head_dim
    frequencies = config.rope_theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = positions[:, None].double() * frequencies
    angles = torch.cat((angles, angles), -1)[:, None]
    return angles.cos().float(), angles.sin().float()


def _rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin
