"""The library of native kernels: every .cpp of `source`, compiled for this processor, and its functions by name.

A source brings its own functions, `extern "C"` and named `premotor_…`; nothing here knows a kernel.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.errors import BuildError
from premotor_foundation.native_code.library import kept_folder

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_kernels.so"


class KernelLibrary:
    """The loaded library. Calls release the interpreter lock; arguments are not checked."""

    def __init__(self, path: Path) -> None:
        """Raises BuildError when the file is not such a library."""
        self.path = path
        try:
            self._loaded = ctypes.CDLL(str(path))
        except OSError as error:
            raise BuildError(f"{path} cannot be loaded ({error})", "delete it, so that it is built again") from error

    @property
    def instruction_set(self) -> str:
        """What it was compiled for, such as `avx2`."""
        return str(self.function("instruction_set", ctypes.c_char_p, ())().decode())

    def function(self, name: str, result: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
        """`premotor_<name>` with ctypes types; each call gives an object of its own. Raises BuildError without it."""
        try:
            found = self._loaded[f"premotor_{name}"]
        except AttributeError as error:
            raise BuildError(f"{self.path} has no {name}", "delete it, so that it is built again") from error
        found.restype, found.argtypes = result, list(arguments)
        return found


def build_kernels(folder: Path | None = None) -> Path:
    """The library from the cache under `folder` (default the user's), or compiled now. Raises BuildError."""
    return kept_folder(SOURCE, (folder or cache_folder()) / "kernels", LIBRARY)


@lru_cache(maxsize=4)
def kernel_library(folder: Path | None = None) -> KernelLibrary:
    """`build_kernels`, loaded once a process. Raises BuildError (and tries again at the next call)."""
    return KernelLibrary(build_kernels(folder))


def pointer(array: NDArray[np.generic]) -> int:
    """Where a contiguous array begins; valid while the array lives."""
    return int(array.ctypes.data)
