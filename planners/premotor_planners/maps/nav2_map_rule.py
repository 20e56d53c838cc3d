"""Nav2's rule from the brightness of a pixel to the occupancy of a cell, checked against its loader.

With g from 0 (black) to 255 and s = 1 - g/255 (with `negate` g/255), how occupied a cell looks:
    trinary   s <= free_thresh gives 0 (and wins where the thresholds overlap), else s >= occupied_thresh 100, else -1
    scale     as trinary, and between the thresholds round(100 (s - free_thresh) / (occupied_thresh - free_thresh))
    raw       g as it is where it is at most 100, else -1; thresholds and `negate` do not count
A pixel that is not fully opaque is unknown in trinary and scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from premotor_planners.maps.grid import FREE, OCCUPIED, UNKNOWN

Mode = Literal["trinary", "scale", "raw"]
WHITE = 255


@dataclass(frozen=True)
class MapRule:
    """How pixels become cells."""

    mode: Mode
    negate: bool
    occupied_thresh: float
    free_thresh: float

    def values(self, grey: NDArray[np.float64]) -> NDArray[np.int8]:
        """Occupancy of opaque pixels of brightness `grey`, 0 to 255."""
        if self.mode == "raw":
            whole = np.rint(grey)
            return np.where(whole <= OCCUPIED, whole, UNKNOWN).astype(np.int8)
        shade = grey / WHITE if self.negate else 1.0 - grey / WHITE
        between = self._between(shade) if self.mode == "scale" else np.full(shade.shape, UNKNOWN)
        occupied = np.where(shade >= self.occupied_thresh, OCCUPIED, between)
        return np.where(shade <= self.free_thresh, FREE, occupied).astype(np.int8)

    def _between(self, shade: NDArray[np.float64]) -> NDArray[np.float64]:
        width = self.occupied_thresh - self.free_thresh
        return np.rint(100.0 * (shade - self.free_thresh) / width) if width > 0 else np.zeros_like(shade)
