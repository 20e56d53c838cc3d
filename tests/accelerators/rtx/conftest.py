from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from premotor_accelerators.engines.cache import EngineCache
from premotor_accelerators.errors import DeviceUnavailable
from premotor_accelerators.tensorrt.engine_source import EngineSource
from premotor_accelerators.tensorrt.vendor import Vendor, load_rtx


@pytest.fixture(scope="session")
def vendor() -> Vendor:
    try:
        return load_rtx()
    except DeviceUnavailable as missing:
        pytest.skip(f"{missing} (tests/external/rtx.txt)")


@pytest.fixture
def source(vendor: Vendor, tmp_path: Path) -> EngineSource:
    return EngineSource(vendor.builder, lambda: vendor, "rtx", EngineCache(tmp_path))


@pytest.fixture(scope="module")
def rows() -> Iterator[list[str]]:
    """Lines of the table of build times and sizes, written to the file that PREMOTOR_RTX_TABLE names."""
    collected: list[str] = []
    yield collected
    text = "\n".join(collected)
    if collected and "PREMOTOR_RTX_TABLE" in os.environ:
        Path(os.environ["PREMOTOR_RTX_TABLE"]).write_text(text + "\n")
