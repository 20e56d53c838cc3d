from __future__ import annotations

from pathlib import Path

import pytest

from premotor_foundation.cache_folder import cache_folder, fingerprint, sha256_of


def test_a_fingerprint_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one")
    first = fingerprint(path, tmp_path / "cache")
    assert first == sha256_of(path) == fingerprint(path, tmp_path / "cache")
    path.write_bytes(b"three")
    assert fingerprint(path, tmp_path / "cache") == sha256_of(path) != first


def test_the_cache_lies_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "premotor"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "premotor"


def test_a_fingerprint_needs_no_cache_that_can_be_written(tmp_path: Path) -> None:
    path, folder = tmp_path / "f", tmp_path / "cache"
    path.write_bytes(b"one")
    folder.write_text("a file where a folder should be")
    assert fingerprint(path, folder) == sha256_of(path)
