"""Where this thread, and what it starts, may run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def kept_on(cores: frozenset[int]) -> Iterator[None]:
    """Keep to `cores` until the context is left; where the system does not allow it, nothing changes."""
    before = os.sched_getaffinity(0)
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
