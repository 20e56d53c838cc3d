"""The operations in plain torch: used on the CPU, and what the Triton kernels are held to."""

from __future__ import annotations

import torch
import torch.nn.functional as functional

from premotor_runtime.runners.torch.operations import HeadShape
from premotor_runtime.runners.torch.plan import Prefill, StepTensors


class TorchOperations:
    """See `Operations`. Everything but matrix products is computed in float32."""

    def tile_tokens(self, shape: HeadShape) -> int:
        """See `Operations.tile_tokens`; tiles are not used here."""
        return 1 << 20

    def add_norm(
        self,
        residual: torch.Tensor,
        change: torch.Tensor | None,
        change_weight: torch.Tensor | None,
        weight: torch.Tensor,
        eps: float,
        dtype: torch.dtype,
    ) -> torch.Tensor:
        """See `Operations.add_norm`."""
        if change is not None:
            added = change.float()
            residual += added if change_weight is None else rms_norm(added, change_weight, eps)
        return rms_norm(residual, weight, eps).to(dtype)

    def rotate_and_store(
        self,
        projected: torch.Tensor,
        shape: HeadShape,
        norms: torch.Tensor | None,
        turn: tuple[torch.Tensor, torch.Tensor],
        cache: torch.Tensor,
        slots: torch.Tensor,
    ) -> torch.Tensor:
        """See `Operations.rotate_and_store`."""
        heads = projected.view(len(projected), -1, shape.head_dim)
        query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], dim=1)
        query, key = query.float(), key.float()
        if norms is not None:
            query, key = rms_norm(query, norms[0], shape.eps), rms_norm(key, norms[1], shape.eps)
        used = slots >= 0
        places = slots[used].long()
        keys, values = cache.flatten(1, 2)
        keys[places] = rotate(key, turn)[used].to(cache.dtype)
        values[places] = value[used]
        return rotate(query, turn).to(projected.dtype)

    def attend(
        self, query: torch.Tensor, shape: HeadShape, cache: torch.Tensor, step: StepTensors, window: int, scale: float
    ) -> torch.Tensor:
        """See `Operations.attend`."""
        result = torch.zeros_like(query)
        if len(step.decode_rows):
            rows = step.decode_rows.long()
            tables = step.tables[step.decode_tables.long()]
            result[rows] = attend_decode(query[rows], cache, tables, step.contexts, window, scale)
        for prefill in step.prefills:
            rows = slice(prefill.row, prefill.row + prefill.size)
            result[rows] = attend_prefill(query[rows], cache, step.tables[prefill.table], prefill, window, scale)
        return result.flatten(1)

    def gate(self, gate_up: torch.Tensor, gelu: bool) -> torch.Tensor:
        """See `Operations.gate`."""
        gate, up = gate_up.float().chunk(2, dim=-1)
        acted = functional.gelu(gate, approximate="tanh") if gelu else functional.silu(gate)
        return (acted * up).to(gate_up.dtype)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """x / sqrt(mean(x^2) + eps) * weight over the last axis, in float32."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def rotate(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Turn x (rows, heads, head_dim): plane i pairs coordinate i with coordinate i + head_dim / 2."""
    cosine, sine = (part[:, None] for part in turn)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


def attend_decode(
    query: torch.Tensor, cache: torch.Tensor, tables: torch.Tensor, contexts: torch.Tensor, window: int, scale: float
) -> torch.Tensor:
    """One query (sequences, heads, head_dim) a sequence over its first `contexts` positions; same shape and dtype."""
    positions = torch.arange(tables.shape[1] * cache.shape[2], device=query.device)
    keys, values = _gather(cache, tables, positions)
    seen = positions < contexts[:, None]
    if window:
        seen &= positions >= contexts[:, None] - window
    return _softmax_attention(query[:, None], keys, values, seen[:, None], scale)[:, 0]


def attend_prefill(
    query: torch.Tensor, cache: torch.Tensor, table: torch.Tensor, prefill: Prefill, window: int, scale: float
) -> torch.Tensor:
    """Queries (size, heads, head_dim) of consecutive positions over their own sequence; same shape and dtype."""
    first = max(0, prefill.start - window + 1) if window else 0
    positions = torch.arange(first, prefill.start + prefill.size, device=query.device)
    keys, values = _gather(cache, table[None], positions)
    asking = torch.arange(prefill.start, prefill.start + prefill.size, device=query.device)[:, None]
    seen = positions <= asking
    if window:
        seen &= positions > asking - window
    return _softmax_attention(query[None], keys, values, seen[None], scale)[0]


def _gather(cache: torch.Tensor, tables: torch.Tensor, positions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values (sequences, positions, kv_heads, head_dim) of the given positions of each table's sequence."""
    block_size = cache.shape[2]
    slots = tables[:, positions // block_size].long() * block_size + positions % block_size
    keys, values = cache.flatten(1, 2)
    return keys[slots], values[slots]


def _softmax_attention(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, seen: torch.Tensor, scale: float
) -> torch.Tensor:
    """Query (s, n, heads, d), keys and values (s, context, kv_heads, d), seen (s, n, context); zeros if none is."""
    sequences, count, heads, width = query.shape
    grouped = query.float().view(sequences, count, keys.shape[2], -1, width)
    scores = torch.einsum("snkgd,sckd->skgnc", grouped, keys.float()) * scale
    scores = scores.masked_fill(~seen[:, None, None], -torch.inf)
    shares = scores.softmax(-1).masked_fill(~seen[:, None, None], 0.0)
    mixed = torch.einsum("skgnc,sckd->snkgd", shares, values.float())
    return mixed.reshape(sequences, count, heads, width).to(query.dtype)
