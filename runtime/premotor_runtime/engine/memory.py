"""How many blocks of keys and values there is memory for, decided before anything is set aside.

Memory that the page cache uses counts as available, since the kernel gives it back on demand: MemAvailable, not
MemFree. On boards whose GPU shares the memory, a share of the total would promise what other processes hold already.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from premotor_runtime.engine.errors import KVMemoryError
from premotor_runtime.models.config import ModelConfig

DEFAULT_MARGIN_BYTES = 512 * 2**20
_MIB = 2**20


def kv_bytes(config: ModelConfig, tokens: int, element_bytes: int) -> int:
    """Memory of `tokens` positions: 2 x layers x kv heads x head size x positions x bytes of an element."""
    return 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * tokens * element_bytes


def pool_blocks(
    config: ModelConfig,
    block_size: int,
    element_bytes: int,
    available_bytes: int,
    kv_memory_bytes: int | None = None,
    margin_bytes: int = DEFAULT_MARGIN_BYTES,
    max_num_seqs: int = 8,
) -> int:
    """The number of blocks for a pool of `kv_memory_bytes`, or of what is available less the margin.

    A computed pool is never larger than `max_num_seqs` whole contexts. `available_bytes` is what is left once the
    weights are loaded. Raises KVMemoryError, with the numbers, when the pool does not fit or would not hold one block.
    """
    block = kv_bytes(config, block_size, element_bytes)
    room = available_bytes - margin_bytes
    if kv_memory_bytes is None:
        enough = max_num_seqs * -(-config.max_position_embeddings // block_size) * block
        asked = min(room, enough)
    else:
        asked = kv_memory_bytes
        if asked > room:
            raise KVMemoryError(
                f"{_mib(asked)} were asked for keys and values; {_mib(available_bytes)} are available, of which "
                f"{_mib(margin_bytes)} stay free, so at most {_mib(max(0, room))} can be had; "
                "ask for less, or free memory"
            )
    if asked < block:
        raise KVMemoryError(
            f"one block of {block_size} positions takes {block} bytes and there is room for {max(0, asked)} "
            f"({_mib(available_bytes)} available, {_mib(margin_bytes)} of it stay free); "
            "free memory, choose a smaller margin or a smaller model"
        )
    return asked // block


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
        if allowed.isdigit():
            return max(0, int(allowed) - taken + (int(inactive[1]) if inactive else 0))
    return None


def _mib(count: int) -> str:
    return f"{count / _MIB:.1f} MiB"
