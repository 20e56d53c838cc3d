"""Building the native runner ahead of its first use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_foundation.native_code.compiler import find_compiler, flags
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.native.build import build, shape_options
from premotor_runtime.runners.native.library import Library


@dataclass(frozen=True)
class Built:
    """A library that was built or found; `compiler` is empty where there is none and an earlier build serves."""

    path: Path
    compiler: str
    flags: tuple[str, ...]
    shape: tuple[str, ...]
    instruction_set: str


def build_native(config: ModelConfig, folder: Path | None = None) -> Built:
    """The library for `config`, loaded once to be sure of it. Raises BuildError."""
    library = Library(build(config, folder))
    try:
        compiler = find_compiler().version
    except BuildError:
        compiler = ""
    return Built(library.path, compiler, tuple(flags()), tuple(shape_options(config)), library.instruction_set)
