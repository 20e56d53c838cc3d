"""Errors of the planners.

PremotorError
├── ConfigError
│   └── WorldError        exit 2   a world file that cannot be a world
└── RefusedError          exit 3
    └── TaskRefused                a task that will not be carried out, with its reason
"""

from __future__ import annotations

from premotor_foundation.errors import ConfigError, RefusedError


class WorldError(ConfigError):
    """A world file whose content contradicts itself (an unknown room, a place inside a wall, a room cut off)."""


class TaskRefused(RefusedError):
    """A task that was understood well enough to know that it must not, or cannot, be done."""
