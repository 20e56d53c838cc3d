from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from premotor_accelerators.devices import cpu
from premotor_accelerators.devices.cpu import CpuDevice
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.native.library import KernelLibrary, build_kernels, kernel_library


def test_the_library_says_what_it_was_compiled_for_and_is_loaded_once(needs_compiler: None) -> None:
    library = kernel_library()
    assert library.instruction_set in ("avx512", "avx2", "sse2", "neon", "portable")
    assert kernel_library() is library and build_kernels() == library.path
    assert CostToGo(8, 8).native().description == f"native ({library.instruction_set})"


def test_a_function_that_is_not_there_is_a_build_error(needs_compiler: None) -> None:
    with pytest.raises(BuildError, match=r"no_such.*delete it"):
        kernel_library().function("no_such", ctypes.c_int, ())


def test_a_file_that_is_no_library_is_a_build_error(tmp_path: Path) -> None:
    (tmp_path / "lib.so").write_bytes(b"\x7fELF" + b"\0" * 100)
    with pytest.raises(BuildError, match=r"cannot be loaded.*delete it"):
        KernelLibrary(tmp_path / "lib.so")


def test_without_a_compiler_the_device_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cpu, "_warned", set())
    kernel_library.cache_clear()
    executable = CpuDevice().compile(CostToGo(8, 8, 2))
    assert executable.implementation.startswith("onnxruntime: no C++ compiler") and "install g++" in caplog.text
    kernel_library.cache_clear()
