"""Which runner runs a model: the native one where it can be built, else the reference, said aloud once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.native.build import build
from premotor_runtime.runners.native.layout import block_bytes, weight_bytes
from premotor_runtime.runners.native.runner import NativeRunner, check_options, weights_are_kept
from premotor_runtime.runners.protocol import ModelRunner, RunnerMemory
from premotor_runtime.runners.reference import ReferenceRunner
from premotor_runtime.runners.torch import TorchSettings, torch_memory, torch_runner

RunnerName = Literal["auto", "native", "reference", "torch"]
_log = logging.getLogger(__name__)
_warned: set[str] = set()


@dataclass(frozen=True)
class Chosen:
    """The latest choice in this process; `reason` says why it is not the native runner, empty where it is."""

    runner: str
    reason: str = ""
    detail: str = ""

    def __str__(self) -> str:
        """For people: `native (avx2, int8, 2 threads)`."""
        return self.runner if self.runner == "reference" else f"{self.runner} ({self.detail})"


_chosen: list[Chosen] = []


def latest_choice() -> Chosen | None:
    """What was chosen last in this process, for `doctor` and results; None before the first model."""
    return _chosen[-1] if _chosen else None


@dataclass(frozen=True)
class RunnerChoice:
    """Makes runners for `load_model`.

    `auto` takes the native runner where it can be built and the reference otherwise, with one warning; `native`
    insists. `torch` takes the CUDA device, or what `torch_settings` say, and nothing else. The rest is for the native
    runner, see `NativeRunner`.
    """

    runner: RunnerName = "auto"
    precision: str = "int8"
    threads: int | None = None
    cores: tuple[int, ...] = ()
    folder: Path | None = None
    torch_settings: TorchSettings = field(default_factory=TorchSettings)

    def __call__(
        self, checkpoint: Checkpoint, num_blocks: int, block_size: int, adapters: Mapping[str, LoraAdapter]
    ) -> ModelRunner:
        """See `MakeRunner`. Raises BuildError where native is insisted on, NativeOptionError, TorchRunnerError."""
        if self.runner == "torch":
            made = torch_runner(checkpoint, num_blocks, block_size, adapters, self.torch_settings)
            _chosen.append(Chosen("torch", detail=f"{self.torch_settings.device}, {self.torch_settings.dtype}"))
            return made
        if self.runner == "reference":
            return self._reference(checkpoint, num_blocks, block_size, adapters, "it was asked for")
        try:
            return self._native(checkpoint, num_blocks, block_size, adapters)
        except BuildError as error:
            if self.runner == "native":
                raise
            _warn_once(f"the native runner cannot be built: {error}; the slower reference runner is used")
            return self._reference(checkpoint, num_blocks, block_size, adapters, str(error), error.output)

    def memory(self, checkpoint: Checkpoint, block_size: int) -> RunnerMemory:
        """See `StatesMemory`. Raises NativeOptionError, TorchRunnerError."""
        config = checkpoint.config
        if self.runner == "torch":
            return torch_memory(checkpoint, block_size, self.torch_settings)
        if self.runner == "reference" or not self._can_build(config):
            return ReferenceRunner.memory(checkpoint, block_size)
        check_options(self.precision, self.threads, self.cores)
        return RunnerMemory(block_bytes(config, block_size, self.precision), weight_bytes(config, self.precision))

    def _can_build(self, config: ModelConfig) -> bool:
        try:
            build(config, self.folder)
        except BuildError:
            return self.runner == "native"  # refused by the call that makes the runner
        return True

    def kept(
        self, checkpoint: Checkpoint, num_blocks: int, block_size: int, adapters: Mapping[str, LoraAdapter]
    ) -> ModelRunner | None:
        """See `KeepsWeights`."""
        if self.runner in ("reference", "torch"):
            return None
        try:
            known = weights_are_kept(checkpoint, self.precision, checkpoint.sha256, self.folder)
            return self._native(checkpoint, num_blocks, block_size, adapters) if known else None
        except BuildError:
            return None  # told by the call that follows

    def _native(
        self, checkpoint: Checkpoint, num_blocks: int, block_size: int, adapters: Mapping[str, LoraAdapter]
    ) -> ModelRunner:
        runner = NativeRunner(
            checkpoint,
            num_blocks,
            block_size,
            adapters,
            precision=self.precision,
            threads=self.threads,
            cores=self.cores,
            weights_key=checkpoint.sha256,
            folder=self.folder,
        )
        _chosen.append(Chosen("native", detail=f"{runner.instruction_set}, {self.precision}, {runner.threads} threads"))
        return runner

    def _reference(
        self,
        checkpoint: Checkpoint,
        num_blocks: int,
        block_size: int,
        adapters: Mapping[str, LoraAdapter],
        reason: str,
        detail: str = "",
    ) -> ModelRunner:
        _chosen.append(Chosen("reference", reason, detail))
        return ReferenceRunner(checkpoint, num_blocks, block_size, adapters)


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        _log.warning(message)
