"""What the system would grant a real-time process, tried out in processes that end at once."""

from __future__ import annotations

import subprocess
import sys

from premotor_runtime.doctor.findings import RightsFound

_FIFO = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
_MLOCK = "import ctypes; raise SystemExit(ctypes.CDLL(None).mlockall(3) != 0)"
_TIMEOUT_S = 10.0
_LIMITS = "sudo tee -a /etc/security/limits.d/premotor.conf, then log in anew"
_FIFO_REMEDY = f'echo "$USER - rtprio 99" | {_LIMITS}'
_MLOCK_REMEDY = f'echo "$USER - memlock unlimited" | {_LIMITS}'


def find_rights() -> RightsFound:
    """SCHED_FIFO, and locking memory."""
    fifo, mlock = _granted(_FIFO), _granted(_MLOCK)
    reason = "granted" if fifo else "denied: set an rtprio limit for the user, or give the capability CAP_SYS_NICE"
    return RightsFound(fifo, reason, _lockable(), mlock, "" if fifo else _FIFO_REMEDY, "" if mlock else _MLOCK_REMEDY)


def _granted(program: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - a constant program under this Python
            [sys.executable, "-I", "-S", "-c", program], capture_output=True, timeout=_TIMEOUT_S
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
