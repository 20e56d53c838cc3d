"""Resizing."""

from __future__ import annotations

from premotor_accelerators.dla.layer import Layer
from premotor_accelerators.dla.rule import Rule, Verdict, refused, runs
from premotor_accelerators.dla.sources import LAYERS

RESIZE = Rule(
    "resize",
    "four scales, the first two 1, height and width whole: 1..32 nearest (asymmetric with floor, or half-pixel with "
    "half-down or half-up), 1..4 linear (half-pixel)",
    LAYERS,
    "A",
)
_ROUNDINGS = {
    "asymmetric": ("floor",),
    "half_pixel": ("round_prefer_floor", "round_prefer_ceil"),
    "pytorch_half_pixel": ("round_prefer_floor", "round_prefer_ceil"),
}


def resize(layer: Layer) -> Verdict:
    """The verdict on `Resize` and `Upsample`."""
    scales = _scales(layer)
    if scales is None:
        return refused(RESIZE, "given by sizes, or scales computed at run time", "give whole scales as a constant")
    if len(scales) != 4 or scales[:2] != (1.0, 1.0):
        return refused(RESIZE, f"scales {scales}", "resize height and width of an N,C,H,W tensor")
    linear = layer.node.attribute("mode", "nearest") == "linear"
    most = 4 if linear else 32
    if not all(scale == int(scale) and 1 <= scale <= most for scale in scales[2:]):
        return refused(RESIZE, f"scales {scales}", f"use whole scales of 1..{most}, twice if more is needed")
    return runs(RESIZE) if _grid_fits(layer, linear) else refused(RESIZE, _grid(layer), _REMEDY)


_REMEDY = "export nearest with asymmetric and floor, linear with half_pixel"


def _scales(layer: Layer) -> tuple[float, ...] | None:
    if layer.node.op == "Upsample" and layer.graph.opset < 9:
        given = layer.node.attribute("scales")
        return tuple(given) if given else None
    index = 1 if layer.node.op == "Upsample" or layer.graph.opset < 11 else 2
    value = layer.value(index)
    return tuple(float(v) for v in value.reshape(-1)) if value is not None and value.size else None


def _grid(layer: Layer) -> str:
    mode, place = layer.node.attribute("mode", "nearest"), _place(layer)
    return f"{mode}, {place}, {_rounding(layer)}"


def _grid_fits(layer: Layer, linear: bool) -> bool:
    if linear:
        return _place(layer) in ("half_pixel", "pytorch_half_pixel")
    return layer.node.attribute("mode", "nearest") == "nearest" and _rounding(layer) in _ROUNDINGS.get(
        _place(layer), ()
    )


def _place(layer: Layer) -> str:
    old = layer.node.op == "Upsample" or layer.graph.opset < 11
    return str(layer.node.attribute("coordinate_transformation_mode", "asymmetric" if old else "half_pixel"))


def _rounding(layer: Layer) -> str:
    old = layer.node.op == "Upsample" or layer.graph.opset < 11
    return str(layer.node.attribute("nearest_mode", "floor" if old else "round_prefer_floor"))
