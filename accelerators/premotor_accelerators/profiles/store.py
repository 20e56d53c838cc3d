"""The profiles of this machine, a file each, for scheduler and simulator to read."""

from __future__ import annotations

import logging
from pathlib import Path

from premotor_accelerators.engines.sealed_file import not_stored
from premotor_accelerators.profiles.record import ProfileKey, ProfileRecord, from_json, to_json
from premotor_foundation.atomic_write import write_atomically
from premotor_foundation.cache_folder import cache_folder

_log = logging.getLogger(__name__)


class ProfileStore:
    """Profiles under one folder (`profiles` in the user's cache)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder() / "profiles"

    def save(self, record: ProfileRecord) -> Path:
        """Keep a profile, whole or not at all; it replaces an older one of the same key. Raises NotStored."""
        key, text = record.key, to_json(record)
        path = self.folder / f"{key.kernel}-{key.device}-{key.precision}-{key.digest[:16]}.json"
        try:
            write_atomically(path, text)
        except OSError as error:
            raise not_stored(path, len(text), error) from error
        return path

    def find(self, key: ProfileKey) -> ProfileRecord | None:
        """The profile of exactly this key; None where nothing was measured in this state."""
        return next((record for record in self.all(key.kernel) if record.key.digest == key.digest), None)

    def all(self, kernel: str = "*") -> list[ProfileRecord]:
        """All profiles, or one kernel's, by file name. What is no profile is left out, with a warning."""
        records = (_read(path) for path in sorted(self.folder.glob(f"{kernel}-*.json")))
        return [record for record in records if record is not None]


def _read(path: Path) -> ProfileRecord | None:
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        _log.warning("%s is left out: %s; measure it again with `premotor profile`", path, error)
        return None
