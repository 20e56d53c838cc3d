"""`mppi` of 1,000 rollouts and 56 steps: native beside ONNX Runtime and pytorch-mppi, one thread each, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from statistics import median
from typing import Any

from premotor_accelerators.devices.cpu import CpuDevice, Implementation
from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_ackermann import Ackermann
from premotor_planners.kernels.mppi_costs import MppiCosts
from premotor_planners.kernels.mppi_differential import Differential
from premotor_planners.kernels.mppi_motion import Motion
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional
from premotor_planners.kernels.tensor import Arrays
from premotor_runtime.app.bench_path.mppi_peer import PytorchMppi
from premotor_runtime.app.bench_path.mppi_scene import scene
from premotor_runtime.app.bench_path.section import Line, Section, at_least_times, at_most_ms
from premotor_runtime.bench.errors import WorkerFailed

MPPI_MS = 4.0
PEER_RATIO = 3.0
ROLLOUTS, STEPS = 1000, 56
_RUNS_A_ROUND = 5
_PEER = "pytorch-mppi"
_SAME_COST = 1e-3

Measure = Callable[[], float]


def mppi_section(rounds: int) -> Section:
    """Differential motion beside both; the other two motions beside ONNX Runtime."""
    figures: dict[str, Any] = {"rollouts": ROLLOUTS, "steps": STEPS}
    absent: tuple[str, ...] = ()
    lines: list[Line] = []
    for motion in (Differential(), Omnidirectional(), Ackermann()):
        found = _measured(kernel_of(motion), rounds, beside_peer=isinstance(motion, Differential))
        absent += found.pop("absent")
        figures[motion.name] = found
        lines += _lines(motion.name, found)
    return Section(figures, tuple(lines), absent)


def kernel_of(motion: Motion) -> Mppi:
    """What is measured. pytorch-mppi weighs its importance term by the temperature, so that ours does too."""
    return Mppi(ROLLOUTS, STEPS, motion=motion, costs=MppiCosts(control=0.1, temperature=0.1))


def _measured(kernel: Mppi, rounds: int, beside_peer: bool) -> dict[str, Any]:
    """Raises CompileRefused where the native version cannot be built."""
    inputs = scene(kernel)
    with ExitStack() as stack:
        measures = {name: _ours(kernel, inputs, name) for name in ("native", "onnxruntime")}
        details: dict[str, Any] = {}
        absent: tuple[str, ...] = ()
        if beside_peer:
            try:
                peer = stack.enter_context(PytorchMppi(kernel, inputs))
                details = _compared(peer.answer(), kernel.reference(inputs)) | peer.describe()
                measures[_PEER] = lambda: peer.solve_ms(_RUNS_A_ROUND)
            except WorkerFailed as error:
                absent = (f"{_PEER}: {error}",)
        times = _rounds(measures, rounds)
    medians = {name: median(each) for name, each in times.items()}
    return {"median_ms": medians, "times_ms": times, _PEER: details, "absent": absent}


def _ours(kernel: Mppi, inputs: Arrays, implementation: Implementation) -> Measure:
    run = CpuDevice(1, implementation).compile(kernel)
    outputs = {tensor.name: tensor.zeros() for tensor in kernel.outputs}

    def measure() -> float:
        times = []
        for _ in range(_RUNS_A_ROUND):
            began = time.perf_counter()
            run.run(inputs, outputs)
            times.append((time.perf_counter() - began) * 1e3)
        return median(times)

    return measure


def _rounds(measures: Mapping[str, Measure], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each, in turns, after one round that is not kept."""
    times: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(1 + rounds):
        for name, measure in measures.items():
            took = measure()
            if number:
                times[name].append(took)
    return times


def _compared(peer: Mapping[str, float], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the peer's rollouts cost what ours do: its model and costs are the same."""
    ahead = {name: abs(value - float(ours[name][0])) / (1.0 + abs(value)) for name, value in peer.items()}
    return {"relative_cost_difference": ahead, "same_result": max(ahead.values()) <= _SAME_COST}


def _lines(motion: str, found: Mapping[str, Any]) -> list[Line]:
    ms = found["median_ms"]
    lines = [at_most_ms(f"mppi {ROLLOUTS} x {STEPS}, {motion}, native", ms["native"], MPPI_MS)]
    lines.append(Line(f"mppi, {motion}, native against ONNX Runtime", f"{ms['onnxruntime'] / ms['native']:.1f}x"))
    if _PEER in ms:
        way = f"{found[_PEER]['way']}" if found[_PEER]["same_result"] else "other costs than ours: not comparable"
        lines.append(at_least_times(f"mppi, {motion}, native against {_PEER} ({way})", _ratio(found), PEER_RATIO))
    return lines


def _ratio(found: Mapping[str, Any]) -> float:
    """The median of the rounds' ratios; 0 where the peer computes something else."""
    times = found["times_ms"]
    ratio = median(peer / ours for peer, ours in zip(times[_PEER], times["native"], strict=True))
    return ratio if found[_PEER]["same_result"] else 0.0
