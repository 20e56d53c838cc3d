"""A log file that never outgrows its limit and never fails: what cannot be written is dropped and counted."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

LEAST_BYTES = 4096
Open = Callable[[Path], int]


def open_for_appending(path: Path) -> int:
    """A file descriptor for a log; raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


class BoundedLog:
    """`path`, and one older file beside it, `path` with `.1`: together at most `most_bytes`.

    A full disk, a folder that is gone, a file that is taken away: each write tries anew, none raises.
    """

    def __init__(self, path: Path, most_bytes: int, open_file: Open = open_for_appending) -> None:
        """Raises ValueError for a limit under which no line would fit."""
        if most_bytes < LEAST_BYTES:
            raise ValueError(f"a log of {most_bytes} bytes is too small; give at least {LEAST_BYTES}")
        self._path, self._half, self._open = path, most_bytes // 2, open_file
        self._file: int | None = None
        self._size = 0
        self.lost_bytes = 0

    def write(self, data: bytes) -> None:
        """Append; what goes beyond the limit in one piece is cut."""
        kept = data[: self._half]
        self.lost_bytes += len(data) - len(kept)
        written = 0
        with contextlib.suppress(OSError):
            written = os.write(self._file_with_room(len(kept)), kept)
        self._size += written
        self.lost_bytes += len(kept) - written

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
        self._file = None

    def _file_with_room(self, size: int) -> int:
        if self._file is not None and self._size + size > self._half:
            self.close()
            self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        if self._file is None:
            self._file = self._open(self._path)
            self._size = os.fstat(self._file).st_size
            if self._size + size > self._half:
                return self._file_with_room(size)
        return self._file
