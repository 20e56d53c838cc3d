"""Maps in Nav2's files: a YAML and the image it names, read and written to the documented rule (`nav2_map_rule`).

Image row 0 is the top, grid row 0 the bottom. A map that is turned (`origin[2]` other than 0) is refused: Nav2's own
costmap ignores the angle, and a map of which one half is turned and the other is not leads into walls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from premotor_foundation.strict_yaml import limited, load
from premotor_planners.errors import MapFileError
from premotor_planners.maps.grid import UNKNOWN, OccupancyGrid
from premotor_planners.maps.nav2_map_image import MapImage, read_image
from premotor_planners.maps.nav2_map_rule import WHITE, MapRule, Mode

_TRUE = ("1", "true", "True", "TRUE")
_NO_TURN = 1e-9


@dataclass(frozen=True)
class MapFile:
    """The keys of the YAML; `image` is relative to its folder unless it begins with `/`."""

    image: str
    origin: tuple[float, float, float]
    negate: Literal["0", "1", "true", "false", "True", "False", "TRUE", "FALSE"]
    resolution: float = limited(above=0.0)
    occupied_thresh: float = limited(at_least=0.0, at_most=1.0)
    free_thresh: float = limited(at_least=0.0, at_most=1.0)
    mode: Mode = "trinary"

    @property
    def rule(self) -> MapRule:
        """How its pixels become cells."""
        return MapRule(self.mode, self.negate in _TRUE, self.occupied_thresh, self.free_thresh)


def load_map(path: Path) -> OccupancyGrid:
    """The map in the YAML file at `path`: 0 free, 100 occupied, between them in mode scale or raw, -1 unknown.

    Raises ConfigError (exit 2) with file and line for a key that is missing, unknown or wrong, and its subclass
    MapFileError for a turned map and an image that is missing, cut short or of another kind.
    """
    file = load(path, MapFile)
    if not file.image:
        raise MapFileError(path, None, "`image` is empty; name the image of the map")
    if abs(file.origin[2]) > _NO_TURN:
        problem = f"`origin[2]`, the map's yaw, is {file.origin[2]:g}; turned maps are not supported"
        raise MapFileError(path, None, f"{problem}: turn the image and set it to 0")
    cells = _cells(read_image(path.parent / file.image), file.rule)
    return OccupancyGrid(np.ascontiguousarray(cells[::-1]), file.resolution, file.origin[:2])


def _cells(image: MapImage, rule: MapRule) -> NDArray[np.int8]:
    """Every brightness that can occur is judged once."""
    table = rule.values(np.arange(image.white + 1) * float(WHITE) / image.white)
    cells = table[image.levels]
    if image.opaque is not None and rule.mode != "raw":
        cells[~image.opaque] = UNKNOWN
    return cells


def in_range(grid: OccupancyGrid) -> bool:
    """Whether the grid holds nothing but occupancies, and its frame is one."""
    low, high = int(grid.data.min(initial=0)), int(grid.data.max(initial=0))
    frame = (grid.resolution_m, *grid.origin_m)
    return low >= UNKNOWN and high <= 100 and grid.resolution_m > 0 and all(map(math.isfinite, frame))
