"""Small kernels for the tests of devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

FLOAT = np.dtype(np.float32)


@dataclass(frozen=True)
class Spec:
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] = FLOAT


@dataclass(frozen=True)
class ConvToy:
    """y = relu(3x3 convolution of x with a cross) - half, on one channel; `scale` multiplies the weights."""

    name: str = "conv_toy"
    tolerance: float = 0.05
    scale: float = 0.25
    shape: tuple[int, ...] = (1, 1, 8, 12)
    inputs: tuple[Spec, ...] = field(init=False)
    outputs: tuple[Spec, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", (Spec("x", self.shape),))
        object.__setattr__(self, "outputs", (Spec("y", self.shape),))

    def example(self, seed: int) -> dict[str, NDArray[Any]]:
        return {"x": np.random.default_rng(seed).random(self.shape, np.float32)}

    def reference(self, inputs: Any) -> dict[str, NDArray[Any]]:
        padded = np.pad(inputs["x"], ((0, 0), (0, 0), (1, 1), (1, 1)))
        middle = padded[..., 1:-1, 1:-1]
        around = padded[..., :-2, 1:-1] + padded[..., 2:, 1:-1] + padded[..., 1:-1, :-2] + padded[..., 1:-1, 2:]
        return {"y": np.maximum((middle + around) * np.float32(self.scale), 0) - np.float32(0.5)}

    def onnx(self) -> bytes:
        cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.float32)[None, None] * np.float32(self.scale)
        constants = [
            numpy_helper.from_array(cross, "cross"),
            numpy_helper.from_array(np.array(0.5, np.float32), "half"),
        ]
        nodes = [
            helper.make_node("Conv", ["x", "cross"], ["c"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["r"], name="relu"),
            helper.make_node("Sub", ["r", "half"], ["y"], name="minus_half"),
        ]
        info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shape) for name in ("x", "y")]
        graph = helper.make_graph(nodes, self.name, info[:1], info[1:], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        return bytes(model.SerializeToString())


@pytest.fixture
def conv_toy() -> type[ConvToy]:
    return ConvToy
