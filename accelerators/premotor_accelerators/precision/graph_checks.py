"""What every device but the CPU asks of a graph before its vendor's library sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.protocol import Kernel, TensorSpec

HALF_MAX = float(np.finfo(np.float16).max)
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)


def parse_model(name: str, model: bytes) -> Any:
    """The ONNX model. Raises CompileRefused for bytes that are none."""
    try:
        parsed = onnx.load_model_from_string(model)
        onnx.checker.check_model(parsed)
    except Exception as error:  # protobuf's and the checker's errors share no narrower base
        first = str(error).strip().splitlines()[:1] or ["unreadable"]
        raise CompileRefused(f"{name}: not a valid ONNX model: {first[0]}; export it again") from error
    return parsed


def check_graph(kernel: Kernel, model: Any) -> None:
    """Static shapes, finite constants, and the inputs and outputs that the kernel declares, or CompileRefused."""
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    for role, found, wanted in (("input", inputs, kernel.inputs), ("output", model.graph.output, kernel.outputs)):
        _check_face(kernel.name, role, found, wanted)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type in _FLOATS and not np.isfinite(values.astype(np.float64)).all():
            raise CompileRefused(
                f"{kernel.name}: the constant `{tensor.name}` holds NaN or infinity; export finite numbers"
            )


def check_half_range(kernel: str, model: Any) -> None:
    """Raise CompileRefused for a constant beyond half precision's range: such a graph runs in fp32 only."""
    for tensor in model.graph.initializer:
        if tensor.data_type not in (TensorProto.FLOAT, TensorProto.DOUBLE):
            continue
        largest = float(np.abs(numpy_helper.to_array(tensor)).max(initial=0.0))
        if largest > HALF_MAX:
            raise CompileRefused(
                f"{kernel}: the constant `{tensor.name}` reaches {largest:g}; half precision ends at {HALF_MAX:g}; "
                "scale the graph's values down, or compile with fp32 on a GPU or the CPU"
            )


def _check_face(kernel: str, role: str, found: Any, wanted: tuple[TensorSpec, ...]) -> None:
    graph = {value.name: value for value in found}
    names = [spec.name for spec in wanted]
    if set(graph) != set(names):
        raise CompileRefused(f"{kernel}: the graph's {role}s are {sorted(graph)}, the kernel declares {names}")
    for spec in wanted:
        shape = _shape(graph[spec.name])
        if not all(isinstance(size, int) and size > 0 for size in shape):
            raise CompileRefused(
                f"{kernel}: {role} `{spec.name}` has the dynamic shape {shape}; export it with fixed sizes"
            )
        dtype = onnx.helper.tensor_dtype_to_np_dtype(graph[spec.name].type.tensor_type.elem_type)
        if shape != tuple(spec.shape) or dtype != spec.dtype:
            raise CompileRefused(
                f"{kernel}: {role} `{spec.name}` is {dtype} {shape} in the graph, {spec.dtype} {tuple(spec.shape)} in "
                "the declaration; make them equal"
            )


def _shape(value: Any) -> tuple[Any, ...]:
    sizes = value.type.tensor_type.shape.dim
    return tuple(size.dim_value if size.HasField("dim_value") else size.dim_param or "?" for size in sizes)
