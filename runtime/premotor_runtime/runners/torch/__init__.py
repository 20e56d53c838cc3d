"""The torch runner: CUDA through Triton kernels and CUDA graphs, and the same arithmetic on the CPU as a check.

Importing this package imports neither torch nor Triton; `torch_runner` does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.protocol import ModelRunner, RunnerMemory
from premotor_runtime.runners.torch.errors import MissingPackageError, TorchRunnerError
from premotor_runtime.runners.torch.settings import TorchSettings

__all__ = ["MissingPackageError", "TorchRunnerError", "TorchSettings", "torch_memory", "torch_runner"]


def torch_runner(
    checkpoint: Checkpoint,
    num_blocks: int,
    block_size: int = 16,
    adapters: Mapping[str, LoraAdapter] | None = None,
    settings: TorchSettings | None = None,
) -> ModelRunner:
    """A runner on `settings.device` (default `cuda`), with weights in `settings.dtype`.

    Raises TorchRunnerError: torch or Triton is missing, there is no such device, the installed torch cannot run on it,
    or its memory is too small. It never runs elsewhere, or in another precision, than it was asked to.
    """
    settings = settings or TorchSettings()
    _require("torch", "torch")
    if settings.uses_triton:
        _require("triton", "gpu")
    from premotor_runtime.runners.torch.runner import TorchRunner

    return TorchRunner(checkpoint, num_blocks, block_size, adapters, settings)


def torch_memory(checkpoint: Checkpoint, block_size: int, settings: TorchSettings | None = None) -> RunnerMemory:
    """What `torch_runner` would take and where, without adapters. Raises TorchRunnerError."""
    _require("torch", "torch")
    from premotor_runtime.runners.torch.runner import TorchRunner

    return TorchRunner.memory(checkpoint, block_size, settings or TorchSettings())


def _require(package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(package, extra)
