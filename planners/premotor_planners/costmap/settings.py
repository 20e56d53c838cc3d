"""What a costmap is told, with Nav2's names where Nav2 has one."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from premotor_planners.costmap.errors import CostmapError

MOST_CELLS = 2048
MOST_INFLATION_CELLS = 120
"""Squared distances in cells then fit 16 bits."""


@dataclass(frozen=True)
class CostmapSettings:
    """Metres, seconds, cells. Raises CostmapError, naming the setting, for a value that cannot be.

    Readings up to `obstacle_max_range_m` mark; rays clear up to `raytrace_max_range_m`. `obstacle_decay_s` is how long
    a mark lasts that nobody sees again, inf for ever. With `track_unknown_space` a cell of which nothing is known is
    NO_INFORMATION, else FREE_SPACE. `footprint_clearing` frees what scans marked where the robot stands.
    """

    rows: int = 128
    cols: int = 128
    resolution_m: float = 0.05
    inflation_radius_m: float = 0.55
    cost_scaling_factor: float = 10.0
    footprint_padding_m: float = 0.01
    obstacle_max_range_m: float = 2.5
    raytrace_max_range_m: float = 3.0
    obstacle_decay_s: float = math.inf
    track_unknown_space: bool = False
    inflate_unknown: bool = False
    footprint_clearing: bool = True
    lethal_threshold: int = 100
    trinary: bool = True

    def __post_init__(self) -> None:
        for name in ("rows", "cols"):
            _whole(name, getattr(self, name), 2, MOST_CELLS)
        _whole("lethal_threshold", self.lethal_threshold, 1, 100)
        _number("resolution_m", self.resolution_m, 0.001, 10.0)
        _number("inflation_radius_m", self.inflation_radius_m, 0.0, MOST_INFLATION_CELLS * self.resolution_m)
        _number("cost_scaling_factor", self.cost_scaling_factor, 0.0, 1e6, above=True)
        _number("footprint_padding_m", self.footprint_padding_m, -1.0, 1.0)
        _number("obstacle_max_range_m", self.obstacle_max_range_m, 0.0, 1000.0)
        _number("raytrace_max_range_m", self.raytrace_max_range_m, 0.0, 1000.0)
        _number("obstacle_decay_s", self.obstacle_decay_s, 0.0, math.inf, above=True)

    @property
    def inflation_cells(self) -> int:
        """How many cells beyond the window an obstacle still matters to it."""
        return math.ceil(self.inflation_radius_m / self.resolution_m - 1e-9)


@dataclass(frozen=True)
class ParameterResult:
    """What rcl_interfaces/SetParametersResult says: `reason` is empty when successful."""

    settings: CostmapSettings
    successful: bool
    reason: str = ""


_FIXED = ("rows", "cols", "resolution_m")


def with_parameter(settings: CostmapSettings, name: str, value: object) -> ParameterResult:
    """The settings with one parameter changed while running; the old ones and a reason where that cannot be.

    Never raises. A whole number is taken for a float; a boolean or a text is not taken for a number.
    """
    known = {field.name: getattr(settings, field.name) for field in fields(settings)}
    if name not in known:
        return ParameterResult(settings, False, f"`{name}` is no parameter of a costmap; there are {', '.join(known)}")
    if name in _FIXED and value != known[name]:
        return ParameterResult(settings, False, f"`{name}` cannot change while running; restart with the new value")
    kind = type(known[name])
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits:
        return ParameterResult(settings, False, f"`{name}` is a {kind.__name__}; {value!r} is a {type(value).__name__}")
    try:
        return ParameterResult(replace(settings, **{name: kind(value)}), True)
    except (CostmapError, OverflowError) as error:
        return ParameterResult(settings, False, str(error))


def _whole(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise CostmapError(f"`{name}` is {value}; it must be from {low} to {high}")


def _number(name: str, value: float, low: float, high: float, above: bool = False) -> None:
    if not ((low < value if above else low <= value) and value <= high):
        raise CostmapError(
            f"`{name}` is {value}; it must be {'above' if above else 'at least'} {low:g}, at most {high:g}"
        )
