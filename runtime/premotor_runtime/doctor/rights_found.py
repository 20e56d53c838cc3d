"""What the system would grant a real-time process, tried out in a process that ends at once."""

from __future__ import annotations

import subprocess
import sys

from premotor_runtime.doctor.findings import RightsFound

_TRY = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
_TIMEOUT_S = 10.0


def find_rights() -> RightsFound:
    """SCHED_FIFO, and how much memory may be locked."""
    granted = _fifo_is_granted()
    reason = "granted" if granted else "denied: set an rtprio limit for the user, or give the capability CAP_SYS_NICE"
    return RightsFound(granted, reason, _lockable())


def _fifo_is_granted() -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - a constant program under this Python
            [sys.executable, "-I", "-S", "-c", _TRY], capture_output=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _lockable() -> int | None:
    try:
        import resource
    except ImportError:
        return 0
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return None if limit == resource.RLIM_INFINITY else int(limit)
