"""The library of native searches: every .cpp of `source`, compiled for this processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.library import kept_folder
from premotor_planners.kernels.native.library import KernelLibrary, pointer

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_planning.so"


def build_planning(folder: Path | None = None) -> Path:
    """The library from the cache under `folder` (default the user's), or compiled now. Raises BuildError."""
    return kept_folder(SOURCE, (folder or cache_folder()) / "planning", LIBRARY)


@lru_cache(maxsize=4)
def planning_library(folder: Path | None = None) -> KernelLibrary:
    """`build_planning`, loaded once a process. Raises BuildError (and tries again at the next call)."""
    return KernelLibrary(build_planning(folder))


__all__ = ["LIBRARY", "build_planning", "planning_library", "pointer"]
