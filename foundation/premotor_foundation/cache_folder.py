"""Where derived files live, and what content a file has."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from premotor_foundation.atomic_write import write_atomically

_CHUNK = 1 << 22


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/premotor`, or `~/.cache/premotor`; not created here."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "premotor"


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file's content, in hexadecimal. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fingerprint(path: Path, folder: Path) -> str:
    """As `sha256_of`, remembered under `folder` until the file's size or modification time changes. Raises OSError."""
    status = path.stat()
    stamp = [str(path.resolve()), status.st_size, status.st_mtime_ns]
    name = hashlib.sha256(str(stamp[0]).encode()).hexdigest()[:16]
    memo = folder / "fingerprints" / f"{name}.json"
    known = _read_memo(memo)
    if known.get("stamp") == stamp and isinstance(known.get("sha256"), str):
        return str(known["sha256"])
    digest = sha256_of(path)
    _remember(memo, json.dumps({"stamp": stamp, "sha256": digest}))
    return digest


def _read_memo(memo: Path) -> dict[str, object]:
    try:
        known = json.loads(memo.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(memo: Path, text: str) -> None:
    try:
        write_atomically(memo, text)
    except OSError:
        return  # a read-only cache costs time, nothing else
