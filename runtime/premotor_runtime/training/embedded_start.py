"""What training starts from: fresh weights, or a checkpoint that an earlier run has left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import named_views
from premotor_runtime.models.safetensors_file import SafetensorsFile
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.training.embedded_model import EMBEDDING, Parameters, embedded_config, new_parameters


@dataclass
class Progress:
    """What has been seen so far, earlier runs included; `loss` is a running mean of the present one."""

    steps: int = 0
    tokens: int = 0
    questions: int = 0
    loss: float = float("nan")


@dataclass(frozen=True)
class Start:
    """Weights (leaves that require gradients), the tokenizer they belong to, and what they have seen."""

    config: ModelConfig
    tokenizer: Tokenizer
    parameters: Parameters
    progress: Progress


def fresh_start(tokenizer_json: str, seed: int) -> Start:
    """New weights from `seed` for the embedded model's shape. Raises CheckpointError for an unusable tokenizer."""
    tokenizer = Tokenizer(tokenizer_json, Path("tokenizer.json"), bos_token_id=0, eos_token_ids=(1,))
    config = embedded_config(tokenizer.vocab_size)
    return Start(config, tokenizer, new_parameters(config, torch.Generator().manual_seed(seed)), Progress())


def continued_start(folder: Path) -> Start:
    """The weights in `folder`; optimizer state is not kept. Raises CheckpointError for what cannot be trained here."""
    checkpoint = load_hf(folder)
    config = checkpoint.config
    if config.architecture != "llama" or config.rope_scaling or not config.tie_word_embeddings:
        raise CheckpointError(folder, "it is not a Llama with plain rope and tied embeddings", "start afresh")
    weights = {EMBEDDING: checkpoint.embedding.rows(slice(None)), **named_views(checkpoint.flat, config)}
    parameters = {name: torch.tensor(weight).requires_grad_() for name, weight in weights.items()}
    tokenizer = Tokenizer(checkpoint.tokenizer_json, folder, config.bos_token_id, config.eos_token_ids)
    return Start(config, tokenizer, parameters, _seen(folder))


def _seen(folder: Path) -> Progress:
    note = SafetensorsFile(folder / "model.safetensors").metadata
    steps, tokens, questions = (int(note.get(key, "0")) for key in ("steps", "tokens", "questions"))
    return Progress(steps, tokens, questions)
