"""What the native runner says that it will take is what it takes, before it takes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native.build import build
from premotor_runtime.runners.native.choice import RunnerChoice
from premotor_runtime.runners.native.errors import NativeOptionError
from premotor_runtime.runners.native.layout import block_bytes, packed_layout
from premotor_runtime.runners.native.library import Library
from premotor_runtime.runners.protocol import RunnerMemory

Make = Callable[..., Checkpoint]
MODELS = pytest.mark.parametrize("model", ["llama", "gemma3", "qwen"])


@MODELS
@pytest.mark.parametrize("precision", ["f32", "bf16", "int8", "int4"])
def test_weights_take_what_is_said_and_padding(checkpoint: Make, model: str, precision: str) -> None:
    made = checkpoint(model)
    said = RunnerChoice("native", precision).memory(made, 16)
    size = packed_layout(made.config, precision, Library(build(made.config))).size
    assert 0.5 * size < said.weight_bytes <= size  # rows of 40 padded to 64 in the smallest of these models
    assert said.available_bytes is None


@pytest.mark.parametrize(("block_size", "positions"), [(16, 16), (64, 64), (24, 48), (4, 16), (1, 16)])
def test_a_block_takes_whole_tiles_of_padded_heads(checkpoint: Make, block_size: int, positions: int) -> None:
    config = checkpoint("gemma3").config
    assert block_bytes(config, block_size, "f32") == 3 * 1 * positions * (20 + 32) * 4
    assert block_bytes(config, block_size, "int8") == block_bytes(config, block_size, "f32") // 2


def test_without_a_compiler_the_sizes_are_those_of_the_runner_that_takes_its_place(
    checkpoint: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = checkpoint("llama")
    monkeypatch.setenv("CXX", "no-such-compiler")
    reference = RunnerChoice("reference").memory(made, 16)
    assert reference == RunnerMemory(3 * 2 * 16 * 16 * 2 * 4, 0)
    assert RunnerChoice("auto", folder=tmp_path).memory(made, 16) == reference
    assert RunnerChoice("native", folder=tmp_path).memory(made, 16).block_bytes == reference.block_bytes // 2


def test_a_bad_option_is_told_before_sizes_are(checkpoint: Make) -> None:
    with pytest.raises(NativeOptionError, match="int7"):
        RunnerChoice("native", "int7").memory(checkpoint("llama"), 16)
