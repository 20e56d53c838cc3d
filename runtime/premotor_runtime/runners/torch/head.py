"""Logits, and what is picked from them."""

from __future__ import annotations

import torch

_TILE = 4096


class Head:
    """The output matrix (vocab_size, hidden_size)."""

    def __init__(self, matrix: torch.Tensor) -> None:
        self._matrix = matrix

    @property
    def vocab_size(self) -> int:
        """How many tokens there are."""
        return int(self._matrix.shape[0])

    def logits(self, hidden: torch.Tensor, ids: torch.Tensor | slice | None = None) -> torch.Tensor:
        """Logits of tokens `ids` (default all), float32 (n, number of ids), for hidden states (n, hidden_size).

        float32 sums whatever the weights' dtype: rounded to 16 bits, neighbouring logits would often be equal.
        """
        rows = (
            self._matrix if ids is None else self._matrix[ids] if isinstance(ids, slice) else self._matrix[ids.long()]
        )
        if rows.dtype == torch.float32:
            return hidden @ rows.T
        if rows.is_cuda:
            return torch.mm(hidden.to(rows.dtype), rows.T, out_dtype=torch.float32)
        rounded = hidden.to(rows.dtype).float()
        parts = [rounded @ tile.float().T for tile in rows.split(_TILE)]
        return torch.cat(parts, dim=1) if parts else hidden.new_empty((len(hidden), 0))


def likeliest(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each row's largest logit (its index, the lowest of equals; -1 if one is not finite) and the log of its share."""
    finite = logits.isfinite().all(-1)
    shares = logits.amax(-1) - logits.logsumexp(-1)
    return torch.where(finite, logits.argmax(-1), -1), torch.where(finite, shares, torch.nan)
