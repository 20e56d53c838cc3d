"""The vendor's Python modules, imported here and nowhere else, when asked for."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from premotor_accelerators.errors import DeviceUnavailable

Family = Literal["tensorrt", "tensorrt_rtx"]
OLDEST = (10, 0)
"""The first version with strongly typed networks; JetPack 6.1 brings 10.3."""
_RTX_MODULE = "tensorrt_rtx_bindings"
_RTX_PACKAGE = "tensorrt-rtx-cu13-bindings"


@dataclass(frozen=True)
class Vendor:
    """A loaded module of either family; `version` is its numbers, `builder` what engines of it are filed under."""

    module: Any
    family: Family
    version: tuple[int, ...]

    @property
    def builder(self) -> str:
        """Such as `tensorrt 10.3.0`."""
        return f"{self.family} {'.'.join(map(str, self.version))}"

    @property
    def strongly_typed_only(self) -> bool:
        """Whether precisions come from the graph alone: TensorRT from 11 on, and all of TensorRT-RTX."""
        return self.family == "tensorrt_rtx" or self.version >= (11,)


def load_tensorrt() -> Vendor:
    """TensorRT. Raises DeviceUnavailable when it is missing, does not load, or is older than 10."""
    module = _imported(
        "tensorrt", "on a Jetson `sudo apt-get install -y python3-libnvinfer`, on a PC `pip install tensorrt`"
    )
    found = Vendor(module, "tensorrt", numbers(str(module.__version__)))
    if found.version < OLDEST:
        raise DeviceUnavailable(
            f"{found.builder} is there; strongly typed networks need TensorRT {OLDEST[0]} or later, which JetPack 6.1 "
            "and later bring"
        )
    return found


def load_rtx() -> Vendor:
    """TensorRT-RTX, which builds without a GPU. Raises DeviceUnavailable."""
    module = _imported(_RTX_MODULE, "`pip install -r tests/external/rtx.txt`")
    return Vendor(module, "tensorrt_rtx", numbers(str(module.__version__)))


def rtx_builder() -> str | None:
    """As `Vendor.builder` for the installed TensorRT-RTX, read without loading it; None when it is not installed."""
    try:
        return f"tensorrt_rtx {'.'.join(map(str, numbers(version(_RTX_PACKAGE))))}"
    except PackageNotFoundError:
        return None


def numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: `10.3.0.post1` -> (10, 3, 0)."""
    match = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def _imported(name: str, remedy: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceUnavailable(f"the module `{name}` is not there ({error}); {remedy}") from error
    except OSError as error:  # a shared library of the wheel that the loader does not find
        raise DeviceUnavailable(f"the module `{name}` does not load: {error}; install it again: {remedy}") from error
