"""Windows of convolutions and pools, with paddings worked out."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_accelerators.dla.layer import Layer

Pair = tuple[int, int]


@dataclass(frozen=True)
class Window:
    """Height before width; `pads` are top, left, bottom, right."""

    kernel: Pair
    stride: Pair
    dilation: Pair
    pads: tuple[int, int, int, int]

    def __str__(self) -> str:
        return f"kernel {self.kernel}, stride {self.stride}, dilation {self.dilation}, padding {self.pads}"

    @property
    def reach(self) -> Pair:
        """The dilated kernel."""
        (kernel_h, kernel_w), (dilation_h, dilation_w) = self.kernel, self.dilation
        return (kernel_h - 1) * dilation_h + 1, (kernel_w - 1) * dilation_w + 1


def convolution_window(layer: Layer) -> Window:
    """The window of a convolution of four dimensions; its kernel is that of the weights."""
    weights = layer.shape(1) or (1, 1, 1, 1)
    return _window(layer, (weights[2], weights[3]))


def pool_window(layer: Layer) -> Window | None:
    """The window of a pool, None unless it is two-dimensional."""
    kernel = layer.node.attribute("kernel_shape", [])
    given = layer.shape(0)
    if len(kernel) != 2 or given is None or len(given) != 4:
        return None
    return _window(layer, (kernel[0], kernel[1]))


def _window(layer: Layer, kernel: Pair) -> Window:
    stride = _pair(layer, "strides")
    dilation = _pair(layer, "dilations")
    plain = Window(kernel, stride, dilation, _explicit(layer))
    style = layer.node.attribute("auto_pad", "NOTSET")
    given = layer.shape(0)
    if style in ("SAME_UPPER", "SAME_LOWER") and given is not None and layer.node.op != "ConvTranspose":
        return Window(kernel, stride, dilation, _same(plain, given[2:], style == "SAME_LOWER"))
    return plain


def _pair(layer: Layer, name: str) -> Pair:
    values = layer.node.attribute(name) or [1, 1]
    return (values[0], values[1]) if len(values) == 2 else (values[0], values[0])


def _explicit(layer: Layer) -> tuple[int, int, int, int]:
    pads = layer.node.attribute("pads") or [0, 0, 0, 0]
    return (pads[0], pads[1], pads[2], pads[3]) if len(pads) == 4 else (pads[0], pads[0], pads[0], pads[0])


def _same(window: Window, sizes: tuple[int, ...], low: bool) -> tuple[int, int, int, int]:
    before, after = [], []
    for size, stride, reach in zip(sizes, window.stride, window.reach, strict=True):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
        before.append((total + 1) // 2 if low else total // 2)
        after.append(total - before[-1])
    return before[0], before[1], after[0], after[1]
