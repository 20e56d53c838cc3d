"""How far a graph in another precision is from the kernel's reference, computed on the CPU before anything is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.protocol import Arrays, Kernel, Precision


def largest_error(kernel: Kernel, model: Any, samples: Sequence[Arrays]) -> float:
    """The largest absolute difference of any output over the samples; infinite when an output is not finite."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # none may drop a rounding
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    worst = 0.0
    for sample in samples:
        wanted = kernel.reference(sample)
        for name, found in zip(wanted, session.run(list(wanted), dict(sample)), strict=True):
            apart = float(np.abs(found.astype(np.float64) - wanted[name]).max(initial=0.0))
            worst = max(worst, apart if np.isfinite(apart) else np.inf)
    return worst


def check_accuracy(kernel: Kernel, model: Any, precision: Precision, samples: Sequence[Arrays]) -> float:
    """The error as `largest_error` gives it. Raises CompileRefused when it is above the kernel's tolerance."""
    error = largest_error(kernel, model, samples)
    if not error <= kernel.tolerance:
        better = "fp32" if precision == "fp16" else "fp16"
        raise CompileRefused(
            f"{kernel.name}: at {precision} its outputs are off by {error:.3g} on the recorded inputs; "
            f"its tolerance is {kernel.tolerance:g}; compile with {better}"
        )
    return error
