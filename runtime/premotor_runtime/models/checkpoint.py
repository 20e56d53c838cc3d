"""What every loader returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from premotor_runtime.models.chat_template import ChatTemplate
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import EmbeddingTable
from premotor_runtime.models.packed import Floats


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint.

    `flat` holds the layers (see `packed`), is writable (an adapter is added in place) and private to the process.
    `head` turns hidden states into logits and is `embedding` itself where the two are tied. `sha256` identifies the
    weights: of the file, or of the shards' digests. `chat_template` is None where the checkpoint brings none.
    """

    path: Path
    sha256: str
    config: ModelConfig
    flat: Floats
    embedding: EmbeddingTable
    head: EmbeddingTable
    tokenizer_json: str
    chat_template: ChatTemplate | None = None
