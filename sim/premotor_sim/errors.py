"""Errors of the simulation.

PremotorError
└── UsageError
    └── SimulationError   exit 2   a world that can be planned in but not built as a house
"""

from __future__ import annotations

from premotor_foundation.errors import UsageError


class SimulationError(UsageError):
    """Something in the world description has no place in a house of solid things."""
