"""A checkpoint's weights as tensors on the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.embedding import EmbeddingTable
from premotor_runtime.models.packed import Floats, LayerWeights, layer_weights
from premotor_runtime.runners.torch.device import Device

_TILE = 4096


@dataclass(frozen=True)
class LayerTensors:
    """One layer, as `LayerWeights`: matrices in the device's dtype, norm factors in float32.

    `head_norms` (2, head_dim): those of query and key.
    """

    qkv: torch.Tensor
    qkv_bias: torch.Tensor | None
    output: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor
    attention_norm: torch.Tensor
    mlp_norm: torch.Tensor
    head_norms: torch.Tensor | None
    post_attention_norm: torch.Tensor | None
    post_mlp_norm: torch.Tensor | None


@dataclass(frozen=True)
class LoraFactors:
    """What is added is (x a^T) b^T; `b` includes the scale. `a` (rank, in), `b` (out, rank)."""

    a: torch.Tensor
    b: torch.Tensor


@dataclass(frozen=True)
class ModelTensors:
    """All weights. `head` is `embedding` itself where the checkpoint ties them. `adapters`: name, target, factors."""

    layers: tuple[LayerTensors, ...]
    final_norm: torch.Tensor
    embedding: torch.Tensor
    head: torch.Tensor
    adapters: Mapping[str, Mapping[str, LoraFactors]]


def load_tensors(checkpoint: Checkpoint, adapters: Mapping[str, LoraAdapter], device: Device) -> ModelTensors:
    """Copy to the device. In float32 on the CPU the layers share the checkpoint's memory."""
    embedding = _table(checkpoint.embedding, checkpoint.config.hidden_size, device)
    tied = checkpoint.head is checkpoint.embedding
    return ModelTensors(
        layers=tuple(_layer(layer, device) for layer in layer_weights(checkpoint.flat, checkpoint.config)),
        final_norm=_tensor(checkpoint.flat[-checkpoint.config.hidden_size :], device, torch.float32),
        embedding=embedding,
        head=embedding if tied else _table(checkpoint.head, checkpoint.config.hidden_size, device),
        adapters={name: _factors(adapter, device) for name, adapter in adapters.items()},
    )


def weight_bytes(checkpoint: Checkpoint, dtype: torch.dtype) -> int:
    """Memory of the weights on the device, without adapters."""
    tables = {id(table): table.vocab_size for table in (checkpoint.embedding, checkpoint.head)}
    values = checkpoint.flat.size + sum(tables.values()) * checkpoint.config.hidden_size
    return int(values * dtype.itemsize)


def _layer(weights: LayerWeights, device: Device) -> LayerTensors:
    def matrix(values: Floats) -> torch.Tensor:
        return _tensor(values, device, device.dtype)

    def factors(values: Floats | None) -> torch.Tensor | None:
        return None if values is None else _tensor(values, device, torch.float32)

    query_norm, key_norm = factors(weights.query_norm), factors(weights.key_norm)
    return LayerTensors(
        qkv=matrix(weights.qkv),
        qkv_bias=None if weights.qkv_bias is None else matrix(weights.qkv_bias),
        output=matrix(weights.output),
        gate_up=matrix(weights.gate_up),
        down=matrix(weights.down),
        attention_norm=_tensor(weights.attention_norm, device, torch.float32),
        mlp_norm=_tensor(weights.mlp_norm, device, torch.float32),
        head_norms=None if query_norm is None or key_norm is None else torch.stack([query_norm, key_norm]),
        post_attention_norm=factors(weights.post_attention_norm),
        post_mlp_norm=factors(weights.post_mlp_norm),
    )


def _tensor(values: Floats, device: Device, dtype: torch.dtype) -> torch.Tensor:
    return torch.from_numpy(values).to(device.torch, dtype)


def _table(table: EmbeddingTable, width: int, device: Device) -> torch.Tensor:
    """A table as one tensor, filled in slices so that a quantized one is never float32 as a whole."""
    result = torch.empty((table.vocab_size, width), dtype=device.dtype, device=device.torch)
    for start in range(0, table.vocab_size, _TILE):
        rows = table.rows(slice(start, min(start + _TILE, table.vocab_size)))
        result[start : start + len(rows)] = torch.from_numpy(rows)
    return result


def _factors(adapter: LoraAdapter, device: Device) -> Mapping[str, LoraFactors]:
    return {
        target: LoraFactors(
            _tensor(factors.a, device, device.dtype),
            (_tensor(factors.b, device, torch.float32) * factors.scale).to(device.dtype),
        )
        for target, factors in adapter.factors.items()
    }
