"""Attention over a pack with grouped key-value heads: each question sees the prefix and itself."""

from __future__ import annotations

import torch

from premotor_runtime.training.packs import TokenPack


def pack_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pack: TokenPack) -> torch.Tensor:
    """Causal attention of one pack.

    q (T, kv_heads, group, size), already scaled; k, v (T, kv_heads, size). Returns (T, kv_heads * group * size).
    """
    start, (heads, group, size) = pack.prefix_len, q.shape[1:]
    prefix_k, prefix_v = k[:start].transpose(0, 1), v[:start].transpose(0, 1)
    scores = _by_head(q[:start]) @ prefix_k.transpose(1, 2)
    share = (scores.view(heads, group, start, start) + _causal(start)).softmax(-1)
    first = share.view(heads, group * start, start) @ prefix_v
    rest = _questions(q[start:], k[start:], v[start:], prefix_k, prefix_v, pack)
    mixed = torch.cat((first.view(heads, group, start, size), rest), 2)
    return mixed.permute(2, 0, 1, 3).reshape(-1, heads * group * size)


def _questions(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, prefix_k: torch.Tensor, prefix_v: torch.Tensor, pack: TokenPack
) -> torch.Tensor:
    """The tokens after the prefix (S of them), (kv_heads, group, S, size)."""
    (count, heads, group, size), start = q.shape, pack.prefix_len
    number, longest = pack.rows.shape
    before = (_by_head(q) @ prefix_k.transpose(1, 2)).view(heads, group, count, start)
    places = (pack.rows - start).reshape(-1)
    own_q = _padded(q, places).view(number, longest, heads, group, size).permute(0, 2, 3, 1, 4)
    own_k = _padded(k, places).view(number, longest, heads, size).transpose(1, 2)
    own_v = _padded(v, places).view(number, longest, heads, size).transpose(1, 2)
    own = own_q.reshape(number, heads, group * longest, size) @ own_k.transpose(2, 3)
    own = own.view(number, heads, group, longest, longest) + _causal(longest)
    own = own.permute(0, 3, 1, 2, 4).reshape(-1, heads, group, longest).index_select(0, pack.inverse)
    share = torch.cat((before, own.permute(1, 2, 0, 3)), -1).softmax(-1)
    mixed = (share[..., :start].reshape(heads, group * count, start) @ prefix_v).view(heads, group, count, size)
    own = _padded(share[..., start:].permute(2, 0, 1, 3).reshape(count, heads, group, longest), places)
    own = own.view(number, longest, heads, group, longest).permute(0, 2, 3, 1, 4)
    own = own.reshape(number, heads, group * longest, longest) @ own_v
    own = own.view(number, heads, group, longest, size).permute(0, 3, 1, 2, 4).reshape(-1, heads, group, size)
    return mixed + own.index_select(0, pack.inverse).permute(1, 2, 0, 3)


def _by_head(q: torch.Tensor) -> torch.Tensor:
    """(T, kv_heads, group, size) to (kv_heads, group * T, size)."""
    return q.permute(1, 2, 0, 3).reshape(q.shape[1], -1, q.shape[3])


def _padded(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Rows of x at `places`; the place after the last row is a row of zeros."""
    return torch.cat((x, x.new_zeros(1, *x.shape[1:]))).index_select(0, places)


def _causal(length: int) -> torch.Tensor:
    return torch.full((length, length), -torch.inf).triu(1)
