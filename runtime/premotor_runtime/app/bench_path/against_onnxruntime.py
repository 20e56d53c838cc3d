"""A kernel's native version in turns with ONNX Runtime on the kernel's own graph, one thread each, equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_accelerators.protocol import Arrays, Kernel
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.cspace import CSpace
from premotor_runtime.app.bench_path.section import Line, Section, at_least_times, at_most_ms
from premotor_runtime.app.bench_path.turns import in_turns, median_ms

COST_TO_GO_MS = 1.5
COST_TO_GO_RATIO = 6.0
CSPACE_MS = 2.0
_NATIVE, _ORT = "native", "onnxruntime"
_SHARE = 0.3
_SEED = 1


def cost_to_go_section(rounds: int) -> Section:
    """128 x 128, the whole budget in one run."""
    kernel = CostToGo()
    figures = _compared(kernel, _inputs(kernel, kernel.limit), rounds) | {"sweeps": kernel.sweeps_a_run}
    lines = (
        at_most_ms(f"cost_to_go 128x128, {kernel.sweeps_a_run} sweeps, native", figures["native_ms"], COST_TO_GO_MS),
        at_least_times("cost_to_go, native against ONNX Runtime", figures["ratio"], COST_TO_GO_RATIO),
    )
    return Section(figures, lines)


def cspace_section(rounds: int) -> Section:
    """128 x 128, 16 headings of a rectangle of 0.6 x 0.4 m, inflation 11 cells."""
    kernel = CSpace()
    figures = _compared(kernel, _inputs(kernel, None), rounds) | {"headings": kernel.headings}
    lines = (
        at_most_ms(f"cspace 128x128, {kernel.headings} headings, native", figures["native_ms"], CSPACE_MS),
        Line("cspace, native against ONNX Runtime", f"{figures['ratio']:.1f}x"),
    )
    return Section(figures, lines)


def _compared(kernel: Kernel, inputs: Arrays, rounds: int) -> dict[str, Any]:
    """Raises CompileRefused where the native version cannot be built."""
    native, ort = CpuDevice(1, "native").compile(kernel), CpuDevice(1, "onnxruntime").compile(kernel)
    outputs = [{spec.name: np.zeros(spec.shape, np.float32) for spec in kernel.outputs} for _ in range(2)]
    runs: dict[str, Callable[[], object]] = {
        _NATIVE: lambda: native.run(inputs, outputs[0]),
        _ORT: lambda: ort.run(inputs, outputs[1]),
    }
    times = in_turns(runs, rounds)
    medians = median_ms(times)
    return {
        "implementation": native.implementation,
        "native_ms": medians[_NATIVE],
        "onnxruntime_ms": medians[_ORT],
        "ratio": medians[_ORT] / medians[_NATIVE],
        "times_ms": times,
        "same_result": all(np.array_equal(outputs[0][name], outputs[1][name]) for name in outputs[0]),
    }


def _inputs(kernel: CostToGo | CSpace, goal: int | None) -> dict[str, NDArray[Any]]:
    free = np.random.default_rng(_SEED).random((1, 1, kernel.rows, kernel.cols)) >= _SHARE
    inputs: dict[str, NDArray[Any]] = {"free": free.astype(np.float32)}
    if goal is not None:
        row, col = kernel.rows // 2, kernel.cols // 2
        inputs["free"][0, 0, row, col] = 1.0
        inputs["reach"] = np.zeros_like(inputs["free"])
        inputs["reach"][0, 0, row, col] = goal
    return inputs
