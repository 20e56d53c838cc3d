"""The library of the SE(2) planner: every .cpp of `source`, compiled for this processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.compiler import flags
from premotor_foundation.native_code.library import compile_library, kept_library, source_digest, source_files
from premotor_planners.kernels.native.library import KernelLibrary

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_se2.so"


def build_se2(folder: Path | None = None) -> Path:
    """The library from the cache under `folder` (default the user's), or compiled now. Raises BuildError."""
    options = flags()
    sources = [path for path in source_files(SOURCE) if path.suffix == ".cpp"]
    return kept_library(
        (folder or cache_folder()) / "se2",
        LIBRARY,
        [*options, source_digest(SOURCE)],
        lambda compiler, path: compile_library(compiler, options, sources, path),
    )


@lru_cache(maxsize=1)
def se2_library() -> KernelLibrary:
    """`build_se2`, loaded once a process. Raises BuildError."""
    return KernelLibrary(build_se2())
