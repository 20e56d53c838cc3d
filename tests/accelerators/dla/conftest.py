from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_FILE = Path(__file__).parent / "networks.py"


@pytest.fixture(scope="session")
def networks() -> ModuleType:
    """The builder `Net` and the networks made with it; test folders are no packages, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("dla_networks", _FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def net(networks: ModuleType) -> Any:
    """An empty graph."""
    return networks.Net()
