"""Convolution and transposed convolution, and the buffer they must fit."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs, unsure
from premotor_accelerators.dla.rules.windows import Window, convolution_window
from premotor_accelerators.dla.sources import DERIVED, LAYERS

CONVOLUTION = Rule(
    "convolution",
    "2-D; kernel 1..32, padding 0..31 and below the kernel, stride 1..8, dilation 1..32, maps and groups 1..8192",
    LAYERS,
    "A",
)
RANK = Rule("convolution-rank", "convolutions are two-dimensional", LAYERS, "A")
WEIGHTS = Rule("constant-weights", "weights are known at build time", DERIVED, "C")
DILATED_PADDING = Rule("dilated-padding", "whether padding is held against the kernel or the dilated one", DERIVED, "C")
CBUF = Rule(
    "convolution-buffer",
    "weight banks and data banks together fit the 16 banks of the convolution buffer (enforced from TensorRT 8.6)",
    "public note quoting the TensorRT 8.6 guide",
    "B",
)
GROUPED_CBUF = Rule("grouped-buffer", "how groups count in the convolution buffer is not documented", DERIVED, "C")
TRANSPOSED = Rule(
    "deconvolution",
    "2-D; padding 0, groups 1, dilation 1, maps 1..8192; kernel and stride 1..32, or one side 64, 96, 128 and the "
    "other 1; not square 23..32",
    LAYERS,
    "A",
)
BANKS = 16
_LONG_SIDES = (64, 96, 128)


def convolution(layer: Layer) -> Verdict:
    """The verdict on `Conv`."""
    common = _common(layer, CONVOLUTION)
    if common is not None:
        return common
    window = convolution_window(layer)
    broken = _out_of_range(layer, window)
    if broken:
        return refused(CONVOLUTION, broken, "choose sizes in range, or split the convolution in two")
    if any(pad >= kernel for pad, kernel in zip(window.pads, window.kernel * 2, strict=True)):
        if any(pad >= kernel for pad, kernel in zip(window.pads, window.reach * 2, strict=True)):
            return refused(CONVOLUTION, f"padding {window.pads} for kernel {window.kernel}", "pad less than the kernel")
        return unsure(DILATED_PADDING, f"padding {window.pads}, dilation {window.dilation}", "try a build on the board")
    return _buffer(layer, window)


def transposed(layer: Layer) -> Verdict:
    """The verdict on `ConvTranspose`."""
    common = _common(layer, TRANSPOSED)
    if common is not None:
        return common
    window = convolution_window(layer)
    extra = any(layer.node.attribute("output_padding", []))
    plain = set(window.dilation) == {1} and layer.node.attribute("group", 1) == 1 and not extra
    if not plain or any(window.pads):
        return refused(TRANSPOSED, f"{window}", "export without padding, groups and dilation, then crop by a Slice")
    for sides in (window.kernel, window.stride):
        long = sorted(sides)[0] == 1 and sorted(sides)[1] in _LONG_SIDES
        square = sides[0] == sides[1] and 23 <= sides[0] <= 32
        if (max(sides) > 32 and not long) or square:
            return refused(TRANSPOSED, f"{window}", "use a smaller kernel, or Resize and a convolution")
    return runs(TRANSPOSED)


def _common(layer: Layer, rule: Rule) -> Verdict | None:
    given = layer.shape(0)
    weights = layer.shape(1)
    if given is None or weights is None or len(given) != 4 or len(weights) != 4:
        return refused(RANK, f"input {given}, weights {weights}", "give a 1-D convolution a height of 1 at export")
    if not layer.is_constant(1) or (layer.has(2) and not layer.is_constant(2)):
        return refused(WEIGHTS, "weights or bias computed at run time", "store them as initializers")
    maps = weights[1] * layer.node.attribute("group", 1) if layer.node.op == "ConvTranspose" else weights[0]
    if maps > 8192:
        return refused(rule, f"{maps} output maps", "use at most 8192 output maps")
    return None


def _out_of_range(layer: Layer, window: Window) -> str:
    limits: tuple[tuple[str, Sequence[int], int, int], ...] = (
        ("kernel", window.kernel, 1, 32),
        ("padding", window.pads, 0, 31),
        ("stride", window.stride, 1, 8),
        ("dilation", window.dilation, 1, 32),
        ("groups", (layer.node.attribute("group", 1),), 1, 8192),
    )
    for name, values, low, high in limits:
        if not all(low <= value <= high for value in values):
            return f"{name} {'x'.join(map(str, values))}, allowed {low}..{high}"
    return ""


def banks(channels: int, weight_channels: int, window: Window, width: int, size: int) -> int:
    """Banks of 32 KiB that a convolution needs: `size` is 1 byte a value for int8, 2 for fp16."""
    kernel_h, kernel_w = window.kernel
    weight_bytes = 128 * ceil(weight_channels * kernel_h * kernel_w * size / 128)
    entries = ceil(ceil(channels * size / 32) * width / 4)
    return ceil(weight_bytes / 32768) + ceil(entries * window.reach[0] / 256)


def _buffer(layer: Layer, window: Window) -> Verdict:
    given, weights = layer.shape(0), layer.shape(1)
    if not layer.target.gate.cbuf or given is None or weights is None:
        return runs(CONVOLUTION)
    size, group = layer.target.bytes_per_value, layer.node.attribute("group", 1)
    alone = banks(weights[1], weights[1], window, given[3], size)
    whole = banks(given[1], weights[1], window, given[3], size)
    found = f"{whole} of {BANKS} banks"
    remedy = "make the input narrower (tiles or stride), use fewer channels, a lower kernel, or int8"
    if alone > BANKS:
        return refused(CBUF, f"{alone} of {BANKS} banks", remedy)
    if whole > BANKS:
        return unsure(GROUPED_CBUF, f"{found}, if the {group} groups share the buffer", remedy)
    return Verdict("dla", CONVOLUTION, found)
