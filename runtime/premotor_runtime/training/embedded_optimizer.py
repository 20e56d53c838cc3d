"""Muon (Jordan 2024) for the matrices of the layers, AdamW (Loshchilov and Hutter 2019) for embedding and norms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import torch

_QUINTIC = (3.4445, -4.7750, 2.0315)


class Muon:
    """Steps along orthogonalised momentum; matrices of one shape are treated together."""

    def __init__(self, matrices: Mapping[str, torch.Tensor], rate: float, rounds: int = 4) -> None:
        self.rate, self.rounds = rate, rounds
        by_shape: dict[tuple[int, int], list[torch.Tensor]] = defaultdict(list)
        for matrix in matrices.values():
            by_shape[(matrix.shape[0], matrix.shape[1])].append(matrix)
        self._groups = [(group, torch.zeros(len(group), *shape)) for shape, group in by_shape.items()]

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, share: float, momentum: float) -> None:
        """Change the matrices in place with `share` of the learning rate."""
        for group, memory in self._groups:
            gradient = torch.stack([matrix.grad for matrix in group])
            memory.lerp_(gradient, 1 - momentum)
            update = orthogonalised(gradient.lerp(memory, momentum), self.rounds)
            rows, columns = group[0].shape
            size = self.rate * share * max(1.0, rows / columns) ** 0.5
            for matrix, change in zip(group, update, strict=True):
                matrix.sub_(change, alpha=size)


def orthogonalised(batch: torch.Tensor, rounds: int) -> torch.Tensor:
    """Singular values of each matrix (n, rows, columns) moved towards 1 by Newton-Schulz rounds."""
    a, b, c = _QUINTIC
    tall = batch.shape[1] > batch.shape[2]
    x = batch.transpose(1, 2) if tall else batch
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-12)
    for _ in range(rounds):
        gram = x @ x.transpose(1, 2)
        x = a * x + torch.baddbmm(gram, gram, gram, beta=b, alpha=c) @ x
    return x.transpose(1, 2) if tall else x


def optimizers(
    parameters: Mapping[str, torch.Tensor], muon_rate: float, adam_rate: float
) -> tuple[Muon, torch.optim.Optimizer]:
    """Muon for every matrix of a layer, AdamW for the rest."""
    matrices = {name: p for name, p in parameters.items() if name.startswith("layers.") and p.dim() == 2}
    rest = [p for name, p in parameters.items() if name not in matrices]
    return Muon(matrices, muon_rate), torch.optim.AdamW(rest, adam_rate, betas=(0.9, 0.98), weight_decay=0.0)
