"""How many blocks of keys and values there is memory for, decided before anything is set aside.

Memory that the page cache uses counts as available, since the kernel gives it back on demand: MemAvailable, not
MemFree. On boards whose GPU shares the memory, a share of the total would promise what other processes hold already.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from premotor_runtime.engine.errors import KVMemoryError
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.protocol import RunnerMemory

DEFAULT_MARGIN_BYTES = 512 * 2**20
_MIB = 2**20


def kv_bytes(config: ModelConfig, tokens: int, element_bytes: int) -> int:
    """Memory of `tokens` positions: 2 x layers x kv heads x head size x positions x bytes of an element."""
    return 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * tokens * element_bytes


@dataclass(frozen=True)
class PoolSize:
    """How large a pool of keys and values is wanted.

    `kv_cache_bytes` None: computed, what is available less the weights and `margin_bytes`, at most `most_tokens`
    positions. Either way at least `least_tokens`, or the pool is refused.
    """

    kv_cache_bytes: int | None = None
    most_tokens: int = 4096
    least_tokens: int = 1
    margin_bytes: int = DEFAULT_MARGIN_BYTES

    def blocks(self, memory: RunnerMemory, block_size: int) -> int:
        """The number of blocks. Raises KVMemoryError, with the numbers, when they do not fit or are too few."""
        available = available_memory() if memory.available_bytes is None else memory.available_bytes
        room = available - memory.weight_bytes - self.margin_bytes
        sizes = (
            f"{_mib(available)} are available, the weights take {_mib(memory.weight_bytes)} and "
            f"{_mib(self.margin_bytes)} stay free, so at most {_mib(max(0, room))} can be had"
        )
        asked = self.kv_cache_bytes
        if asked is not None and asked > room:
            raise KVMemoryError(
                f"{_mib(asked)} were asked for keys and values; {sizes}; "
                "ask for less, free memory, or choose a smaller model or margin"
            )
        if asked is None:
            asked = min(room, -(-self.most_tokens // block_size) * memory.block_bytes)
        least = -(-self.least_tokens // block_size)
        if asked < least * memory.block_bytes:
            raise KVMemoryError(
                f"{least * block_size} positions at least take {_mib(least * memory.block_bytes)} of keys and "
                f"values, and there is room for {_mib(max(0, asked))}: {sizes}; "
                "give more, free memory, or choose a smaller model or margin"
            )
        return asked // memory.block_bytes


def available_memory() -> int:
    """Bytes that can be had now without swapping, the limits of this process' control group included."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    limits = [_group_room(folder) for folder in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory"))]
    return min([mem_available(meminfo.read_text()), *(room for room in limits if room is not None)])


def mem_available(meminfo: str) -> int:
    """MemAvailable in bytes, from the text of /proc/meminfo. Raises KVMemoryError when it is not there."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", meminfo, re.MULTILINE)
    if found is None:
        raise KVMemoryError("/proc/meminfo has no MemAvailable; give the memory for keys and values in bytes")
    return int(found[1]) * 1024


def _group_room(folder: Path) -> int | None:
    """What a control group (version 2, then 1) may still take; its inactive page cache counts as free."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        try:
            allowed, taken = (folder / limit).read_text().strip(), int((folder / used).read_text())
            inactive = re.search(r"^(?:total_)?inactive_file (\d+)", (folder / "memory.stat").read_text(), re.MULTILINE)
        except (OSError, ValueError):
            continue
        if allowed.isdecimal():
            return max(0, int(allowed) - taken + (int(inactive[1]) if inactive else 0))
    return None


def _mib(count: int) -> str:
    return f"{count / _MIB:.1f} MiB"
