"""What forced tokens save: plan requests answered with and without jumping over what the grammar decides alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from premotor_planners.task.language_model import Generation
from premotor_runtime.app.language_model import EngineLanguageModel
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.models.registry import LoadedModel

DRAFT_TOKENS = 3
"""Guesses a pass in the measurement with drafts."""


@dataclass(frozen=True)
class Asked:
    """One call of the language model, to be repeated."""

    blocks: tuple[str, ...]
    grammar: str
    max_tokens: int


class Listening:
    """A language model that keeps what it is asked; see `LanguageModel`."""

    def __init__(self, model: EngineLanguageModel) -> None:
        self._model = model
        self.asked: list[Asked] = []

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
        """As the model answers."""
        self.asked.append(Asked(tuple(blocks), grammar, max_tokens))
        return self._model.generate(blocks, grammar, max_tokens)


def jump_forward(loaded: LoadedModel, asked: Sequence[Asked]) -> dict[str, Any]:
    """The distinct requests answered plainly, with jumps, and with guesses checked several at a time as well.

    Each with the catalogue in the cache; `saved` and `saved_drafting` are shares of the plain passes.
    """
    engine = Engine(loaded.runner, loaded.tokenizer, MonotonicClock().now, loaded.salt)
    distinct = list(dict.fromkeys(asked))
    passes, equal = dict.fromkeys(_WAYS, 0), True
    for number, each in enumerate(distinct):
        prompt = tuple(loaded.tokenizer.encode_blocks(each.blocks))
        plain = Request(f"jump-{number}", prompt, each.max_tokens, each.grammar)
        complete(engine, replace(plain, request_id=f"warm-{number}", max_tokens=1), StepBudget())
        texts = set()
        for name, way in _WAYS.items():
            output = complete(engine, replace(plain, request_id=f"{name}-{number}", **way), StepBudget())
            passes[name] += output.forward_passes
            texts.add(output.token_ids)
        equal = equal and len(texts) == 1
    without = passes["plain"]
    saved = {name: round(1.0 - count / without, 4) if without else 0.0 for name, count in passes.items()}
    return {
        "requests": len(distinct), "passes": passes["jumps"], "passes_drafting": passes["drafts"],
        "passes_without": without, "saved": saved["jumps"], "saved_drafting": saved["drafts"], "same_output": equal,
    }  # fmt: skip


_WAYS: dict[str, dict[str, Any]] = {
    "plain": {"jump_forward": False},
    "jumps": {},
    "drafts": {"draft_tokens": DRAFT_TOKENS},
}
