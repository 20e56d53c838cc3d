from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

WriteTree = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def write_tree(tmp_path: Path) -> WriteTree:
    """Writes files by their paths under a folder of the test's own, which stands for the root of a machine."""

    def write(files: Mapping[str, str]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path

    return write
