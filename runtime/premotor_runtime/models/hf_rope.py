"""Rotary embedding as `config.json` describes it, in the newer spelling (`rope_parameters`) or the older ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from premotor_runtime.models.config import RopeScaling

_DEFAULT_THETA = 1e4


@dataclass(frozen=True)
class Rope:
    """`theta` and `scaling` of all layers, `local_theta` of sliding ones where they differ (Gemma 3)."""

    theta: float
    scaling: RopeScaling | None
    local_theta: float | None


def read_rope(given: dict[str, Any], *, by_layer_kind: bool) -> Rope:
    """The rope in `given`; `by_layer_kind`: sliding layers have their own. Raises KeyError, TypeError or ValueError."""
    newer = given.get("rope_parameters")
    if not newer:
        older = given.get("rope_scaling") or {}
        theta = _positive(given.get("rope_theta", 1e6 if by_layer_kind else _DEFAULT_THETA), "rope_theta")
        local = _positive(given.get("rope_local_base_freq", _DEFAULT_THETA), "rope_local_base_freq")
        return Rope(theta, _scaling(older), local if by_layer_kind else None)
    if not by_layer_kind:
        return Rope(_positive(newer["rope_theta"], "rope_theta"), _scaling(newer), None)
    everywhere, sliding = newer["full_attention"], newer["sliding_attention"]
    if _scaling(sliding) is not None:
        raise ValueError("scaled rope in sliding layers is not computed")
    theta, local = (_positive(part["rope_theta"], "rope_theta") for part in (everywhere, sliding))
    return Rope(theta, _scaling(everywhere), local)


def _scaling(rope: dict[str, Any]) -> RopeScaling | None:
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind == "default":
        return None
    if kind != "llama3":
        raise ValueError(f"rope of type `{kind}` is not computed; `default` and `llama3` are")
    low, high = (_positive(rope[key], key) for key in ("low_freq_factor", "high_freq_factor"))
    if low >= high:
        raise ValueError(f"`low_freq_factor` is {low} and `high_freq_factor` {high}; the first must be the smaller")
    original = int(_positive(rope["original_max_position_embeddings"], "original_max_position_embeddings"))
    return RopeScaling(_positive(rope["factor"], "factor"), low, high, original)


def _positive(given: Any, key: str) -> float:
    value = float(given)
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"`{key}` is {given!r}; it must be a number above 0")
    return value
