"""The engine cache: a hit is exactly what was asked for, whole and unaltered; anything else is a miss."""

from __future__ import annotations

import logging
from pathlib import Path

from premotor_accelerators.engines.key import EngineKey
from premotor_accelerators.engines.sealed_file import read_sealed, write_sealed
from premotor_foundation.cache_folder import cache_folder

_log = logging.getLogger(__name__)


class EngineCache:
    """Engines under one folder (`engines` in the user's cache), a file each, and the builders' timing caches."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder() / "engines"

    def path(self, key: EngineKey) -> Path:
        """Where the engine of this key is kept; the name begins with the kernel's, for people."""
        return self.folder / f"{key.kernel}-{key.digest[:32]}.engine"

    def load(self, key: EngineKey) -> bytes | None:
        """The engine, or None: not there, cut short, altered, or built for another graph, version, device or flag."""
        path = self.path(key)
        engine = read_sealed(path, key.text())
        if engine is None and path.exists():
            _log.warning("%s is not what was stored (cut short or foreign); the engine is built again", path)
        return engine

    def store(self, key: EngineKey, engine: bytes) -> Path:
        """Keep an engine. Raises NotStored, and then no part of it is there."""
        path = self.path(key)
        write_sealed(path, key.text(), engine)
        return path

    def drop(self, key: EngineKey) -> None:
        """Forget an engine, if it is there."""
        self.path(key).unlink(missing_ok=True)

    def load_timing(self, builder: str, device: str) -> bytes:
        """What earlier builds of this builder version on this device measured; empty when there is nothing usable."""
        return read_sealed(self._timing_path(builder, device), f"{builder} {device}") or b""

    def store_timing(self, builder: str, device: str, measured: bytes) -> None:
        """Keep a timing cache. Raises NotStored."""
        write_sealed(self._timing_path(builder, device), f"{builder} {device}", measured)

    def _timing_path(self, builder: str, device: str) -> Path:
        name = "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in f"{builder}-{device}")
        return self.folder / f"{name}.timing"
