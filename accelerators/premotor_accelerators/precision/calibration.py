"""The range of every tensor of a graph, over recorded inputs: what int8 needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, shape_inference

from premotor_accelerators.errors import CompileRefused
from premotor_accelerators.onnx_runtime import onnxruntime
from premotor_accelerators.protocol import Arrays


def ranges_of(name: str, model: Any, samples: Sequence[Arrays]) -> dict[str, float]:
    """The largest magnitude that each float tensor of `model` takes over `samples`, constants included.

    The maximum, not a percentile: a costmap's rare values (obstacles) are the ones that matter. Raises CompileRefused
    for no samples and for ones that are not finite.
    """
    if not samples:
        raise CompileRefused(f"{name}: int8 needs recorded costmaps to calibrate with; give some, or compile with fp16")
    open_model = _with_all_outputs(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # a fused tensor has no range
    session = onnxruntime.InferenceSession(open_model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    constants = model.graph.initializer
    ranges = {
        tensor.name: _largest(numpy_helper.to_array(tensor)) or 1.0 for tensor in constants
    }  # zero fits any range
    for i, sample in enumerate(samples):
        seen = dict(zip(names, session.run(names, dict(sample)), strict=True))
        for tensor, values in {**sample, **seen}.items():
            if not np.isfinite(values).all():
                raise CompileRefused(f"{name}: recording {i} makes `{tensor}` NaN or infinite; leave it out")
            ranges[tensor] = max(ranges.get(tensor, 0.0), _largest(values))
    return ranges


def _largest(values: NDArray[Any]) -> float:
    return float(np.abs(values.astype(np.float64)).max(initial=0.0))


def _with_all_outputs(model: Any) -> Any:
    inferred = shape_inference.infer_shapes(model)
    types = {value.name: value.type.tensor_type.elem_type for value in inferred.graph.value_info}
    opened = type(model)()
    opened.CopyFrom(model)
    there = {value.name for value in opened.graph.output}
    for node in opened.graph.node:
        for name in node.output:
            if name and name not in there and types.get(name) == TensorProto.FLOAT:
                opened.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return opened
