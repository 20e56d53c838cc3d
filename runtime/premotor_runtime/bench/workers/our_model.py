"""A model with the runner that is to be measured."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from premotor_runtime.models.registry import LoadedModel, load_model
from premotor_runtime.runners.native.choice import RunnerChoice, RunnerName
from premotor_runtime.runners.native.runner import NativeRunner

_BLOCK_SIZE = 16


def open_model(path: Path, runner: RunnerName, precision: str, threads: int, tokens: int) -> LoadedModel:
    """Load `path` with room for `tokens` positions. The reference runner computes in float32 whatever `precision` is.

    Raises CheckpointError, BuildError, and NativeOptionError for a precision or a number of threads.
    """
    make = RunnerChoice(runner, precision, threads)
    return load_model(path, None, -(-tokens // _BLOCK_SIZE), _BLOCK_SIZE, make_runner=make)


def described(model: LoadedModel) -> dict[str, Any]:
    """Version, what the runner was compiled for, and what a decoded token has to read: weights, and each position."""
    runner, config = model.runner, model.runner.config
    answer: dict[str, Any] = {"version": version("premotor"), "detail": "reference runner", "ways": {}}
    if isinstance(runner, NativeRunner):
        element = 4 if runner.precision == "f32" else 2
        answer |= {
            "detail": f"native runner, {runner.instruction_set}",
            "weight_bytes": runner.weight_bytes,
            "kv_bytes": 2 * config.num_hidden_layers * config.kv_size * element,
        }
    return answer
