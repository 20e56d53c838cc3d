"""Nav2's cost values."""

from __future__ import annotations

FREE_SPACE = 0
"""Nothing near."""
MOST_INFLATED = 252
"""The largest cost of a cell in which the robot's centre may still be."""
INSCRIBED = 253
"""An obstacle is nearer than the inscribed radius: the robot's centre cannot be here, whatever its heading."""
LETHAL = 254
"""An obstacle."""
NO_INFORMATION = 255
"""Nobody knows."""
