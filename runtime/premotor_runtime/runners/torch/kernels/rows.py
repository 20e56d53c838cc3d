"""Elementwise work on rows: norms with the residual sum, the gate of the MLP, rotation with the write to the cache."""

# no `from __future__ import annotations`: Triton reads the annotations
import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def root_mean_square(x, size: tl.constexpr, eps):  # type: ignore[no-untyped-def]
    """1 / sqrt(mean(x^2) + eps), for x with zeros behind its `size` values."""
    return tl.rsqrt(tl.sum(x * x, 0) / size + eps)


@triton.jit  # type: ignore[untyped-decorator]
def add_norm_kernel(  # type: ignore[no-untyped-def]
    out,
    residual,
    change,
    change_weight,
    weight,
    eps,
    HIDDEN: tl.constexpr,
    BLOCK: tl.constexpr,
    CHANGED: tl.constexpr,
    CHANGE_NORMED: tl.constexpr,
):
    """Grid (rows,). See `Operations.add_norm`."""
    column = tl.arange(0, BLOCK)
    inside = column < HIDDEN
    at = tl.program_id(0).to(tl.int64) * HIDDEN + column
    x = tl.load(residual + at, mask=inside, other=0.0)
    if CHANGED:
        added = tl.load(change + at, mask=inside, other=0.0).to(tl.float32)
        if CHANGE_NORMED:
            factor = tl.load(change_weight + column, mask=inside, other=0.0)
            added = added * root_mean_square(added, HIDDEN, eps) * factor
        x += added
        tl.store(residual + at, x, mask=inside)
    normed = x * root_mean_square(x, HIDDEN, eps) * tl.load(weight + column, mask=inside, other=0.0)
    tl.store(out + at, normed, mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def gate_kernel(out, gate_up, INNER: tl.constexpr, BLOCK: tl.constexpr, GELU: tl.constexpr):  # type: ignore[no-untyped-def]
    """Grid (rows, inner / BLOCK). See `Operations.gate`; both activations are x * sigmoid(something)."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < INNER
    gate = tl.load(gate_up + row * 2 * INNER + column, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(gate_up + (row * 2 + 1) * INNER + column, mask=inside, other=0.0).to(tl.float32)
    # 0.5 (1 + tanh(z)) = sigmoid(2 z), with z = sqrt(2 / pi) (x + 0.044715 x^3)
    turn = 1.5957691216057308 * (gate + 0.044715 * gate * gate * gate) if GELU else gate
    share = tl.sigmoid(tl.maximum(turn, -80.0))  # below, exp would overflow; the product is 0 in either case
    tl.store(out + row * INNER + column, gate * share * up, mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def rotate_and_store_kernel(  # type: ignore[no-untyped-def]
    query,
    keys,
    values,
    projected,
    norms,
    cosine,
    sine,
    slots,
    eps,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HALF: tl.constexpr,
    BLOCK: tl.constexpr,
    NORMED: tl.constexpr,
):
    """Grid (rows, heads + 2 kv_heads), one head each. See `Operations.rotate_and_store`; HALF = head_dim / 2."""
    row, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    plane = tl.arange(0, BLOCK)
    inside = plane < HALF
    source = projected + (row * (HEADS + 2 * KV_HEADS) + head) * 2 * HALF + plane
    first = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(source + HALF, mask=inside, other=0.0).to(tl.float32)
    slot = tl.load(slots + row).to(tl.int64)
    if head >= HEADS + KV_HEADS:
        if slot >= 0:
            place = values + (slot * KV_HEADS + head - HEADS - KV_HEADS) * 2 * HALF + plane
            tl.store(place, first, mask=inside)
            tl.store(place + HALF, second, mask=inside)
    else:
        if NORMED:
            weight = norms + tl.where(head < HEADS, 0, 2 * HALF) + plane
            factor = tl.rsqrt((tl.sum(first * first, 0) + tl.sum(second * second, 0)) / (2 * HALF) + eps)
            first *= factor * tl.load(weight, mask=inside, other=0.0)
            second *= factor * tl.load(weight + HALF, mask=inside, other=0.0)
        turn_cosine = tl.load(cosine + row * HALF + plane, mask=inside, other=0.0)
        turn_sine = tl.load(sine + row * HALF + plane, mask=inside, other=0.0)
        left = first * turn_cosine - second * turn_sine
        right = second * turn_cosine + first * turn_sine
        if head < HEADS:
            place = query + (row * HEADS + head) * 2 * HALF + plane
            tl.store(place, left, mask=inside)
            tl.store(place + HALF, right, mask=inside)
        elif slot >= 0:
            place = keys + (slot * KV_HEADS + head - HEADS) * 2 * HALF + plane
            tl.store(place, left, mask=inside)
            tl.store(place + HALF, right, mask=inside)
