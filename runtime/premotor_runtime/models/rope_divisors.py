"""Llama 3's frequency scaling as GGUF stores it: a divisor for every frequency."""

from __future__ import annotations

import dataclasses

import numpy as np

from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.rotary import inverse_frequencies

_PUBLISHED = RopeScaling(8.0, 1.0, 4.0, 8192)  # of Llama 3.1 and 3.3; 3.2 differs in the factor


def rope_divisors(config: ModelConfig) -> Floats:
    """What each of the head_dim / 2 frequencies is divided by, float32."""
    plain = inverse_frequencies(config.rope_theta, config.head_dim, None)
    divisors: Floats = plain / inverse_frequencies(config.rope_theta, config.head_dim, config.rope_scaling)
    return divisors


def recognised_scaling(divisors: Floats, theta: float, head_dim: int) -> RopeScaling:
    """The published scaling that gives `divisors`. Raises ValueError where there is none."""
    scaling = dataclasses.replace(_PUBLISHED, factor=float(divisors.max()))
    plain, scaled = (inverse_frequencies(theta, head_dim, each) for each in (None, scaling))
    if not np.allclose(divisors, plain / scaled, rtol=1e-3):
        raise ValueError("its rope frequencies are not those of Llama 3.1, 3.2 or 3.3")
    return scaling
