"""Gemma 3 in torch for packs, with LoRA on every linear layer (Hu et al. 2021); base weights are frozen.

The arithmetic is that of the Gemma 3 report: scaled embeddings, RMSNorm (factors with "+ 1" already added), query-key
norm, rotary embedding with a local and a global base, GeGLU. Packs are shorter than the sliding window, so that no
window is needed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as functional

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.packed import named_views
from premotor_runtime.training.packs import TokenPack

TARGETS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
Factors = Mapping[str, torch.Tensor]


class Gemma:
    """The frozen model. `scale` is alpha / rank of the adapter."""

    def __init__(self, checkpoint: Checkpoint, scale: float) -> None:
        self.config, self.scale = checkpoint.config, scale
        views = named_views(checkpoint.flat, checkpoint.config)
        self.weights = {name: torch.from_numpy(np.array(view)) for name, view in views.items()}
        self.embedding = checkpoint.embedding

    def rows(self, ids: torch.Tensor) -> torch.Tensor:
        """Embedding rows (n, hidden) of token ids, not scaled."""
        return torch.from_numpy(np.ascontiguousarray(self.embedding.rows(ids.numpy())))

    def hidden(self, pack: TokenPack, factors: Factors) -> torch.Tensor:
        """Normalised hidden states (A, hidden) where the pack predicts answer tokens."""
        config = self.config
        x = self.rows(pack.ids) * config.embedding_scale
        for layer in range(config.num_hidden_layers):
            keep = pack.predict if layer == config.num_hidden_layers - 1 else None
            x = self._layer(x, layer, pack, factors, keep)
        return self._norm(x, "norm")

    def _layer(
        self, x: torch.Tensor, layer: int, pack: TokenPack, factors: Factors, keep: torch.Tensor | None
    ) -> torch.Tensor:
        at = f"layers.{layer}."
        mixed = self._attention(self._norm(x, f"{at}input_layernorm"), layer, pack, factors)
        if keep is not None:
            x, mixed = x[keep], mixed[keep]
        mixed = self._linear(mixed, f"{at}self_attn.o_proj", factors)
        x = x + self._norm(mixed, f"{at}post_attention_layernorm")
        y = self._norm(x, f"{at}pre_feedforward_layernorm")
        gate = functional.gelu(self._linear(y, f"{at}mlp.gate_proj", factors), approximate="tanh")
        y = self._linear(gate * self._linear(y, f"{at}mlp.up_proj", factors), f"{at}mlp.down_proj", factors)
        return x + self._norm(y, f"{at}post_feedforward_layernorm")

    def _attention(self, x: torch.Tensor, layer: int, pack: TokenPack, factors: Factors) -> torch.Tensor:
        config, at = self.config, f"layers.{layer}.self_attn."
        heads, size = config.num_attention_heads, config.head_dim
        q = self._linear(x, f"{at}q_proj", factors).view(-1, heads, size)
        k = self._linear(x, f"{at}k_proj", factors).view(-1, config.num_key_value_heads, size)
        v = self._linear(x, f"{at}v_proj", factors)
        theta = config.rope_local_theta if config.sliding_layers[layer] else config.rope_theta
        cos, sin = _rotation(pack.positions, size, float(theta or config.rope_theta))
        q = _rotate(self._norm(q, f"{at}q_norm"), cos, sin) * config.attention_scale
        k = _rotate(self._norm(k, f"{at}k_norm"), cos, sin)[:, 0]
        return pack_attention(q, k, v, pack).reshape(len(x), heads * size)

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return functional.rms_norm(x, (x.shape[-1],), self.weights[f"{name}.weight"], self.config.rms_norm_eps)

    def _linear(self, x: torch.Tensor, name: str, factors: Factors) -> torch.Tensor:
        y = functional.linear(x, self.weights[f"{name}.weight"])
        if not factors:
            return y
        low = functional.linear(x, factors[f"{name}.lora_A"]) * self.scale
        return torch.addmm(y, low, factors[f"{name}.lora_B"].t())


def pack_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pack: TokenPack) -> torch.Tensor:
    """Causal attention of the prefix, and of each question over the prefix and itself.

    q (T, heads, size), already scaled; k, v (T, size), one key-value head. Returns (T, heads, size).
    """
    start = pack.prefix_len
    causal = torch.ones(start, start, dtype=torch.bool).tril()
    scores = (q[:start].transpose(0, 1) @ k[:start].t()).masked_fill(~causal, -torch.inf)
    first = (scores.softmax(-1) @ v[:start]).transpose(0, 1)
    count, longest = pack.rows.shape
    pad = functional.pad
    rows_q = pad(q, (0, 0, 0, 0, 0, 1))[pack.rows].transpose(1, 2)  # (N, heads, L, size)
    rows_k, rows_v = pad(k, (0, 0, 0, 1))[pack.rows], pad(v, (0, 0, 0, 1))[pack.rows]
    heads = q.shape[1]
    flat_q = rows_q.reshape(-1, q.shape[-1])
    before = (flat_q @ k[:start].t()).view(count, heads, longest, start)
    own = rows_q.reshape(count, heads * longest, -1) @ rows_k.transpose(1, 2)
    own = own.view(count, heads, longest, longest)
    own = own.masked_fill(~torch.ones(longest, longest, dtype=torch.bool).tril(), -torch.inf)
    share = torch.cat((before, own), -1).softmax(-1)
    mixed = (share[..., :start].reshape(-1, start) @ v[:start]).view(count, heads, longest, -1)
    mixed = mixed + (share[..., start:].reshape(count, heads * longest, longest) @ rows_v).view_as(mixed)
    rest = mixed.transpose(1, 2).reshape(count * longest, heads, -1)[pack.inverse]
    return torch.cat((first, rest))


def _rotation(positions: torch.Tensor, size: int, theta: float) -> tuple[torch.Tensor, torch.Tensor]:
    frequencies = theta ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = positions[:, None].double() * frequencies
    angles = torch.cat((angles, angles), -1)[:, None]
    return angles.cos().float(), angles.sin().float()


def _rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin


def factor_shapes(config: ModelConfig, rank: int) -> dict[str, tuple[int, int]]:
    """Names (`layers.3.mlp.up_proj.lora_A`) and shapes of all factors: A (rank, in), B (out, rank)."""
    sizes = {
        "q_proj": (config.query_size, config.hidden_size),
        "k_proj": (config.kv_size, config.hidden_size),
        "v_proj": (config.kv_size, config.hidden_size),
        "o_proj": (config.hidden_size, config.query_size),
        "gate_proj": (config.intermediate_size, config.hidden_size),
        "up_proj": (config.intermediate_size, config.hidden_size),
        "down_proj": (config.hidden_size, config.intermediate_size),
    }
    shapes: dict[str, tuple[int, int]] = {}
    for layer in range(config.num_hidden_layers):
        for target in TARGETS:
            rows, columns = sizes[target.split(".")[-1]]
            shapes[f"layers.{layer}.{target}.lora_A"] = (rank, columns)
            shapes[f"layers.{layer}.{target}.lora_B"] = (rows, rank)
    return shapes
