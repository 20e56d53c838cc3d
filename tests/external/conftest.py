from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The public data beside the checkout (`shared/data`); it is never copied into the project."""
    folder = Path(__file__).parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the public data is not here: no folder {folder}")
    return folder
