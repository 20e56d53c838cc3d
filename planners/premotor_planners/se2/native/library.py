"""The library of the SE(2) planner: every .cpp of `source`, compiled for this processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.library import kept_folder
from premotor_planners.kernels.native.library import KernelLibrary

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_se2.so"


def build_se2(folder: Path | None = None) -> Path:
    """The library from the cache under `folder` (default the user's), or compiled now. Raises BuildError."""
    return kept_folder(SOURCE, (folder or cache_folder()) / "se2", LIBRARY)


@lru_cache(maxsize=1)
def se2_library() -> KernelLibrary:
    """`build_se2`, loaded once a process. Raises BuildError."""
    return KernelLibrary(build_se2())
