"""The planner's pool of keys and values: in bytes, or computed from what this machine has, or refused early."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from premotor_foundation import strict_yaml
from premotor_foundation.errors import ConfigError
from premotor_runtime.app.checkpoints import load_planner
from premotor_runtime.app.settings import PlannerSettings, load_settings
from premotor_runtime.engine.errors import KVMemoryError
from premotor_runtime.engine.kv import memory
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.paged_kv import PagedKV

SMALL = PlannerSettings(model="embedded", runner="reference")
MIB = 2**20


def _pool(settings: PlannerSettings) -> tuple[int, ModelConfig]:
    runner = load_planner(settings).loaded.runner
    return runner.num_blocks, runner.config


def test_a_pool_given_in_bytes() -> None:
    blocks, config = _pool(dataclasses.replace(SMALL, kv_cache_bytes=20 * MIB))
    assert blocks == 20 * MIB // PagedKV.block_bytes(config, 16)


def test_a_computed_pool_holds_the_most_positions_or_what_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks, config = _pool(SMALL)
    assert blocks == 4096 // 16
    one = PagedKV.block_bytes(config, 16)
    monkeypatch.setattr(memory, "available_memory", lambda: 512 * MIB + 100 * one)
    assert _pool(SMALL)[0] == 100
    assert _pool(dataclasses.replace(SMALL, memory_margin_bytes=512 * MIB + 60 * one))[0] == 40


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, r"512 positions at least take .* 600\.0 MiB are available, .* and 599\.0 MiB stay free"),
        ({"kv_cache_bytes": 1000}, "512 positions at least"),
        ({"kv_cache_bytes": 700 * MIB}, r"700\.0 MiB were asked for keys and values; 600\.0 MiB are available"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_numbers(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], reason: str
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 600 * MIB)
    settings = dataclasses.replace(SMALL, memory_margin_bytes=599 * MIB, **changes)
    with pytest.raises(KVMemoryError, match=reason) as caught:
        load_planner(settings)
    assert caught.value.exit_code == 3


def test_the_keys_of_a_configuration() -> None:
    laptop = load_settings(Path(__file__).parents[2] / "configs" / "laptop.yaml").planner
    assert (laptop.kv_cache_bytes, laptop.kv_tokens, laptop.memory_margin_bytes) == (None, 4096, 512 * MIB)
    given = strict_yaml.parse("kv_cache_bytes: 104857600\nmemory_margin_bytes: 0", PlannerSettings)
    assert (given.kv_cache_bytes, given.memory_margin_bytes) == (100 * MIB, 0)
    for wrong in ("kv_cache_bytes: 0", "kv_cache_bytes: 1 GiB", "memory_margin_bytes: -1", "kv_tokens: null"):
        with pytest.raises(ConfigError, match=wrong.split(":")[0]):
            strict_yaml.parse(wrong, PlannerSettings)
