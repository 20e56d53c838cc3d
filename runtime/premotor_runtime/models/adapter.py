"""LoRA adapters (Hu et al. 2021): y = W x + scale * B A x, scale = alpha / rank; merged into W, or kept apart.

Tensors are named as PEFT does: `base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight` (rank, in) and
`...lora_B.weight` (out, rank). The metadata of this project's own files states `rank`, `alpha` and `base_sha256`, the
checkpoint file that the adapter was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.packed import Floats, named_views

PREFIX = "base_model.model.model."


@dataclass(frozen=True)
class AdapterInfo:
    """What an adapter says of itself; `base_sha256` is empty where it does not say (PEFT)."""

    rank: int
    alpha: float
    base_sha256: str


@dataclass(frozen=True)
class Factors:
    """`a` float32 (rank, in), `b` float32 (out, rank): what is added is scale * b @ a."""

    a: Floats
    b: Floats
    scale: float

    def change(self, x: Floats) -> Floats:
        """What x (n, in) adds to the layer's output: scale * (x a^T) b^T, float32 (n, out)."""
        added: Floats = (x @ self.a.T) @ self.b.T * np.float32(self.scale)
        return added


@dataclass(frozen=True)
class LoraAdapter:
    """An adapter that fits its model; `factors` by target (`layers.3.mlp.up_proj`)."""

    info: AdapterInfo
    factors: Mapping[str, Factors]


def merge(adapter: LoraAdapter, flat: Floats, config: ModelConfig) -> None:
    """Add the adapter to the layers in `flat`, in place."""
    views = named_views(flat, config)
    for target, factors in adapter.factors.items():
        views[f"{target}.weight"] += np.float32(factors.scale) * (factors.b @ factors.a)


def write_adapter(
    path: Path, factors: Mapping[str, npt.NDArray[np.float16] | Floats], info: AdapterInfo, note: Mapping[str, str]
) -> None:
    """Write an adapter whole or not at all; `factors` maps full PEFT names to arrays, `note` is added to the metadata.

    Raises OSError.
    """
    metadata = {**note, "rank": str(info.rank), "alpha": repr(info.alpha), "base_sha256": info.base_sha256}
    arrays = {name: np.ascontiguousarray(array) for name, array in factors.items()}
    write_atomically(path, save(arrays, metadata))
