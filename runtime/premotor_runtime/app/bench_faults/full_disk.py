"""A place for a log that is full from a given moment on: the system's own `/dev/full`, where every write is ENOSPC."""

from __future__ import annotations

import os
from pathlib import Path

from premotor_runtime.processes.bounded_log import open_for_appending

_FULL = Path("/dev/full")


class FillingDisk:
    """An `open_file` for `BoundedLog`. Set `full` when it is to happen."""

    def __init__(self) -> None:
        self.full = False

    def __call__(self, path: Path) -> int:
        """See `bounded_log.open_for_appending`."""
        return os.open(_FULL, os.O_WRONLY | os.O_CLOEXEC) if self.full else open_for_appending(path)
