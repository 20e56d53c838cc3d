"""Whether the native runner can run here, and what has been built; nothing is compiled for it."""

from __future__ import annotations

from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.native_code.compiler import find_compiler, flags
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.doctor.findings import NativeState
from premotor_runtime.doctor.planner_library import planner_library
from premotor_runtime.runners.native.build import LIBRARY


def native_state(folder: Path | None = None) -> NativeState:
    """As found under `folder` (default the user's cache)."""
    place = (folder or cache_folder()) / "native" / "libraries"
    planner = planner_library(folder)
    libraries = len(list(place.glob(f"*/*/{LIBRARY}")))
    try:
        compiler = find_compiler().version
    except BuildError as error:
        reason = f"{error}; the slower reference runner takes its place for models that were not built before"
        return NativeState("built" if libraries else "impossible", reason, None, (), libraries, str(place), planner)
    if libraries:
        reason = "built, and rebuilt when needed"
        return NativeState("built", reason, compiler, tuple(flags()), libraries, str(place), planner)
    reason = "not built yet; `premotor build` or the first use of a model builds it"
    return NativeState("ready", reason, compiler, tuple(flags()), 0, str(place), planner)
