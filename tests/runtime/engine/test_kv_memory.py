"""The pool of keys and values is sized from what is available, and refused with the numbers."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from premotor_runtime.engine.errors import KVMemoryError
from premotor_runtime.engine.kv.memory import PoolSize, available_memory, kv_bytes, mem_available
from premotor_runtime.runners.paged_kv import PagedKV
from premotor_runtime.runners.protocol import RunnerMemory

MIB = 2**20
BLOCK = 2 * 3 * 2 * 8 * 16 * 4


@pytest.fixture
def config(make_checkpoint: Any) -> Any:
    return dataclasses.replace(make_checkpoint("llama").config, max_position_embeddings=4096)


def test_bytes_follow_the_formula(config: Any) -> None:
    assert kv_bytes(config, 16, 4) == BLOCK == PagedKV.block_bytes(config, 16)
    assert kv_bytes(config, 16, 2) == BLOCK // 2


def test_a_pool_in_bytes_or_from_what_is_available() -> None:
    assert PoolSize(10 * BLOCK + 5).blocks(RunnerMemory(BLOCK, 0, 900 * MIB), 16) == 10
    assert PoolSize(10 * BLOCK + 5, most_tokens=16).blocks(RunnerMemory(BLOCK, 0, 900 * MIB), 16) == 10
    assert PoolSize(margin_bytes=40 * BLOCK).blocks(RunnerMemory(BLOCK, 25 * BLOCK + 1, 100 * BLOCK), 16) == 34
    assert PoolSize(most_tokens=1000).blocks(RunnerMemory(BLOCK, 0, 10**12), 16) == 63
    assert PoolSize(BLOCK, margin_bytes=0).blocks(RunnerMemory(BLOCK, 0, BLOCK), 16) == 1


def test_the_memory_of_this_machine_stands_for_none() -> None:
    assert PoolSize(BLOCK, margin_bytes=0).blocks(RunnerMemory(BLOCK, 0), 16) == 1
    with pytest.raises(KVMemoryError, match="at most 0\\.0 MiB"):
        PoolSize(BLOCK).blocks(RunnerMemory(BLOCK, 2**60), 16)


def test_too_little_is_refused_with_the_numbers() -> None:
    numbers = r"500\.0 MiB were .* 900\.0 MiB are available, .* 100\.0 MiB and 512\.0 MiB stay free.* most 288\.0 MiB"
    with pytest.raises(KVMemoryError, match=numbers):
        PoolSize(500 * MIB).blocks(RunnerMemory(BLOCK, 100 * MIB, 900 * MIB), 16)
    for pool in (PoolSize(), PoolSize(0, margin_bytes=0)):
        with pytest.raises(KVMemoryError, match=r"16 positions at least .* room for 0\.0 MiB: .*free memory") as caught:
            pool.blocks(RunnerMemory(BLOCK, 0, 100 * MIB), 16)
        assert caught.value.exit_code == 3
    with pytest.raises(KVMemoryError, match="512 positions at least take 8"):
        PoolSize(31 * MIB // 4, least_tokens=500).blocks(RunnerMemory(MIB // 4, 0, 900 * MIB), 16)


def test_page_cache_counts_as_available() -> None:
    text = "MemTotal:       8000000 kB\nMemFree:         100000 kB\nMemAvailable:   6000000 kB\nCached: 5900000 kB\n"
    assert mem_available(text) == 6_000_000 * 1024
    with pytest.raises(KVMemoryError, match="give the memory"):
        mem_available("MemTotal: 8 kB\n")
    assert available_memory() > 0
