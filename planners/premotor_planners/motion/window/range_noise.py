"""How noisy a scan is, found from the scan, and the scan with that noise averaged out along surfaces.

Of hundreds of beams with 3 cm of noise the nearest one is always 9 cm too near, and an outline with 5 cm to spare seems
to touch. Neighbouring beams see the same surface, and their mean says better where it is. No other scan has a part in
it: what has just come is seen at once.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from premotor_planners.motion.state import LaserScan

_Ranges = NDArray[np.float64]
_ALONG_M = 0.04
"""Neighbours are beams that end within this distance along the surface."""
_MOST_BEAMS = 12
"""On either side; more would hardly help."""
_SAME_SURFACE = 3.0 * math.sqrt(2.0)
"""Readings that differ by more standard deviations are of two surfaces: three of those of a difference."""
_MOST_NOISE_M = 0.05
"""What looks noisier is a hedge or a fence, and not the lidar."""
_NEAR_M = 2.5
"""Noise is judged by beams up to here: beyond it, neighbouring beams end too far apart for what is round."""
_FEWEST = 30
_DEVIATIONS = 0.6745 * math.sqrt(6.0)
"""The median of |a - 2 b + c| of normal numbers, in standard deviations of one of them."""


def noise_m(scan: LaserScan) -> float:
    """The standard deviation of the ranges (m), from how far neighbours are from lying on a line; at most 5 cm.

    0 where few beams end near by. Edges and what is round make it larger; the median bears with a third of such beams.
    """
    ranges = np.asarray(scan.ranges_m, np.float64)
    near = _known(scan, ranges) & (ranges <= _NEAR_M)
    bends = (near[:-2] & near[1:-1] & near[2:]).nonzero()[0]
    if len(bends) < _FEWEST:
        return 0.0
    off = np.abs(ranges[bends] - 2.0 * ranges[bends + 1] + ranges[bends + 2])
    return min(float(np.median(off)) / _DEVIATIONS, _MOST_NOISE_M)


def steadied(scan: LaserScan) -> LaserScan:
    """The scan with each reading replaced by the mean of it and its neighbours on the same surface. Never raises.

    What only one beam sees is not averaged away, since it has no such neighbours; nor is a reading moved by more than 4
    standard deviations. Beams without a reading stay as they are, and so does a scan that is none.
    """
    step = abs(scan.angle_increment)
    if np.ndim(scan.ranges_m) != 1 or not 0.0 < step < math.inf:
        return scan
    most = _SAME_SURFACE * noise_m(scan)
    if most <= 0.0:
        return scan
    ranges = np.asarray(scan.ranges_m, np.float64)
    known = _known(scan, ranges)
    means = _means(np.where(known, ranges, np.inf), step, most)
    return replace(scan, ranges_m=np.where(known, means, ranges).astype(np.float32))


def _known(scan: LaserScan, ranges: _Ranges) -> NDArray[np.bool_]:
    """Which beams have a reading, by REP-117."""
    return np.asarray(np.isfinite(ranges) & (ranges >= scan.range_min_m) & (ranges <= scan.range_max_m))


def _means(seen: _Ranges, step: float, most: float) -> _Ranges:
    """Of each reading and those up to 4 cm beside it that differ by at most `most`; inf where there is no reading."""
    apart = np.arange(-_MOST_BEAMS, _MOST_BEAMS + 1)
    around = sliding_window_view(np.pad(seen, _MOST_BEAMS, constant_values=np.inf), len(apart))
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(apart) * step * seen[:, None] <= _ALONG_M
        taken = near & (np.abs(around - seen[:, None]) <= most)
    total = np.where(taken, around, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, taken.sum(axis=1), out=seen.copy(), where=np.isfinite(seen)))
