"""Errors of the scheduler, all raised at start; in the loop a failure is a value.

UsageError
├── BadTask               exit 2   a task, stream or contention figure that means nothing; also a ValueError
├── UnknownLane           exit 2   a lane that the board does not have, with the nearest name
└── BadRecord             exit 2   a file that is no record of this schema
RefusedError
├── NotSchedulable        exit 3   a set in which a task would miss: which, by how much, what would help
│   └── DeadlineTooShort           a deadline that the work alone, undisturbed, cannot keep
└── ProfileUnusable       exit 3   no cost to plan with
    ├── ProfileMissing             nothing was measured of this kernel on this lane
    └── ProfileOutdated            measured, but of another version or in another state of the machine
"""

from __future__ import annotations

from premotor_foundation.errors import RefusedError, UsageError


class BadTask(UsageError, ValueError):
    """A description that contradicts itself."""


class UnknownLane(UsageError, ValueError):
    """A lane that does not exist on this board."""


class BadRecord(UsageError):
    """Not a schedule record, or one of another schema."""


class NotSchedulable(RefusedError):
    """Admission failed; nothing was started."""


class DeadlineTooShort(NotSchedulable):
    """Not even alone on the board would the work be done in time."""


class ProfileUnusable(RefusedError):
    """A cost that is not known is never guessed."""


class ProfileMissing(ProfileUnusable):
    """Nothing was measured."""


class ProfileOutdated(ProfileUnusable):
    """What was measured does not belong to what would run."""
