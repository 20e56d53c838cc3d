"""What the forward pass is made of beside matrix products: one protocol, a plain torch and a Triton implementation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from premotor_runtime.runners.torch.plan import StepTensors

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class HeadShape:
    """The sizes that attention depends on; `eps` is that of the norms over heads."""

    heads: int
    kv_heads: int
    head_dim: int
    eps: float

    @property
    def group(self) -> int:
        """How many query heads share a key-value head."""
        return self.heads // self.kv_heads


class Operations(Protocol):
    """Shapes: `rows` tokens; `cache` is one layer's keys and values, (2, blocks, block_size, kv_heads, head_dim)."""

    def tile_tokens(self, shape: HeadShape) -> int:
        """How many rows a prefill tile may have."""
        ...

    def add_norm(
        self,
        residual: torch.Tensor,
        change: torch.Tensor | None,
        change_weight: torch.Tensor | None,
        weight: torch.Tensor,
        eps: float,
        dtype: torch.dtype,
    ) -> torch.Tensor:
        """RMSNorm of what `residual` is after `change` is added; float32 (rows, hidden) in, `dtype` out.

        `residual` is changed in place; `change` goes through an RMSNorm of its own where `change_weight` is given.
        """
        ...

    def rotate_and_store(
        self,
        projected: torch.Tensor,
        shape: HeadShape,
        norms: torch.Tensor | None,
        turn: tuple[torch.Tensor, torch.Tensor],
        cache: torch.Tensor,
        slots: torch.Tensor,
    ) -> torch.Tensor:
        """Queries, normed and rotated, (rows, heads, head_dim); keys (likewise) and values go into their slots.

        `projected` (rows, (heads + 2 kv_heads) * head_dim) holds query, key and value side by side; `norms` the RMSNorm
        factors of query and key, float32 (2, head_dim); `turn` cosine and sine, float32 (rows, head_dim / 2).
        """
        ...

    def attend(
        self, query: torch.Tensor, shape: HeadShape, cache: torch.Tensor, step: StepTensors, window: int, scale: float
    ) -> torch.Tensor:
        """Causal softmax attention of every row over its sequence, (rows, heads * head_dim) in the query's dtype.

        A row sees the last `window` positions, itself included; 0 for all. Rows with nothing to attend to give zeros.
        """
        ...

    def gate(self, gate_up: torch.Tensor, gelu: bool) -> torch.Tensor:
        """act(gate) * up for gate and up side by side (rows, 2 inner); act is tanh-approximated GELU, or SiLU."""
        ...
