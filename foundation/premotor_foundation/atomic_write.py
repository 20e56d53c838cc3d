"""Files that are whole or absent: write beside, fsync, rename."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, data: bytes | str) -> None:
    """Replace `path` by `data` (text as UTF-8) so that a reader sees the old file or the new one, never a part.

    Creates missing parent folders. Raises OSError (full disk, no right to write); the old file is then untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    payload = data.encode() if isinstance(data, str) else data
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())  # noqa: PTH101 - mkstemp makes files private; these are results to share
        os.replace(beside, path)  # noqa: PTH105 - the atomic step itself
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
