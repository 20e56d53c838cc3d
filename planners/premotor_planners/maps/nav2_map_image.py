"""The image of a map file: PGM, PNG or BMP; grey, colour, palette or 16 bits, with or without alpha."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from premotor_planners.errors import MapFileError

FORMATS = ("PPM", "PNG", "BMP")
MOST_PIXELS = 100_000_000
_SIXTEEN_BITS = ("I;16", "I;16B", "I;16L", "I")
_KNOWN = ("1", "L", "P", "LA", "PA", "RGB", "RGBA", *_SIXTEEN_BITS)


@dataclass(frozen=True, eq=False)
class MapImage:
    """`levels` (rows, cols), row 0 the top: brightness in whole numbers up to `white`; `opaque` None where all is."""

    levels: NDArray[np.int64]
    white: int
    opaque: NDArray[np.bool_] | None = None


def read_image(path: Path) -> MapImage:
    """Colours count by the mean of red, green and blue, alpha never. Raises MapFileError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as image:
                _check(path, image)
                image.load()
                return _levels(image)
    except FileNotFoundError as error:
        remedy = "put it there, or correct `image` in the map file"
        raise MapFileError(path, None, f"the image is missing; {remedy}") from error
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, Image.DecompressionBombError) as error:
        raise MapFileError(path, None, f"the image cannot be read: {error}; give a whole PGM, PNG or BMP") from error


def _check(path: Path, image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise MapFileError(path, None, f"{image.width} x {image.height} pixels; at most {MOST_PIXELS} are allowed")
    if image.mode not in _KNOWN:
        raise MapFileError(path, None, f"pixels of the kind `{image.mode}`; save it as grey, RGB or palette")


def _levels(image: Image.Image) -> MapImage:
    if image.mode in _SIXTEEN_BITS:
        return MapImage(np.asarray(image).astype(np.int64), 65535)
    has_alpha = image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info
    if image.mode in ("1", "L") and not has_alpha:
        return MapImage(np.asarray(image.convert("L")).astype(np.int64), 255)
    channels = np.asarray(image.convert("RGBA"))
    opaque = channels[..., 3] == 255 if has_alpha else None
    return MapImage(channels[..., :3].sum(axis=2, dtype=np.int64), 3 * 255, opaque)
