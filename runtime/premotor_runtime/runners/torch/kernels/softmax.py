"""What both attention kernels share: loading a tile of the paged cache, and the online softmax over it."""

# no `from __future__ import annotations`: Triton reads the annotations
import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def load_tile(  # type: ignore[no-untyped-def]
    keys,
    values,
    table,
    positions,
    inside,
    kv_head,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIMS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """Keys and values (positions, DIMS) of one key-value head; zeros outside."""
    dim = tl.arange(0, DIMS)
    block = tl.load(table + positions // BLOCK_SIZE, mask=inside, other=0)
    slot = block.to(tl.int64) * BLOCK_SIZE + positions % BLOCK_SIZE
    at = (slot * KV_HEADS + kv_head)[:, None] * HEAD_DIM + dim[None, :]
    mask = inside[:, None] & (dim < HEAD_DIM)[None, :]
    return tl.load(keys + at, mask=mask, other=0.0), tl.load(values + at, mask=mask, other=0.0)


@triton.jit  # type: ignore[untyped-decorator]
def absorb(query, keys, values, seen, scale, peak, total, mixed, WIDEN: tl.constexpr):  # type: ignore[no-untyped-def]
    """Take a tile into the running softmax (Milakov and Gimelshein 2018); `scale` includes log2(e).

    State of each query: `peak` the largest score so far (-inf before the first), `total` the sum of 2^(score - peak),
    `mixed` the values weighted likewise. WIDEN multiplies in float32: for the interpreter, which takes the bits of a
    bfloat16 for an integer in products.
    """
    dtype = values.dtype
    if WIDEN:
        query, keys, values = query.to(tl.float32), keys.to(tl.float32), values.to(tl.float32)
    # "ieee": float32 is not cut to tf32; it says nothing for the 16-bit types
    scores = tl.dot(query, tl.trans(keys), input_precision="ieee") * scale
    scores = tl.where(seen, scores, float("-inf"))
    higher = tl.maximum(peak, tl.max(scores, 1))
    base = tl.where(higher == float("-inf"), 0.0, higher)  # nothing seen yet: -inf - -inf would be NaN
    shares = tl.exp2(scores - base[:, None])
    keep = tl.exp2(peak - base)
    total = total * keep + tl.sum(shares, 1)
    weights = shares.to(dtype).to(values.dtype)
    mixed = mixed * keep[:, None] + tl.dot(weights, values, input_precision="ieee")
    return higher, total, mixed
