"""The library of costmap and swept outlines: every .cpp of `source`, compiled for this processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.library import kept_folder
from premotor_planners.kernels.native.library import KernelLibrary

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_costmap.so"
_ROUNDED_AS_WRITTEN = ("-ffp-contract=off",)
"""No fused operations: what the gate rounds up to whole numbers of poses comes out as in its definition."""


def build_costmap(folder: Path | None = None) -> Path:
    """The library from the cache under `folder` (default the user's), or compiled now. Raises BuildError."""
    return kept_folder(SOURCE, (folder or cache_folder()) / "costmap", LIBRARY, _ROUNDED_AS_WRITTEN)


@lru_cache(maxsize=1)
def costmap_library() -> KernelLibrary:
    """`build_costmap`, loaded once a process. Raises BuildError."""
    return KernelLibrary(build_costmap())
