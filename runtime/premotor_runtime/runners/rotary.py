"""Rotary position embedding (Su et al. 2021), half-split form as in Llama and Gemma."""

from __future__ import annotations

import math

import numpy as np

from premotor_runtime.models.config import RopeScaling
from premotor_runtime.models.packed import Floats


def inverse_frequencies(theta: float, head_dim: int, scaling: RopeScaling | None) -> Floats:
    """Radians a position for each of the head_dim / 2 planes: theta ** (-2 i / head_dim), scaled as Llama 3.1 does.

    Llama 3.1 leaves short wavelengths alone, stretches long ones by `factor`, and blends in between.
    """
    planes = np.arange(0, head_dim, 2, dtype=np.float32)
    frequencies: Floats = np.float32(1.0) / np.power(np.float32(theta), planes / np.float32(head_dim))
    if scaling is None:
        return frequencies
    turns = scaling.original_max_position_embeddings * frequencies / (2 * math.pi)
    blend = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
    blend = np.clip(blend, 0.0, 1.0)
    scaled: Floats = (1 - blend) * frequencies / np.float32(scaling.factor) + blend * frequencies
    return scaled


def rotation(positions: Floats, frequencies: Floats) -> tuple[Floats, Floats]:
    """Cosine and sine, float32 (n, 1, head_dim / 2), for positions (n,)."""
    angles = positions[:, None, None] * frequencies
    return np.cos(angles), np.sin(angles)


def rotate(x: Floats, turn: tuple[Floats, Floats]) -> Floats:
    """Turn x (n, heads, head_dim): plane i pairs coordinate i with coordinate i + head_dim / 2."""
    cosine, sine = turn
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)
