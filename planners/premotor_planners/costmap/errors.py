"""Errors of the costmap.

PremotorError
├── FootprintError (also a ValueError)    an outline that is none: fewer than 3 points, self-crossing, not finite
└── CostmapError (also a ValueError)      settings or maps that cannot be: a resolution of 0, a window of 1 cell
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class FootprintError(PremotorError, ValueError):
    """An outline that no robot has; the message says what was given and what is allowed."""


class CostmapError(PremotorError, ValueError):
    """Settings or a map from which no costmap can be made."""
