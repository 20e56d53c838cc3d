"""From a name, folder or file to a model that is ready to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_runtime.models.adapter import AdapterInfo, merge_adapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_cache import load_gguf
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.pretrained_package import pretrained_gguf
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import ModelRunner
from premotor_runtime.runners.reference import ReferenceRunner

PRETRAINED = "gemma3-270m"
DEFAULT_BLOCKS = 256


@dataclass(frozen=True)
class LoadedModel:
    """A runner with its tokenizer. `salt` tells models and adapters apart in the prefix cache."""

    name: str
    runner: ModelRunner
    tokenizer: Tokenizer
    eos_token_ids: tuple[int, ...]
    salt: str
    adapter: AdapterInfo | None


def load_model(
    spec: str | Path, adapter: Path | None = None, num_blocks: int = DEFAULT_BLOCKS, block_size: int = 16
) -> LoadedModel:
    """Load `gemma3-270m` (the Python package), a Hugging Face folder, or a `.gguf` file, and merge `adapter` into it.

    `num_blocks * block_size` positions of keys and values are set aside. Raises CheckpointError (AdapterError for the
    adapter) naming the file and the remedy.
    """
    checkpoint = load_checkpoint(spec)
    info = None
    if adapter is not None:
        info = merge_adapter(checkpoint.flat, checkpoint.config, checkpoint.sha256, adapter)
    config = checkpoint.config
    tokenizer = Tokenizer(checkpoint.tokenizer_json, checkpoint.path, config.bos_token_id, config.eos_token_ids)
    name = str(spec) if adapter is None else f"{spec}+{adapter.stem}"
    salt = f"{checkpoint.sha256}+{adapter}"
    runner = ReferenceRunner(checkpoint, num_blocks, block_size)
    return LoadedModel(name, runner, tokenizer, config.eos_token_ids, salt, info)


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
