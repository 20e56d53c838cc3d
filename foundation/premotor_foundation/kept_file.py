"""Files that are made once and kept: whole or absent, checked when read, safe with two makers at once."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from premotor_foundation.cache_folder import sha256_of

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

_DIGEST = "sha256"
_log = logging.getLogger(__name__)


def kept_file(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """`folder / name`, made by `make(path)` if it is not there or not what was written.

    `folder` is this file's own; it appears whole by a rename. A second process that wants the same waits for the first.
    Raises OSError, and what `make` raises.
    """
    if intact(folder, name):
        return folder / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if intact(folder, name):
            return folder / name
        _clear(folder)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".make-") as beside:
            part = Path(beside) / "part"
            part.mkdir()
            make(part / name)
            (part / _DIGEST).write_text(sha256_of(part / name))
            with contextlib.suppress(FileExistsError, OSError):
                os.rename(part, folder)  # noqa: PTH104 - the atomic step itself
            if not intact(folder, name):
                raise OSError(f"{folder} cannot be written")
    return folder / name


def intact(folder: Path, name: str) -> bool:
    """Whether the file is there and what was written."""
    try:
        return (folder / _DIGEST).read_text() == sha256_of(folder / name)
    except (OSError, UnicodeDecodeError):
        return False


def _clear(folder: Path) -> None:
    if folder.exists():
        _log.warning("%s is damaged; made again", folder)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    # the lock only saves work: without it two makers rename the same content, and the first one stays
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield
