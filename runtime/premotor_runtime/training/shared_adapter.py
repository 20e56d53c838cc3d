"""The adapter being trained, in memory shared by the workers: one flat vector of factors and its Adam state."""

from __future__ import annotations

import math
import multiprocessing
from multiprocessing.sharedctypes import Synchronized
from typing import Any

import torch

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.training.gemma import factor_shapes

BETAS = (0.9, 0.98)
EPS = 1e-8


class SharedAdapter:
    """Factors, moments and counters. Workers read the factors without a lock and step under it (Hogwild-like)."""

    def __init__(self, config: ModelConfig, rank: int, seed: int) -> None:
        self.shapes = factor_shapes(config, rank)
        size = sum(math.prod(shape) for shape in self.shapes.values())
        self.values = torch.zeros(size).share_memory_()
        self.first = torch.zeros(size).share_memory_()
        self.second = torch.zeros(size).share_memory_()
        self.lock = multiprocessing.get_context("fork").Lock()
        context = multiprocessing.get_context("fork")
        self.steps: Synchronized[int] = context.Value("q", 0)
        self.tokens: Synchronized[int] = context.Value("q", 0)
        self.questions: Synchronized[int] = context.Value("q", 0)
        self.elapsed: Synchronized[float] = context.Value("d", 0.0)
        generator = torch.Generator().manual_seed(seed)
        for name, view in self.views(self.values).items():
            if name.endswith("lora_A"):  # B starts at zero, so that the adapter starts as no change
                bound = 1 / math.sqrt(view.shape[1])
                view.uniform_(-bound, bound, generator=generator)

    def views(self, flat: torch.Tensor) -> dict[str, torch.Tensor]:
        """Factor name to a view into `flat`."""
        found, at = {}, 0
        for name, shape in self.shapes.items():
            found[name] = flat[at : at + math.prod(shape)].view(shape)
            at += math.prod(shape)
        return found

    def step(self, gradient: torch.Tensor, rate: float, clip: float) -> float:
        """One Adam step (Kingma and Ba 2015) in place; returns the gradient's norm before clipping."""
        norm = float(gradient.norm())
        if not math.isfinite(norm):
            return norm
        gradient = gradient * min(1.0, clip / (norm + 1e-12))
        with self.lock:
            self.steps.value += 1
            count = self.steps.value
            self.first.lerp_(gradient, 1 - BETAS[0])
            self.second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
            scale = self.second.div(1 - BETAS[1] ** count).sqrt_().add_(EPS)
            self.values.addcdiv_(self.first, scale, value=-rate / (1 - BETAS[0] ** count))
        return norm

    def state(self) -> dict[str, Any]:
        """A copy of everything needed to go on."""
        with self.lock:
            tensors = {"values": self.values.clone(), "first": self.first.clone(), "second": self.second.clone()}
        counters = {"steps": self.steps.value, "tokens": self.tokens.value, "questions": self.questions.value}
        return {**tensors, **counters, "elapsed": self.elapsed.value}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        for name in ("values", "first", "second"):
            getattr(self, name).copy_(state[name])
        for name in ("steps", "tokens", "questions", "elapsed"):
            getattr(self, name).value = state[name]
