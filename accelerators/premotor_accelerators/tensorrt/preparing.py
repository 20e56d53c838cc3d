"""From a kernel to the graph that the builder gets: checked, and in the precision that was asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.precision.accuracy import check_accuracy
from premotor_accelerators.precision.calibration import ranges_of
from premotor_accelerators.precision.graph_checks import check_graph, check_half_range, parse_model
from premotor_accelerators.precision.half import rounded_to_half, to_half
from premotor_accelerators.precision.quantized import with_qdq
from premotor_accelerators.protocol import Arrays, Kernel
from premotor_accelerators.tensorrt.options import BuildOptions


@dataclass(frozen=True)
class Prepared:
    """`ranges` only for a weakly typed int8 network; `error` is the measured one, None without samples."""

    model: bytes
    ranges: dict[str, float] | None
    error: float | None


def prepare(
    kernel: Kernel, exported: bytes, options: BuildOptions, strongly_typed: bool, samples: Sequence[Arrays]
) -> Prepared:
    """Check `exported`, the kernel's graph, and rewrite it. Raises CompileRefused with the rule and the remedy."""
    model = parse_model(kernel.name, exported)
    check_graph(kernel, model)
    _check_precision(kernel, options, strongly_typed)
    if options.precision == "fp32":
        return Prepared(exported, None, None)
    check_half_range(kernel.name, model)
    ranges = ranges_of(kernel.name, model, samples) if options.precision == "int8" else None
    typed = _typed(kernel.name, model, options, ranges, not strongly_typed)
    rounding = typed if ranges is not None else rounded_to_half(model)
    error = check_accuracy(kernel, rounding, options.precision, samples) if samples else None
    if strongly_typed:
        return Prepared(bytes(typed.SerializeToString()), None, error)
    return Prepared(exported, ranges, error)


def samples_digest(samples: Sequence[Arrays]) -> str:
    """The SHA-256 of the recordings' content; empty for none."""
    digest = hashlib.sha256()
    for sample in samples:
        for name in sorted(sample):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(sample[name]).tobytes())
    return digest.hexdigest() if samples else ""


def _typed(name: str, model: Any, options: BuildOptions, ranges: dict[str, float] | None, everywhere: bool) -> Any:
    if ranges is not None:
        return with_qdq(name, model, ranges, everywhere)
    return to_half(model, "half" if options.unit == "dla" else "float")


def _check_precision(kernel: Kernel, options: BuildOptions, strongly_typed: bool) -> None:
    if options.unit != "dla":
        return
    if options.precision == "fp32":
        raise CompileRefused(
            f"{kernel.name}: a DLA core computes in fp16 and int8 only (rule: data types), fp32 was asked for; "
            "compile with fp16"
        )
    if options.precision == "int8" and strongly_typed:
        raise CompileRefused(
            f"{kernel.name}: int8 on DLA with a strongly typed TensorRT needs a graph typed by NVIDIA ModelOpt's "
            "autocast for DLA, which is not part of this project; compile with fp16, or build with TensorRT 10.3 "
            "(JetPack 6.1 and 6.2)"
        )
