"""Whether this TensorRT really builds for a DLA core: what a version promises is not proof."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from premotor_accelerators.errors import CompileRefused, DeviceUnavailable
from premotor_accelerators.tensorrt.builder import build_engine
from premotor_accelerators.tensorrt.log import Said, listening
from premotor_accelerators.tensorrt.options import BuildOptions
from premotor_accelerators.tensorrt.vendor import Vendor


def probe(vendor: Vendor, core: int) -> int:
    """How many DLA cores there are; raises DeviceUnavailable unless `core` is one and a tiny network builds for it."""
    cores = count_cores(vendor)
    if not 0 <= core < cores:
        has = f"cores 0 to {cores - 1}" if cores else "no DLA core"
        raise DeviceUnavailable(
            f"DLA core {core}: {vendor.builder} sees {has} here; Jetson AGX Orin and Orin NX have them, Orin Nano and "
            "Thor do not; use the device tensorrt"
        )
    try:
        build_engine(vendor, "dla probe", tiny_model(vendor), BuildOptions("fp16", "dla", core))
    except CompileRefused as refused:
        raise DeviceUnavailable(
            f"{vendor.builder} sees DLA core {core} but does not build for it ({refused}); JetPack 6.1 or 6.2 "
            "(TensorRT 10.3) does, or install the DLA compiler: `sudo apt-get install nvidia-l4t-dla-compiler`"
        ) from refused
    return cores


def count_cores(vendor: Vendor) -> int:
    """The DLA cores that TensorRT sees."""
    logger = listening(vendor.module, Said())
    return int(vendor.module.Builder(logger).num_DLA_cores)


def tiny_model(vendor: Vendor) -> bytes:
    """A 3x3 convolution and a ReLU on 1 x 16 x 8 x 32, float16 where the network is strongly typed."""
    kind, dtype = (TensorProto.FLOAT16, np.float16) if vendor.strongly_typed_only else (TensorProto.FLOAT, np.float32)
    weights = np.full((16, 16, 3, 3), 0.01, dtype)
    nodes: list[Any] = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"], name="relu"),
    ]
    edges = [helper.make_tensor_value_info(name, kind, (1, 16, 8, 32)) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "probe", edges[:1], edges[1:], [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return bytes(model.SerializeToString())
