"""One file that carries what it is and a checksum: header line, payload; whole or absent, or not accepted.

premotor.sealed/1 {"about": …, "sha256": …, "bytes": …}\\n
<payload>
"""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path

from premotor_accelerators.errors import NotStored
from premotor_foundation.atomic_write import write_atomically

_MAGIC = b"premotor.sealed/1 "
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}


def write_sealed(path: Path, about: str, payload: bytes) -> None:
    """Replace `path` by the payload under its header. Raises NotStored; the old file is then untouched."""
    header = json.dumps({"about": about, "sha256": hashlib.sha256(payload).hexdigest(), "bytes": len(payload)})
    try:
        write_atomically(path, _MAGIC + header.encode() + b"\n" + payload)
    except OSError as error:
        raise not_stored(path, len(payload), error) from error


def read_sealed(path: Path, about: str) -> bytes | None:
    """The payload; None when the file is not there, cut short, altered, or about something else."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    header, newline, payload = content.partition(b"\n")
    if not newline or not header.startswith(_MAGIC):
        return None
    try:
        said = json.loads(header[len(_MAGIC) :])
    except ValueError:
        return None
    expected = {"about": about, "sha256": hashlib.sha256(payload).hexdigest(), "bytes": len(payload)}
    return payload if said == expected else None


def not_stored(path: Path, size: int, error: OSError) -> NotStored:
    """The typed error for a write that failed."""
    why = _FULL.get(error.errno or 0, error.strerror or str(error))
    return NotStored(
        f"{path} ({size / 1e6:.1f} MB) cannot be written: {why}; free space, grant the right to write there, "
        "or set XDG_CACHE_HOME to a folder on another disk"
    )
