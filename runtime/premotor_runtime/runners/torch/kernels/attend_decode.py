"""Attention of one new token a sequence, its context cut into splits that run side by side."""

# no `from __future__ import annotations`: Triton reads the annotations
import triton
import triton.language as tl

from premotor_runtime.runners.torch.kernels.softmax import absorb, load_tile


@triton.jit(do_not_specialize=["splits"])  # type: ignore[untyped-decorator]
def attend_decode_kernel(  # type: ignore[no-untyped-def]
    out,
    parts,
    sums,
    query,
    keys,
    values,
    rows,
    table_rows,
    contexts,
    tables,
    table_width,
    scale,
    splits,
    WINDOW: tl.constexpr,
    GROUP: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    QUERIES: tl.constexpr,
    DIMS: tl.constexpr,
    TILE: tl.constexpr,
    SPLIT: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """Grid (decodes, kv_heads, splits): the queries that share a key-value head, over one split of the context.

    SPLIT false (one split): the result goes to `out` (rows, heads, head_dim). Else the weighted values go to `parts`,
    float32 (decodes, heads, splits, head_dim), and peak and total to `sums`, float32 (decodes, heads, splits, 2).
    """
    decode, kv_head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    row = tl.load(rows + decode).to(tl.int64)
    table = tables + tl.load(table_rows + decode) * table_width
    context = tl.load(contexts + decode)
    member, dim = tl.arange(0, QUERIES), tl.arange(0, DIMS)
    head = kv_head * GROUP + member
    mask = (member < GROUP)[:, None] & (dim < HEAD_DIM)[None, :]
    at = (row * KV_HEADS * GROUP + head)[:, None] * HEAD_DIM + dim[None, :]
    asked = tl.load(query + at, mask=mask, other=0.0)

    first = tl.maximum(0, context - WINDOW) if WINDOW else 0
    length = tl.cdiv(tl.cdiv(context - first, splits), TILE) * TILE
    start = first + split * length
    stop = tl.minimum(context, start + length)
    peak = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    mixed = tl.zeros([QUERIES, DIMS], tl.float32)
    for tile in range(start, stop, TILE):
        positions = tile + tl.arange(0, TILE)
        inside = positions < stop
        tile_keys, tile_values = load_tile(
            keys, values, table, positions, inside, kv_head, KV_HEADS, HEAD_DIM, DIMS, BLOCK_SIZE
        )
        peak, total, mixed = absorb(asked, tile_keys, tile_values, inside[None, :], scale, peak, total, mixed, WIDEN)

    if SPLIT:
        part = (decode.to(tl.int64) * KV_HEADS * GROUP + head) * splits + split
        tl.store(parts + part[:, None] * HEAD_DIM + dim[None, :], mixed, mask=mask)
        tl.store(sums + part * 2, peak, mask=member < GROUP)
        tl.store(sums + part * 2 + 1, total, mask=member < GROUP)
    else:
        share = mixed / tl.where(total == 0.0, 1.0, total)[:, None]
        tl.store(out + at, share, mask=mask)


@triton.jit(do_not_specialize=["splits"])  # type: ignore[untyped-decorator]
def join_splits_kernel(  # type: ignore[no-untyped-def]
    out,
    parts,
    sums,
    rows,
    splits,
    HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIMS: tl.constexpr,
    MOST: tl.constexpr,
):
    """Grid (decodes, heads): the softmax over the whole context from those over its `splits`, MOST at most."""
    decode, head = tl.program_id(0), tl.program_id(1)
    split, dim = tl.arange(0, MOST), tl.arange(0, DIMS)
    there, inside = split < splits, dim < HEAD_DIM
    part = (decode.to(tl.int64) * HEADS + head) * splits + split
    peaks = tl.load(sums + part * 2, mask=there, other=float("-inf"))
    totals = tl.load(sums + part * 2 + 1, mask=there, other=0.0)
    peak = tl.max(peaks, 0)
    factors = tl.exp2(peaks - tl.where(peak == float("-inf"), 0.0, peak))
    mixed = tl.load(parts + part[:, None] * HEAD_DIM + dim[None, :], mask=there[:, None] & inside[None, :], other=0.0)
    total = tl.sum(totals * factors, 0)
    share = tl.sum(mixed * factors[:, None], 0) / tl.where(total == 0.0, 1.0, total)
    row = tl.load(rows + decode).to(tl.int64)
    tl.store(out + (row * HEADS + head) * HEAD_DIM + dim, share, mask=inside)
