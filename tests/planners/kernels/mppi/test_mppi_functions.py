"""The polynomials of the native version against their stated errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest

from premotor_foundation.native_code.errors import BuildError
from premotor_planners.kernels.native.library import KernelLibrary, kernel_library, pointer


@pytest.fixture(scope="module")
def library() -> Iterator[KernelLibrary]:
    try:
        yield kernel_library()
    except BuildError as error:
        pytest.skip(f"no native version here: {error}")


@pytest.mark.parametrize("most", [0.8, 4.0, 100.0, 6000.0])
def test_sine_and_cosine(library: KernelLibrary, most: float) -> None:
    call = library.function("mppi_sine_cosine", None, [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p])
    angles = np.linspace(-most, most, 1 << 18).astype(np.float32)
    sine, cosine = np.empty_like(angles), np.empty_like(angles)
    call(pointer(angles), len(angles), pointer(sine), pointer(cosine))
    exact = angles.astype(np.float64)
    assert np.abs(sine - np.sin(exact)).max() < 1.5e-7
    assert np.abs(cosine - np.cos(exact)).max() < 1.5e-7


def test_sine_and_cosine_stay_bounded_where_no_heading_is(library: KernelLibrary) -> None:
    call = library.function("mppi_sine_cosine", None, [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p])
    angles = np.linspace(-4e6, 4e6, 1 << 10).astype(np.float32)
    sine, cosine = np.empty_like(angles), np.empty_like(angles)
    call(pointer(angles), len(angles), pointer(sine), pointer(cosine))
    assert np.isfinite(sine).all() and np.isfinite(cosine).all()


def exponential(library: KernelLibrary, powers: np.ndarray[tuple[int], np.dtype[np.float32]]) -> np.ndarray:
    values = np.empty_like(powers)
    call = library.function("mppi_exponential", None, [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p])
    call(pointer(powers), len(powers), pointer(values))
    return values


def test_exponential(library: KernelLibrary) -> None:
    powers = np.linspace(-80, 0, 1 << 18).astype(np.float32)
    exact = np.exp(powers.astype(np.float64))
    assert (np.abs(exponential(library, powers) - exact) / exact).max() < 3e-7


def test_exponential_of_the_best_is_one_and_of_the_hopeless_exactly_zero(library: KernelLibrary) -> None:
    assert (exponential(library, np.zeros(16, np.float32)) == 1.0).all()
    assert (exponential(library, np.tile(np.float32([-80.1, -1e9, -3e38, -np.inf]), 4)) == 0.0).all()
