"""Writing an ONNX graph line by line: opset 17, float32, static shapes, names one can read in a viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike
from onnx import TensorProto, helper, numpy_helper

from premotor_planners.kernels.tensor import Tensor

OPSET = 17
IR_VERSION = 8
"""The IR version that came with opset 17; older runtimes refuse newer ones."""


class GraphWriter:
    """Collects nodes; every method returns the name of the value it made."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, value: ArrayLike, dtype: type[np.generic] = np.float32) -> str:
        """A constant tensor, stored once under its name."""
        self._constants.setdefault(name, numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def op(self, kind: str, inputs: Sequence[str], name: str, *, output: str = "", **attributes: Any) -> str:
        """One node called `name` with one output, called `output` or the same; returns the output's name."""
        self._nodes.append(helper.make_node(kind, list(inputs), [output or name], name=name, **attributes))
        return output or name

    def split(self, value: str, names: Sequence[str], axis: int, name: str = "") -> tuple[str, ...]:
        """Equal parts of `value` along `axis`, one for each name, by a node called `name` or after `value`."""
        self._nodes.append(helper.make_node("Split", [value], list(names), name=name or f"split_{value}", axis=axis))
        return tuple(names)

    def finish(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> bytes:
        """The checked, serialized model. Raises onnx.checker.ValidationError for an ill-formed graph."""
        graph = helper.make_graph(
            self._nodes,
            self._name,
            [_info(tensor) for tensor in inputs],
            [_info(tensor) for tensor in outputs],
            list(self._constants.values()),
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="premotor")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())


def _info(tensor: Tensor) -> Any:
    return helper.make_tensor_value_info(tensor.name, TensorProto.FLOAT, list(tensor.shape))
