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
    """The distinct requests, answered with jumps and without, each with the catalogue in the cache."""
    engine = Engine(loaded.runner, loaded.tokenizer, MonotonicClock().now, loaded.salt)
    distinct = list(dict.fromkeys(asked))
    passes, equal = {True: 0, False: 0}, True
    for number, each in enumerate(distinct):
        prompt = tuple(loaded.tokenizer.encode_blocks(each.blocks))
        with_jumps = Request(f"jump-{number}", prompt, each.max_tokens, each.grammar)
        complete(engine, replace(with_jumps, request_id=f"warm-{number}", max_tokens=1), StepBudget())
        outputs = {
            jumps: complete(
                engine, replace(with_jumps, request_id=f"{jumps}-{number}", jump_forward=jumps), StepBudget()
            )
            for jumps in passes
        }
        for jumps, output in outputs.items():
            passes[jumps] += output.forward_passes
        equal = equal and outputs[True].token_ids == outputs[False].token_ids
    saved = 1.0 - passes[True] / passes[False] if passes[False] else 0.0
    return {
        "requests": len(distinct), "passes": passes[True], "passes_without": passes[False], "saved": round(saved, 4),
        "same_output": equal,
    }  # fmt: skip
