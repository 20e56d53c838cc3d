"""From a name, folder or file to a model that is ready to run."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from premotor_foundation.cache_folder import sha256_of
from premotor_runtime.engine.kv.memory import PoolSize
from premotor_runtime.models.adapter import AdapterInfo, LoraAdapter, merge
from premotor_runtime.models.adapter_file import read_adapter
from premotor_runtime.models.chat_template import ChatTemplate
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_cache import load_gguf
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.pretrained_package import pretrained_gguf
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import ModelRunner, RunnerMemory
from premotor_runtime.runners.reference import ReferenceRunner

PRETRAINED = "gemma3-270m"
DEFAULT_BLOCKS = 256


class MakeRunner(Protocol):
    """Builds a runner for a checkpoint, with the adapters that requests may choose."""

    def __call__(
        self, checkpoint: Checkpoint, num_blocks: int, block_size: int, adapters: Mapping[str, LoraAdapter]
    ) -> ModelRunner:
        """The runner, with room for `num_blocks * block_size` positions."""
        ...


@runtime_checkable
class KeepsWeights(Protocol):
    """A `MakeRunner` that keeps weights in a form of its own, by the checkpoint's `sha256` (with merged adapter)."""

    def kept(
        self, checkpoint: Checkpoint, num_blocks: int, block_size: int, adapters: Mapping[str, LoraAdapter]
    ) -> ModelRunner | None:
        """The runner, where an earlier start kept its weights, so that nothing need be merged; else None."""
        ...


@runtime_checkable
class StatesMemory(Protocol):
    """A `MakeRunner` that says what its runner will take, before it takes it; a `PoolSize` needs one."""

    def memory(self, checkpoint: Checkpoint, block_size: int) -> RunnerMemory:
        """Sizes of the runner that would be made, and the memory available to it now."""
        ...


@dataclass(frozen=True)
class LoadedModel:
    """A runner with its tokenizer. `salt` tells models and merged adapters apart in the prefix cache.

    `adapter` is the merged one, `adapters` those kept apart, by the name that a request gives.
    """

    name: str
    runner: ModelRunner
    tokenizer: Tokenizer
    eos_token_ids: tuple[int, ...]
    salt: str
    adapter: AdapterInfo | None
    chat_template: ChatTemplate | None = None
    adapters: Mapping[str, AdapterInfo] = field(default_factory=dict)


def load_model(
    spec: str | Path,
    adapter: Path | None = None,
    num_blocks: int | PoolSize = DEFAULT_BLOCKS,
    block_size: int = 16,
    adapters: Mapping[str, Path] | None = None,
    make_runner: MakeRunner = ReferenceRunner,
) -> LoadedModel:
    """Load `gemma3-270m` (the Python package), a Hugging Face folder, or a `.gguf` file.

    `adapter` is merged into the weights; `adapters` (name to file or PEFT folder) are kept apart, and are differences
    from the merged weights. `num_blocks * block_size` positions of keys and values are set aside; a `PoolSize` is
    turned into blocks by what the runner and this machine say. Raises CheckpointError (AdapterError for adapters)
    naming the file and the remedy, KVMemoryError.
    """
    checkpoint = load_checkpoint(spec)
    config = checkpoint.config
    blocks = _blocks(num_blocks, checkpoint, block_size, make_runner)
    merged = None if adapter is None else read_adapter(adapter, config, checkpoint.sha256)
    apart = {name: read_adapter(path, config, checkpoint.sha256) for name, path in (adapters or {}).items()}
    salt = f"{checkpoint.sha256}+{'' if adapter is None else _digest(adapter)}"
    named = dataclasses.replace(checkpoint, sha256=salt)
    kept = make_runner.kept(named, blocks, block_size, apart) if isinstance(make_runner, KeepsWeights) else None
    if kept is None and merged is not None:
        merge(merged, checkpoint.flat, config)
    return LoadedModel(
        name=str(spec) if adapter is None else f"{spec}+{adapter.stem}",
        runner=kept or make_runner(named, blocks, block_size, apart),
        tokenizer=Tokenizer(checkpoint.tokenizer_json, checkpoint.path, config.bos_token_id, config.eos_token_ids),
        eos_token_ids=config.eos_token_ids,
        salt=salt,
        adapter=None if merged is None else merged.info,
        chat_template=checkpoint.chat_template,
        adapters={name: each.info for name, each in apart.items()},
    )


def _blocks(wanted: int | PoolSize, checkpoint: Checkpoint, block_size: int, make_runner: MakeRunner) -> int:
    if isinstance(wanted, int):
        return wanted
    if not isinstance(make_runner, StatesMemory):
        raise TypeError(f"{make_runner} does not say what it takes; give the number of blocks")
    return wanted.blocks(make_runner.memory(checkpoint, block_size), block_size)


def load_checkpoint(spec: str | Path) -> Checkpoint:
    """The checkpoint that `spec` names. Raises CheckpointError."""
    if str(spec) == PRETRAINED:
        return load_gguf(pretrained_gguf())
    path = Path(spec)
    if path.suffix == ".gguf":
        return load_gguf(path)
    if path.is_dir():
        return load_hf(path)
    remedy = f"give `{PRETRAINED}`, a Hugging Face folder, or a .gguf file"
    raise CheckpointError(path, "no such model", remedy)


def _digest(adapter: Path) -> str:
    files = sorted(adapter.glob("adapter_*")) if adapter.is_dir() else [adapter]
    return hashlib.sha256("".join(sha256_of(file) for file in files).encode()).hexdigest()
