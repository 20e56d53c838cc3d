"""When a request would be done, were it added now."""

from __future__ import annotations

from collections.abc import Sequence as Many

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.cost.cost_model import LinearCost
from premotor_runtime.engine.cost.step_load import StepLoad
from premotor_runtime.engine.request import Request
from premotor_runtime.engine.sequence import Sequence


def forecast_s(
    request: Request, cached_tokens: int, ahead: Many[Sequence], model: LinearCost, budget: StepBudget
) -> float:
    """Seconds until the last token of `request`, steps of `budget` following each other; 0 for an untrained model.

    Prompts are read first: those of `ahead` and its own, less what is cached. Then decode steps: as many as it has
    `max_tokens`, or as the tokens of all take, `max_num_seqs` at a time. Every answer is taken to use all its tokens.
    """
    if model.samples == 0:
        return 0.0
    prompts = sum(max(0, other.prompt_length - other.computed) for other in ahead)
    tokens = prompts + len(request.prompt) - cached_tokens
    chunks, rest = divmod(tokens, budget.max_num_batched_tokens)
    context = 0.5 * len(request.prompt)
    seconds = chunks * model.mean(_prefill(budget.max_num_batched_tokens, context))
    seconds += model.mean(_prefill(rest, context)) if rest else 0.0
    asked = request.max_tokens * request.n
    left = sum(other.request.max_tokens - len(other.output) for other in ahead)
    width = min(len(ahead) + request.n, budget.max_num_seqs)
    steps = max(request.max_tokens, -(-(asked + left) // width))
    return seconds + steps * model.mean(_decode(width, len(request.prompt) + 0.5 * request.max_tokens))


def _prefill(tokens: int, context: float) -> StepLoad:
    return StepLoad(1.0, tokens, 0.0, tokens * context, 0.0, 0.0, 0.0)


def _decode(width: int, context: float) -> StepLoad:
    return StepLoad(1.0, 0.0, width, 0.0, width * context, width, 0.0)
