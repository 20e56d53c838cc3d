"""One pass through the layers, the same for every device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as functional

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.rotary import inverse_frequencies
from premotor_runtime.runners.torch.operations import HeadShape, Operations
from premotor_runtime.runners.torch.plan import StepTensors
from premotor_runtime.runners.torch.weights import LayerTensors, LoraFactors, ModelTensors

_QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
_GATE_UP = ("mlp.gate_proj", "mlp.up_proj")


@dataclass(frozen=True)
class AdaptedRows:
    """Rows [start, stop) of a step take an adapter's factors, by target."""

    start: int
    stop: int
    factors: Mapping[str, LoraFactors]


class Forward:
    """The model's arithmetic. `caches` holds each layer's keys and values, see `Operations`."""

    def __init__(
        self, config: ModelConfig, weights: ModelTensors, caches: Sequence[torch.Tensor], operations: Operations
    ) -> None:
        self.config = config
        self._weights = weights
        self._caches = caches
        self._operations = operations
        self.shape = HeadShape(
            config.num_attention_heads, config.num_key_value_heads, config.head_dim, config.rms_norm_eps
        )
        local = config.rope_local_theta
        everywhere = inverse_frequencies(config.rope_theta, config.head_dim, config.rope_scaling)
        nearby = everywhere if local is None else inverse_frequencies(local, config.head_dim, None)
        device = weights.embedding.device
        self._frequencies = {False: torch.from_numpy(everywhere).to(device), True: torch.from_numpy(nearby).to(device)}

    def __call__(self, step: StepTensors, adapted: Sequence[AdaptedRows] = ()) -> torch.Tensor:
        """Final hidden states, float32 (rows, hidden_size); keys and values are written."""
        config, operations = self.config, self._operations
        residual = functional.embedding(step.tokens, self._weights.embedding).float() * config.embedding_scale
        positions = step.positions.float()[:, None]
        turns = {}
        for sliding, frequencies in self._frequencies.items():
            angles = positions * frequencies
            turns[sliding] = (angles.cos(), angles.sin())
        norms = [*(layer.attention_norm for layer in self._weights.layers[1:]), self._weights.final_norm]
        eps, dtype = config.rms_norm_eps, self._weights.embedding.dtype
        first = self._weights.layers[0].attention_norm
        x = operations.add_norm(residual, None, None, first, eps, dtype)
        for number, (layer, following) in enumerate(zip(self._weights.layers, norms, strict=True)):
            last = number == config.num_hidden_layers - 1
            attended = self._attention(number, layer, x, turns[config.window(number) is not None], step, adapted)
            x = operations.add_norm(residual, attended, layer.post_attention_norm, layer.mlp_norm, eps, dtype)
            mixed = self._mlp(number, layer, x, adapted)
            into = torch.float32 if last else dtype
            x = operations.add_norm(residual, mixed, layer.post_mlp_norm, following, eps, into)
        return x

    def _attention(
        self, number: int, layer: LayerTensors, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor],
        step: StepTensors, adapted: Sequence[AdaptedRows],
    ) -> torch.Tensor:  # fmt: skip
        cache, config = self._caches[number], self.config
        projected = functional.linear(x, layer.qkv, layer.qkv_bias)
        _adapt(projected, x, number, _QKV, (config.query_size, config.kv_size, config.kv_size), adapted)
        query = self._operations.rotate_and_store(projected, self.shape, layer.head_norms, turn, cache, step.slots)
        window = config.window(number) or 0
        attended = self._operations.attend(query, self.shape, cache, step, window, config.attention_scale)
        output = functional.linear(attended, layer.output)
        _adapt(output, attended, number, ("self_attn.o_proj",), (config.hidden_size,), adapted)
        return output

    def _mlp(self, number: int, layer: LayerTensors, x: torch.Tensor, adapted: Sequence[AdaptedRows]) -> torch.Tensor:
        gate_up = functional.linear(x, layer.gate_up)
        _adapt(gate_up, x, number, _GATE_UP, (self.config.intermediate_size,) * 2, adapted)
        gated = self._operations.gate(gate_up, self.config.activation == "gelu_tanh")
        down = functional.linear(gated, layer.down)
        _adapt(down, gated, number, ("mlp.down_proj",), (self.config.hidden_size,), adapted)
        return down


def _adapt(
    result: torch.Tensor, x: torch.Tensor, number: int, targets: Sequence[str], widths: Sequence[int],
    adapted: Sequence[AdaptedRows],
) -> None:  # fmt: skip
    """Add each adapter's change to its rows of `result`, whose columns are the targets' side by side."""
    for rows in adapted:
        column = 0
        for target, width in zip(targets, widths, strict=True):
            factors = rows.factors.get(f"layers.{number}.{target}")
            if factors is not None:
                change = (x[rows.start : rows.stop] @ factors.a.T) @ factors.b.T
                result[rows.start : rows.stop, column : column + width] += change
            column += width
