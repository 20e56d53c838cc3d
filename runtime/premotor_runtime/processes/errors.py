"""Errors of the processes, all raised at start; in the loop a failure is a value.

UsageError
└── BoardError            exit 2   no board of that name, or not one that this version can read
PremotorError
└── BrainUnavailable      exit 1   the brain failed more often than its supervisor restarts it

A lane that the board does not have is the scheduler's UnknownLane.
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError, UsageError


class BoardError(UsageError):
    """A board that cannot be made, or attached to."""


class BrainUnavailable(PremotorError):
    """No brain, and no further attempt for now."""
