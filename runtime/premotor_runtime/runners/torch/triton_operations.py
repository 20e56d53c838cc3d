"""The operations as Triton kernels; importing this imports Triton."""

from __future__ import annotations

import math

import torch
import triton

from premotor_runtime.runners.torch.kernels.attend_decode import attend_decode_kernel, join_splits_kernel
from premotor_runtime.runners.torch.kernels.attend_prefill import attend_prefill_kernel
from premotor_runtime.runners.torch.kernels.rows import add_norm_kernel, gate_kernel, rotate_and_store_kernel
from premotor_runtime.runners.torch.operations import HeadShape
from premotor_runtime.runners.torch.plan import StepTensors

_DOT = 16  # least side of a matrix product in Triton
_TILE_BYTES = 16_384  # a tile of keys (and one of values) in shared memory, twice for two stages: fits sm_87's 164 KB
_SPLIT = 128  # positions that make a split of the context worth its join
_MOST_SPLITS = 32
_GATE_BLOCK = 1024


class TritonOperations:
    """See `Operations`. `processors`: how many programs should run at least, the device's multiprocessors."""

    def __init__(self, processors: int) -> None:
        self._processors = processors

    def tile_tokens(self, shape: HeadShape) -> int:
        """See `Operations.tile_tokens`."""
        return self._queries(shape) // _members(shape)

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
        rows, hidden = residual.shape
        out = torch.empty_like(residual, dtype=dtype)
        block = triton.next_power_of_2(hidden)
        add_norm_kernel[(rows,)](
            out, residual, residual if change is None else change, weight if change_weight is None else change_weight,
            weight, eps, HIDDEN=hidden, BLOCK=block, CHANGED=change is not None,
            CHANGE_NORMED=change_weight is not None, num_warps=8 if block > 2048 else 4,
        )  # fmt: skip
        return out

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
        query = projected.new_empty((len(projected), shape.heads, shape.head_dim))
        cosine, sine = turn
        rotate_and_store_kernel[(len(projected), shape.heads + 2 * shape.kv_heads)](
            query, cache[0], cache[1], projected, cosine if norms is None else norms, cosine, sine, slots, shape.eps,
            HEADS=shape.heads, KV_HEADS=shape.kv_heads, HALF=shape.head_dim // 2,
            BLOCK=triton.next_power_of_2(shape.head_dim // 2), NORMED=norms is not None, num_warps=1,
        )  # fmt: skip
        return query

    def attend(
        self, query: torch.Tensor, shape: HeadShape, cache: torch.Tensor, step: StepTensors, window: int, scale: float
    ) -> torch.Tensor:
        """See `Operations.attend`."""
        out = torch.empty_like(query)
        scale *= math.log2(math.e)
        if len(step.decode_rows):
            self._attend_decode(out, query, shape, cache, step, window, scale)
        if len(step.tile_rows):
            self._attend_prefill(out, query, shape, cache, step, window, scale)
        return out.flatten(1)

    def gate(self, gate_up: torch.Tensor, gelu: bool) -> torch.Tensor:
        """See `Operations.gate`."""
        rows, both = gate_up.shape
        out = gate_up.new_empty((rows, both // 2))
        grid = (rows, triton.cdiv(both // 2, _GATE_BLOCK))
        gate_kernel[grid](out, gate_up, INNER=both // 2, BLOCK=_GATE_BLOCK, GELU=gelu)
        return out

    def _attend_decode(
        self, out: torch.Tensor, query: torch.Tensor, shape: HeadShape, cache: torch.Tensor, step: StepTensors,
        window: int, scale: float,
    ) -> None:  # fmt: skip
        decodes = len(step.decode_rows)
        splits = self._splits(decodes * shape.kv_heads, min(step.longest_decode, window or step.longest_decode))
        parts = query.new_empty((decodes, shape.heads, splits, shape.head_dim), dtype=torch.float32)
        sums = query.new_empty((decodes, shape.heads, splits, 2), dtype=torch.float32)
        attend_decode_kernel[(decodes, shape.kv_heads, splits)](
            out, parts, sums, query, cache[0], cache[1], step.decode_rows, step.decode_tables, step.contexts,
            step.tables, step.tables.shape[1], scale, splits, WINDOW=window, GROUP=shape.group,
            KV_HEADS=shape.kv_heads, HEAD_DIM=shape.head_dim, BLOCK_SIZE=cache.shape[2],
            QUERIES=max(_DOT, _members(shape)), DIMS=_dims(shape), TILE=_tile(shape, query.dtype), SPLIT=splits > 1,
            WIDEN=not query.is_cuda, num_warps=4, num_stages=2,
        )  # fmt: skip
        if splits > 1:
            join_splits_kernel[(decodes, shape.heads)](
                out, parts, sums, step.decode_rows, splits, HEADS=shape.heads, HEAD_DIM=shape.head_dim,
                DIMS=_dims(shape), MOST=_MOST_SPLITS, num_warps=4,
            )  # fmt: skip

    def _attend_prefill(
        self, out: torch.Tensor, query: torch.Tensor, shape: HeadShape, cache: torch.Tensor, step: StepTensors,
        window: int, scale: float,
    ) -> None:  # fmt: skip
        attend_prefill_kernel[(len(step.tile_rows), shape.kv_heads)](
            out, query, cache[0], cache[1], step.tile_tables, step.tile_rows, step.tile_starts, step.tile_sizes,
            step.tables, step.tables.shape[1], scale, WINDOW=window, GROUP=shape.group, MEMBERS=_members(shape),
            KV_HEADS=shape.kv_heads, HEAD_DIM=shape.head_dim, BLOCK_SIZE=cache.shape[2], QUERIES=self._queries(shape),
            DIMS=_dims(shape), TILE=_tile(shape, query.dtype), WIDEN=not query.is_cuda, num_warps=4, num_stages=2,
        )  # fmt: skip

    def _queries(self, shape: HeadShape) -> int:
        return max(_DOT, _members(shape), 32 if _dims(shape) > 128 else 64)

    def _splits(self, programs: int, longest: int) -> int:
        """Enough to fill the device twice, unless the context is too short to be worth it."""
        return max(1, min(2 * self._processors // programs, longest // _SPLIT, _MOST_SPLITS))


def _members(shape: HeadShape) -> int:
    return int(triton.next_power_of_2(shape.group))


def _dims(shape: HeadShape) -> int:
    return max(_DOT, int(triton.next_power_of_2(shape.head_dim)))


def _tile(shape: HeadShape, dtype: torch.dtype) -> int:
    """Positions in a tile of keys: a power of two (a tile need not agree with a block of the cache)."""
    return int(max(_DOT, min(64, _TILE_BYTES // (_dims(shape) * dtype.itemsize))))
