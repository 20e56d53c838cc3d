"""Whether two models compute the same, tried on random inputs with ONNX Runtime."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.dla.errors import RewriteRefused
from premotor_accelerators.onnx_runtime import onnxruntime

DRAWS = 3
_MOST_ELEMENTS = 2**27
TOLERANCE = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-6, np.dtype(np.float16): 2e-2}
"""Largest difference allowed, relative to the largest magnitude of the output: sums in another order round so."""


@dataclass(frozen=True)
class Difference:
    """The worst difference over outputs and draws, relative to the output's magnitude, and what is allowed there."""

    largest: float
    allowed: float

    @property
    def is_equal(self) -> bool:
        """Whether it is allowed."""
        return self.largest <= self.allowed

    @property
    def excess(self) -> float:
        """How far beyond what is allowed."""
        return self.largest - self.allowed


class Proof:
    """What a model computes on random inputs, for others to be held to."""

    def __init__(self, model: Any, seed: int) -> None:
        """Run the model. Raises RewriteRefused where ONNX Runtime cannot."""
        session = _session(model)
        rng = np.random.default_rng(seed)
        self._draws = [{value.name: _draw(rng, value) for value in session.get_inputs()} for _ in range(DRAWS)]
        self._expected = [_run(session, inputs) for inputs in self._draws]

    def compare(self, other: Any) -> Difference:
        """How far the other model's outputs are; infinitely where it does not run."""
        try:
            session = _session(other)
            found = [_run(session, inputs) for inputs in self._draws]
        except RewriteRefused:
            return Difference(inf, 0.0)
        pairs = zip(chain(*self._expected), chain(*found), strict=True)
        differences = [_difference(np.asarray(one), np.asarray(two)) for one, two in pairs]
        return max(differences, key=lambda difference: (difference.excess, difference.largest))


def _difference(one: NDArray[Any], other: NDArray[Any]) -> Difference:
    return Difference(_distance(one, other), TOLERANCE.get(one.dtype, 0.0))


def _session(model: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors share no narrower base
        raise RewriteRefused(f"ONNX Runtime cannot run the model, so equality cannot be shown: {error}") from error


def _run(session: Any, inputs: dict[str, NDArray[Any]]) -> list[Any]:
    try:
        return list(session.run(None, inputs))
    except Exception as error:  # as above
        raise RewriteRefused(f"ONNX Runtime cannot run the model, so equality cannot be shown: {error}") from error


def _draw(rng: np.random.Generator, value: Any) -> NDArray[Any]:
    if prod(value.shape) > _MOST_ELEMENTS:
        raise RewriteRefused(f"the input `{value.name}` is {value.shape}, too large to try; export smaller sizes")
    kind = value.type.removeprefix("tensor(").removesuffix(")")
    if kind in ("float", "float16", "double"):
        dtype = {"float": np.float32, "float16": np.float16, "double": np.float64}[kind]
        return np.asarray(rng.standard_normal(value.shape), dtype)
    if kind == "bool":
        return np.asarray(rng.random(value.shape) < 0.5)
    try:
        return np.asarray(rng.integers(0, 2, value.shape), kind)
    except TypeError as error:
        raise RewriteRefused(
            f"the input `{value.name}` is {value.type}; equality can be shown for numbers only"
        ) from error


def _distance(one: NDArray[Any], other: NDArray[Any]) -> float:
    if one.shape != other.shape or one.dtype != other.dtype:
        return inf
    if one.size == 0:
        return 0.0
    a, b = one.astype(np.float64), other.astype(np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return inf
    finite = np.isfinite(a)
    scale = max(1.0, float(np.abs(a[finite]).max(initial=0.0)))
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0)) / scale
