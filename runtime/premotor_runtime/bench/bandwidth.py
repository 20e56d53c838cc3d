"""How fast this machine reads memory: what batch-1 decode, which reads every weight once a token, is held against."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

_BYTES = 256 << 20
_SWEEPS = 5


def read_bandwidth(threads: int, size: int = _BYTES, sweeps: int = _SWEEPS) -> float:
    """Bytes a second, the best of `sweeps` passes of `threads` threads over `size` bytes of their own."""
    add = _adder()
    parts = [np.ones(size // 8 // threads, np.int64) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(add, parts))
        return max(_one_pass(pool, add, parts) for _ in range(sweeps))


def _one_pass(pool: ThreadPoolExecutor, add: Any, parts: list[Any]) -> float:
    began = time.perf_counter()
    list(pool.map(add, parts))
    return float(sum(part.nbytes for part in parts) / (time.perf_counter() - began))


def _adder() -> Any:
    import numba

    @numba.njit(nogil=True)  # type: ignore[untyped-decorator]
    def add(values: Any) -> Any:  # pragma: no cover - runs compiled
        total = 0
        for value in values:
            total += value
        return total

    return add
