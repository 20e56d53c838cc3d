"""A tokenizer that names only tokens which its model has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import CheckpointError

_REMEDY = "use tokenizer and weights of one checkpoint"


def fitting_tokenizer(text: str, path: Path, config: ModelConfig) -> str:
    """`text` (a `tokenizer.json`) without added tokens beyond the model's vocabulary, else unchanged.

    Such tokens exist where a text model shares the tokenizer of a larger one (Gemma 3's image token); a model may well
    have more rows than its tokenizer has tokens (padding). Raises CheckpointError when the learned vocabulary itself
    goes beyond, or when the model's first or last token does; ValueError for text that is not JSON.
    """
    given = json.loads(text)
    if not isinstance(given, dict):
        raise ValueError("it holds no object")
    size = config.vocab_size
    special = (*config.eos_token_ids, *(() if config.bos_token_id is None else (config.bos_token_id,)))
    if beyond := [token for token in special if not 0 <= token < size]:
        problem = f"the model's configuration names token {beyond[0]}, its vocabulary has {size}"
        raise CheckpointError(path.parent, problem, _REMEDY)
    if (last := _last_learned(given)) >= size:
        problem = f"the tokenizer's vocabulary goes up to token {last}, the model has {size} tokens"
        raise CheckpointError(path, problem, _REMEDY)
    added = given.get("added_tokens") or []
    fitting = [token for token in added if int(token["id"]) < size]
    return text if len(fitting) == len(added) else json.dumps(given | {"added_tokens": fitting})


def _last_learned(given: dict[str, Any]) -> int:
    model = given.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        return max((int(token) for token in vocabulary.values()), default=-1)
    return len(vocabulary) - 1 if isinstance(vocabulary, list) else -1
