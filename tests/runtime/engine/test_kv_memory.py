"""The pool of keys and values is sized from what is available, and refused with the numbers."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from premotor_runtime.engine.errors import KVMemoryError
from premotor_runtime.engine.memory import available_memory, kv_bytes, mem_available, pool_blocks
from premotor_runtime.runners.paged_kv import PagedKV

MIB = 2**20


@pytest.fixture
def config(make_checkpoint: Any) -> Any:
    return dataclasses.replace(make_checkpoint("llama").config, max_position_embeddings=4096)


def test_bytes_follow_the_formula(config: Any) -> None:
    assert kv_bytes(config, 16, 4) == 2 * 3 * 2 * 8 * 16 * 4 == PagedKV.block_bytes(config, 16)
    assert kv_bytes(config, 16, 2) == 2 * 3 * 2 * 8 * 16 * 2


def test_a_pool_in_bytes_or_from_what_is_available(config: Any) -> None:
    block = kv_bytes(config, 16, 4)
    assert pool_blocks(config, 16, 4, 900 * MIB, kv_memory_bytes=10 * block + 5) == 10
    assert pool_blocks(config, 16, 4, 100 * block, margin_bytes=40 * block) == 60
    assert pool_blocks(config, 16, 4, 10**12, max_num_seqs=3) == 3 * 4096 // 16


def test_too_little_is_refused_with_the_numbers(config: Any) -> None:
    with pytest.raises(KVMemoryError, match=r"500\.0 MiB were .* 900\.0 MiB are available.*512\.0 MiB.*388\.0 MiB"):
        pool_blocks(config, 16, 4, 900 * MIB, kv_memory_bytes=500 * MIB)
    with pytest.raises(KVMemoryError, match=r"6144 bytes and there is room for 0 .*free memory") as caught:
        pool_blocks(config, 16, 4, 100 * MIB)
    assert caught.value.exit_code == 3


def test_page_cache_counts_as_available() -> None:
    text = "MemTotal:       8000000 kB\nMemFree:         100000 kB\nMemAvailable:   6000000 kB\nCached: 5900000 kB\n"
    assert mem_available(text) == 6_000_000 * 1024
    with pytest.raises(KVMemoryError, match="give the memory"):
        mem_available("MemTotal: 8 kB\n")
    assert available_memory() > 0
