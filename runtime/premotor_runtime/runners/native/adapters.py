"""LoRA adapters kept apart, as the library takes them (see `source/adapters.h`)."""

from __future__ import annotations

import ctypes
from ctypes import Structure, c_int64, c_void_p

import numpy as np

from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.packed import Floats

TARGETS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
"""The matrices of a layer that an adapter may change, as the library numbers them."""


class FactorPlaces(Structure):
    """Where one target's factors lie; a rank of 0 where the adapter has none."""

    _fields_ = [("rank", c_int64), ("a", c_void_p), ("b", c_void_p)]


class ApartAdapter:
    """The factors of an adapter in the library's order; they lie still as long as this lives."""

    def __init__(self, adapter: LoraAdapter, layers: int) -> None:
        self._kept: list[Floats] = []
        self.places = (FactorPlaces * (layers * len(TARGETS)))()
        for layer in range(layers):
            for number, target in enumerate(TARGETS):
                factors = adapter.factors.get(f"layers.{layer}.{target}")
                if factors is not None:
                    place = self.places[layer * len(TARGETS) + number]
                    place.rank = len(factors.a)
                    place.a = self._place(factors.a)
                    place.b = self._place(factors.b.T * np.float32(factors.scale))

    @property
    def address(self) -> int:
        """Of the array of places."""
        return ctypes.addressof(self.places)

    def _place(self, values: Floats) -> int:
        kept: Floats = np.ascontiguousarray(values, np.float32)
        self._kept.append(kept)
        return kept.ctypes.data
