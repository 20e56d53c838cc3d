"""Every source compiles for every instruction set it has code for, whatever the machine of the tests is."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from premotor_foundation.native_code.compiler import find_compiler, flags, run
from premotor_foundation.native_code.errors import BuildError
from premotor_foundation.native_code.library import source_files
from premotor_planners.kernels.native import library as kernels
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native import build

TARGETS = {
    "x86_64": ("x86-64", "x86-64-v3", "skylake-avx512", "icelake-server"),  # SSE2, AVX2, AVX-512, AVX-512 with VNNI
    "aarch64": ("armv8-a", "armv8.2-a+dotprod"),
}


@pytest.mark.slow
@pytest.mark.parametrize("folder", [build.SOURCE, kernels.SOURCE], ids=["model", "kernels"])
@pytest.mark.parametrize("target", TARGETS.get(platform.machine(), ()))
def test_every_source_compiles(folder: Path, target: str, checkpoint: Callable[..., Checkpoint]) -> None:
    compiler = find_compiler()
    general = [flag for flag in flags() if not flag.startswith(("-march", "-mcpu"))] + [f"-march={target}"]
    try:
        run([*compiler.command, *general, "-fsyntax-only", "-x", "c++", "/dev/null"])
    except BuildError as unknown:
        pytest.skip(f"this compiler does not know {target}: {unknown}")
    options = build.shape_options(checkpoint("llama").config)
    for source in source_files(folder):
        if source.suffix == ".cpp":
            run([*compiler.command, *general, *options, "-fsyntax-only", str(source)])
