from __future__ import annotations

import os
from pathlib import Path

import pytest

from premotor_foundation.atomic_write import write_atomically


def test_the_new_content_replaces_the_old_and_nothing_is_left_beside(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "result.json"
    write_atomically(path, "old")
    write_atomically(path, b"new \xc3\xa9")
    assert path.read_text(encoding="utf-8") == "new é"
    assert [entry.name for entry in path.parent.iterdir()] == ["result.json"]


def test_a_failure_leaves_the_old_file_and_no_half_of_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    write_atomically(path, "old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
