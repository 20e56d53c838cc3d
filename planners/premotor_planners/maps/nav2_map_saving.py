"""A grid written as Nav2's map files: the image first, then the YAML that names it, each whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from premotor_foundation.atomic_write import write_atomically
from premotor_planners.errors import MapError
from premotor_planners.maps.grid import OccupancyGrid
from premotor_planners.maps.nav2_map import in_range
from premotor_planners.maps.nav2_map_rule import WHITE, Mode

Format = Literal["pgm", "png", "bmp"]
_PILLOW = {"pgm": "PPM", "png": "PNG", "bmp": "BMP"}
_FREE_PIXEL, _UNKNOWN_PIXEL = 254, 205
_UNKNOWN_SHADE = 1 - _UNKNOWN_PIXEL / WHITE
OCCUPIED_THRESH, FREE_THRESH = 0.65, 0.196
"""With Nav2's newer default of 0.25 the grey that stands for unknown would be read as free."""


def save_map(
    grid: OccupancyGrid,
    path: Path,
    mode: Mode = "trinary",
    image_format: Format = "pgm",
    occupied_thresh: float = OCCUPIED_THRESH,
    free_thresh: float = FREE_THRESH,
) -> None:
    """Write `path` (.yaml) and an image of the same name beside it; `load_map` reads the same grid from them.

    trinary keeps free (at most free_thresh), occupied (at least occupied_thresh) and unknown; scale and raw keep every
    value, and scale writes thresholds 0 and 1 of its own. Raises MapError for values that are no occupancy, thresholds
    that unknown does not lie between, and for scale in a format without alpha; OSError.
    """
    if not in_range(grid):
        raise MapError("the grid holds values outside -1 to 100, or its frame is not finite; nothing was written")
    if mode == "scale" and image_format != "png":
        raise MapError(f"mode scale needs alpha for unknown cells, which {image_format} has not; give png")
    if mode == "trinary" and not free_thresh < _UNKNOWN_SHADE < occupied_thresh:
        thresholds = f"free_thresh {free_thresh:g} and occupied_thresh {occupied_thresh:g}"
        raise MapError(f"{thresholds} must lie below and above {_UNKNOWN_SHADE:.4f}, the shade of unknown cells")
    if mode == "scale":
        occupied_thresh, free_thresh = 1.0, 0.0
    image = path.with_suffix(f".{image_format}")
    pixels = _pixels(grid.data[::-1], mode, occupied_thresh, free_thresh)
    write_atomically(image, _encoded(pixels, image_format))
    write_atomically(path, _yaml(grid, image.name, mode, occupied_thresh, free_thresh))


def _pixels(data: NDArray[np.int8], mode: Mode, occupied_thresh: float, free_thresh: float) -> NDArray[np.uint8]:
    known = data >= 0
    if mode == "raw":
        return np.where(known, data, WHITE).astype(np.uint8)
    if mode == "scale":
        grey = np.rint((1 - np.where(known, data, 100) / 100) * WHITE)
        return np.stack([grey, np.where(known, WHITE, 0)], axis=-1).astype(np.uint8)
    occupied = known & (data >= 100 * occupied_thresh)
    free = known & (data <= 100 * free_thresh)
    return np.select([free, occupied], [_FREE_PIXEL, 0], _UNKNOWN_PIXEL).astype(np.uint8)


def _encoded(pixels: NDArray[np.uint8], image_format: Format) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(out, _PILLOW[image_format])
    return out.getvalue()


def _yaml(grid: OccupancyGrid, image: str, mode: Mode, occupied_thresh: float, free_thresh: float) -> str:
    x, y = (_number(value) for value in grid.origin_m)
    lines = (
        f'image: "{image}"',
        f"mode: {mode}",
        f"resolution: {_number(grid.resolution_m)}",
        f"origin: [{x}, {y}, 0.0]",
        "negate: 0",
        f"occupied_thresh: {_number(occupied_thresh)}",
        f"free_thresh: {_number(free_thresh)}",
    )
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    """All digits; YAML 1.1 takes 1e-07 for text, and 1.0e-07 for a number."""
    shown = repr(float(value))
    return shown if "." in shown else shown.replace("e", ".0e")
