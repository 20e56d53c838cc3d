"""Shared memory by name, owner only: a file in memory, mapped. Gone when its owner is, whatever ended it.

`multiprocessing.shared_memory` is not used: until Python 3.13 every process that attaches registers the memory with its
resource tracker, so that one that merely reads, and is killed and restarted as the brain is, would unlink the board
under the reflex.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import secrets
from pathlib import Path
from tempfile import gettempdir

from premotor_runtime.processes.errors import BoardError

PREFIX = "premotor-board-"


def folder() -> Path:
    """Where boards lie: in memory where the system has a place for that."""
    memory = Path("/dev/shm")  # noqa: S108
    return memory if memory.is_dir() and os.access(memory, os.W_OK) else Path(gettempdir())


class OwnedMemory:
    """New memory under a random name, readable and writable by this user alone, zeroed. `close` unlinks it.

    While the owner lives it holds a file lock; memory of this user whose lock is free was left behind by an owner that
    was killed, and is removed here.
    """

    def __init__(self, size: int) -> None:
        _sweep()
        self.name = str(folder() / f"{PREFIX}{secrets.token_hex(8)}")
        self._file = os.open(self.name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)  # a sweep may hold it, for an instant
            os.posix_fallocate(self._file, 0, size)
            self.map = mmap.mmap(self._file, size)
        except OSError as error:
            self._remove()
            raise BoardError(f"no shared memory of {size} bytes in {folder()}: {error.strerror}; make room") from error

    def close(self) -> None:
        """Unlink the name and let go; those attached keep what they have mapped."""
        self.map.close()
        self._remove()

    def _remove(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            Path(self.name).unlink()
        os.close(self._file)


def attach(name: str) -> mmap.mmap:
    """Map the memory that another process made. Raises BoardError when it is missing or not to be trusted."""
    try:
        file = os.open(name, os.O_RDWR | os.O_NOFOLLOW)
    except OSError as error:
        raise BoardError(
            f"no board at {name}: {error.strerror}; the process that made it must be running, and be this user's"
        ) from error
    try:
        status = os.fstat(file)
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise BoardError(f"the board {name} is not this user's alone; start the processes as one user")
        if status.st_size == 0:
            raise BoardError(f"{name} is empty, so it is no board; make a new one")
        return mmap.mmap(file, status.st_size)
    finally:
        os.close(file)


def _sweep() -> None:
    for path in folder().glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_when_ownerless(path)


def _remove_when_ownerless(path: Path) -> None:
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file).st_uid == os.geteuid() and os.fstat(file).st_size:
            path.unlink()
    finally:
        os.close(file)
