"""Causal attention of a tile of consecutive tokens over their sequence so far."""

# no `from __future__ import annotations`: Triton reads the annotations
import triton
import triton.language as tl

from premotor_runtime.runners.torch.kernels.softmax import absorb, load_tile


@triton.jit  # type: ignore[untyped-decorator]
def attend_prefill_kernel(  # type: ignore[no-untyped-def]
    out,
    query,
    keys,
    values,
    tile_tables,
    tile_rows,
    tile_starts,
    tile_sizes,
    tables,
    table_width,
    scale,
    WINDOW: tl.constexpr,
    GROUP: tl.constexpr,
    MEMBERS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    QUERIES: tl.constexpr,
    DIMS: tl.constexpr,
    TILE: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """Grid (tiles, kv_heads). Query i is token i // MEMBERS of the tile and member i % MEMBERS of the head's group."""
    number, kv_head = tl.program_id(0), tl.program_id(1)
    table = tables + tl.load(tile_tables + number) * table_width
    row, start = tl.load(tile_rows + number).to(tl.int64), tl.load(tile_starts + number)
    size = tl.load(tile_sizes + number)
    member, token = tl.arange(0, QUERIES) % MEMBERS, tl.arange(0, QUERIES) // MEMBERS
    dim = tl.arange(0, DIMS)
    mask = ((member < GROUP) & (token < size))[:, None] & (dim < HEAD_DIM)[None, :]
    head = (row + token) * KV_HEADS * GROUP + kv_head * GROUP + member
    at = head[:, None] * HEAD_DIM + dim[None, :]
    asked = tl.load(query + at, mask=mask, other=0.0)
    position = start + token

    stop = start + size
    first = tl.maximum(0, start - WINDOW + 1) if WINDOW else 0
    peak = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    mixed = tl.zeros([QUERIES, DIMS], tl.float32)
    for tile in range(first, stop, TILE):
        positions = tile + tl.arange(0, TILE)
        inside = positions < stop
        tile_keys, tile_values = load_tile(
            keys, values, table, positions, inside, kv_head, KV_HEADS, HEAD_DIM, DIMS, BLOCK_SIZE
        )
        seen = inside[None, :] & (positions[None, :] <= position[:, None])
        if WINDOW:
            seen = seen & (positions[None, :] > position[:, None] - WINDOW)
        peak, total, mixed = absorb(asked, tile_keys, tile_values, seen, scale, peak, total, mixed, WIDEN)
    share = mixed / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out + at, share, mask=mask)
