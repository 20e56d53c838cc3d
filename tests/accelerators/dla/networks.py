"""Well-known networks as ONNX graphs, written node by node as exporters write them, with seeded random weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike
from onnx import helper, numpy_helper


class Net:
    """A graph that grows; `op` gives the name of the value made."""

    def __init__(self, opset: int = 17, dtype: Any = np.float32, seed: int = 0) -> None:
        self.opset, self.dtype = opset, np.dtype(dtype)
        self._pool = np.random.default_rng(seed).standard_normal(4099)
        self._nodes: list[Any] = []
        self._weights: dict[str, Any] = {}
        self._count = 0

    def constant(self, value: ArrayLike, dtype: Any = None) -> str:
        name = f"c{len(self._weights)}"
        self._weights[name] = numpy_helper.from_array(np.asarray(value, dtype or self.dtype), name)
        return name

    def weight(self, *shape: int) -> str:
        """Normal values of a scale that keeps what passes through about as large as it was."""
        fan = max(1, prod(shape[1:]))
        return self.constant(np.resize(self._pool, shape) * (1.4 / np.sqrt(fan)))

    def op(self, kind: str, *inputs: str, outs: int = 1, **attributes: Any) -> Any:
        self._count += 1
        name = f"{kind}_{self._count}"
        names = [name if i == 0 else f"{name}_{i}" for i in range(outs)]
        domain = attributes.pop("domain", "")
        self._nodes.append(helper.make_node(kind, list(inputs), names, name=name, domain=domain, **attributes))
        return name if outs == 1 else names

    def conv(
        self, x: str, cin: int, cout: int, kernel: int, stride: int = 1, group: int = 1, pad: int | None = None
    ) -> str:
        weights, bias = self.weight(cout, cin // group, kernel, kernel), self.constant(np.resize(self._pool, cout) / 10)
        pads = [kernel // 2 if pad is None else pad] * 4
        sizes = {"strides": [stride] * 2, "kernel_shape": [kernel] * 2}
        return str(self.op("Conv", x, weights, bias, **sizes, pads=pads, group=group))

    def gemm(self, x: str, cin: int, cout: int) -> str:
        bias = self.constant(np.resize(self._pool, cout) / 10)
        return str(self.op("Gemm", x, self.weight(cout, cin), bias, transB=1))

    def norm(self, x: str, channels: int) -> str:
        scale, shift = 1 + np.resize(self._pool, channels) / 10, np.resize(self._pool, channels) / 10
        mean, var = self.constant(shift), self.constant(np.abs(scale))
        return str(self.op("BatchNormalization", x, self.constant(scale), self.constant(shift), mean, var))

    def ints(self, *values: int) -> str:
        return self.constant(values, np.int64)

    def model(self, inputs: dict[str, Sequence[Any]], outputs: Sequence[str]) -> Any:
        kind = helper.np_dtype_to_tensor_dtype(self.dtype)
        given = [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()]
        made = [helper.make_tensor_value_info(name, kind, None) for name in outputs]
        graph = helper.make_graph(self._nodes, "net", given, made, list(self._weights.values()))
        domains = {"": self.opset, **{node.domain: 1 for node in self._nodes if node.domain}}
        imports = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        model = helper.make_model(graph, opset_imports=imports, ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def resnet18(size: int = 224) -> Any:
    """Normalisations kept, as an export in training layout has them."""
    net = Net()
    x = net.op("Relu", net.norm(net.conv("image", 3, 64, 7, 2), 64))
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    cin = 64
    for stage, cout in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = net.op("Relu", net.norm(net.conv(x, cin, cout, 3, stride), cout))
            y = net.norm(net.conv(y, cout, cout, 3), cout)
            short = net.norm(net.conv(x, cin, cout, 1, stride), cout) if cin != cout else x
            x, cin = net.op("Relu", net.op("Add", y, short)), cout
    x = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    return net.model({"image": (1, 3, size, size)}, [net.gemm(x, 512, 1000)])


def resnet50(size: int = 224) -> Any:
    """Normalisations folded, as an export in evaluation mode has them."""
    net = Net()
    x = net.op("Relu", net.conv("image", 3, 64, 7, 2))
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    cin = 64
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = net.op("Relu", net.conv(x, cin, width, 1))
            y = net.op("Relu", net.conv(y, width, width, 3, stride))
            y = net.conv(y, width, 4 * width, 1)
            short = x if block else net.conv(x, cin, 4 * width, 1, stride)
            x, cin = net.op("Relu", net.op("Add", y, short)), 4 * width
    x = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    return net.model({"image": (1, 3, size, size)}, [net.gemm(x, 2048, 1000)])


# kernel, expansion, output, squeeze, activation, stride
MOBILENET_V3_SMALL = (
    (3, 16, 16, True, "Relu", 2), (3, 72, 24, False, "Relu", 2), (3, 88, 24, False, "Relu", 1),
    (5, 96, 40, True, "HardSwish", 2), (5, 240, 40, True, "HardSwish", 1), (5, 240, 40, True, "HardSwish", 1),
    (5, 120, 48, True, "HardSwish", 1), (5, 144, 48, True, "HardSwish", 1), (5, 288, 96, True, "HardSwish", 2),
    (5, 576, 96, True, "HardSwish", 1), (5, 576, 96, True, "HardSwish", 1),
)  # fmt: skip


def mobilenet_v3(size: int = 224) -> Any:
    net = Net()
    x, cin = net.op("HardSwish", net.conv("image", 3, 16, 3, 2)), 16
    for kernel, wide, cout, squeeze, act, stride in MOBILENET_V3_SMALL:
        y = net.op(act, net.conv(x, cin, wide, 1)) if wide != cin else x
        y = net.op(act, net.conv(y, wide, wide, kernel, stride, group=wide))
        y = _squeeze(net, y, wide) if squeeze else y
        y = net.conv(y, wide, cout, 1)
        x, cin = (net.op("Add", y, x) if stride == 1 and cin == cout else y), cout
    x = net.op("GlobalAveragePool", net.op("HardSwish", net.conv(x, 96, 576, 1)))
    x = net.op("HardSwish", net.gemm(net.op("Flatten", x, axis=1), 576, 1024))
    return net.model({"image": (1, 3, size, size)}, [net.gemm(x, 1024, 1000)])


def _squeeze(net: Net, x: str, channels: int) -> str:
    narrow = max(8, channels // 32 * 8)
    y = net.op("Relu", net.conv(net.op("GlobalAveragePool", x), channels, narrow, 1))
    return str(net.op("Mul", net.op("HardSigmoid", net.conv(y, narrow, channels, 1), alpha=1 / 6, beta=0.5), x))


def yolo_head(size: int = 640) -> Any:
    """A neck with pooling and upsampling, and an anchor-free head with distribution focal loss."""
    net = Net()
    maps = {
        f"p{level}": (1, width, size // 2**level, size // 2**level) for level, width in ((3, 64), (4, 128), (5, 256))
    }
    pooled = _silu(net, net.conv("p5", 256, 128, 1))
    pools = [pooled]
    for _ in range(3):
        pools.append(net.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    deep = _silu(net, net.conv(net.op("Concat", *pools, axis=1), 512, 256, 1))
    side = size // 16
    grid = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    up = net.op("Resize", deep, "", "", net.ints(1, 256, side, side), **grid)
    middle = _silu(net, net.conv(net.op("Concat", up, "p4", axis=1), 384, 128, 3))
    heads = [_detect(net, x, width) for x, width in (("p3", 64), (middle, 128), (deep, 256))]
    return net.model(maps, [_decode(net, heads, sum(prod(shape[2:]) for shape in maps.values()))])


def _silu(net: Net, x: str) -> str:
    return str(net.op("Mul", x, net.op("Sigmoid", x)))


def _detect(net: Net, x: str, width: int) -> str:
    box = net.conv(_silu(net, net.conv(x, width, 64, 3)), 64, 64, 1)
    kind = net.conv(_silu(net, net.conv(x, width, 80, 3)), 80, 80, 1)
    return str(net.op("Reshape", net.op("Concat", box, kind, axis=1), net.ints(1, 144, -1)))


def _decode(net: Net, heads: Sequence[str], cells: int) -> str:
    joined = net.op("Concat", *heads, axis=2)
    box, kind = net.op("Split", joined, net.ints(64, 80), outs=2, axis=1)
    spread = net.op("Transpose", net.op("Reshape", box, net.ints(1, 4, 16, cells)), perm=[0, 2, 1, 3])
    weights = net.constant(np.arange(16).reshape(1, 16, 1, 1))
    sides = net.op("Conv", net.op("Softmax", spread, axis=1), weights, kernel_shape=[1, 1])
    sides = net.op("Reshape", sides, net.ints(1, 4, cells))
    low = net.op("Slice", sides, net.ints(0), net.ints(2), net.ints(1))
    high = net.op("Slice", sides, net.ints(2), net.ints(4), net.ints(1))
    anchors = net.constant(np.ones((1, 2, cells)))
    first, last = net.op("Sub", anchors, low), net.op("Add", anchors, high)
    middle = net.op("Div", net.op("Add", first, last), net.constant(2.0))
    boxes = net.op("Concat", middle, net.op("Sub", last, first), axis=1)
    scaled = net.op("Mul", boxes, net.constant(np.ones((1, cells))))
    return str(net.op("Concat", scaled, net.op("Sigmoid", kind), axis=1))


def vit_tiny(size: int = 224, layers: int = 12) -> Any:
    net = Net()
    width, heads, tokens = 192, 3, (size // 16) ** 2 + 1
    x = net.op("Conv", "image", net.weight(width, 3, 16, 16), strides=[16, 16], kernel_shape=[16, 16])
    x = net.op("Transpose", net.op("Reshape", x, net.ints(1, width, -1)), perm=[0, 2, 1])
    x = net.op("Concat", net.weight(1, 1, width), x, axis=1)
    x = net.op("Add", x, net.weight(1, tokens, width))
    for _ in range(layers):
        x = net.op("Add", x, _attention(net, _layer_norm(net, x, width), width, heads, tokens))
        y = _gelu(net, _linear(net, _layer_norm(net, x, width), width, 4 * width))
        x = net.op("Add", x, _linear(net, y, 4 * width, width))
    x = net.op("Gather", _layer_norm(net, x, width), net.constant(0, np.int64), axis=1)
    return net.model({"image": (1, 3, size, size)}, [net.gemm(x, width, 1000)])


def _linear(net: Net, x: str, cin: int, cout: int) -> str:
    return str(net.op("Add", net.op("MatMul", x, net.weight(cin, cout)), net.weight(cout)))


def _layer_norm(net: Net, x: str, width: int) -> str:
    return str(net.op("LayerNormalization", x, net.constant(np.ones(width)), net.constant(np.zeros(width)), axis=-1))


def _attention(net: Net, x: str, width: int, heads: int, tokens: int) -> str:
    parts = []
    for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
        y = net.op("Reshape", _linear(net, x, width, width), net.ints(1, tokens, heads, width // heads))
        parts.append(net.op("Transpose", y, perm=order))
    scores = net.op("Mul", net.op("MatMul", parts[0], parts[1]), net.constant(0.125))
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), parts[2])
    joined = net.op("Reshape", net.op("Transpose", mixed, perm=[0, 2, 1, 3]), net.ints(1, tokens, width))
    return _linear(net, joined, width, width)


def _gelu(net: Net, x: str) -> str:
    bent = net.op("Erf", net.op("Div", x, net.constant(np.sqrt(2))))
    return str(net.op("Mul", net.op("Mul", x, net.op("Add", bent, net.constant(1.0))), net.constant(0.5)))


NETWORKS = {
    "resnet18": resnet18,
    "resnet50": resnet50,
    "mobilenet_v3": mobilenet_v3,
    "yolo_head": yolo_head,
    "vit_tiny": vit_tiny,
}
