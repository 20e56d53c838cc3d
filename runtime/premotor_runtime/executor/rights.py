"""What a real-time process asks of the operating system, and what it was given: reported, never assumed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
import threading
from dataclasses import dataclass

_MCL_CURRENT_AND_FUTURE = 3
_PR_SET_TIMERSLACK = 29
_SWITCH_S = 1e-4
_FIFO_PRIORITY = 50
_MOST_URGENT_NICE = -20


@dataclass(frozen=True)
class Rights:
    """Each right as granted or not; `core` is the one the process is pinned to."""

    memory_locked: bool
    sched_fifo: bool
    core: int | None
    gc_frozen: bool


def take_rights(core: int | None, sched_fifo: bool) -> Rights:
    """Pin this process to `core`, lock its memory, ask for SCHED_FIFO, freeze the garbage collector.

    Whatever the system denies is left as it was and shows in the result. Call it after everything is loaded: objects
    made before are never scanned again, and the collector is off from here on. Threads made
    before keep their own rights.
    """
    _wake_on_time()
    return Rights(_lock_memory(), sched_fifo and _fifo(), _pin(core), _freeze_gc())


def give_way(steps: int = 1) -> None:
    """Put the calling thread so many steps below the real-time priority that its process has; without one, no change.

    Threads of equal SCHED_FIFO priority on one core wait for each other to block: a loop would see its own deadline
    only when a long computation of its lane is over, and never when that hangs. One step for a lane, two for a thread
    that helps the loop with short work: while it holds the interpreter the loop waits for it, so that nothing of
    another process may keep it from going on. To be called by a thread that was made after `take_rights`.
    """
    with contextlib.suppress(OSError, AttributeError):
        if os.sched_getscheduler(0) == os.SCHED_FIFO:
            lower = max(_FIFO_PRIORITY - steps, os.sched_get_priority_min(os.SCHED_FIFO))
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(lower))


def stay_behind() -> None:
    """Put the calling thread behind all real-time ones of its core, and before whatever else wants it.

    For one that may compute for seconds: with a real-time priority the system would take the core from all that have
    one. To be called by a thread that was made after `take_rights`; without a real-time priority, no change.
    """
    with contextlib.suppress(OSError, AttributeError):
        if os.sched_getscheduler(0) == os.SCHED_FIFO:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _MOST_URGENT_NICE)


def _wake_on_time() -> None:
    """Timers without the 50 us that the system may add, and the interpreter handed over after 0.1 ms instead of 5."""
    sys.setswitchinterval(_SWITCH_S)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)


def _pin(core: int | None) -> int | None:
    if core is None or core not in os.sched_getaffinity(0):
        return None
    os.sched_setaffinity(0, {core})
    return core


def _lock_memory() -> bool:
    try:
        return bool(ctypes.CDLL(None, use_errno=True).mlockall(_MCL_CURRENT_AND_FUTURE) == 0)
    except (OSError, AttributeError):
        return False


def _fifo() -> bool:
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_FIFO_PRIORITY))
    except OSError:
        return False
    return True


def _freeze_gc() -> bool:
    gc.collect()
    gc.freeze()
    gc.disable()
    return True
