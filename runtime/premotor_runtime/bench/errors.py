"""What can keep an engine from being measured.

PremotorError
└── WorkerFailed           the process died, hung, or answered an order with an error
    └── NotInstalled       the engine's package is not there
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class WorkerFailed(PremotorError):
    """An engine's process cannot go on; the measurement goes on without it."""


class NotInstalled(WorkerFailed):
    """A peer that this machine does not have; the message says how to get it."""
