"""Which requests can never run, and which would end too late."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from premotor_runtime.engine.errors import DeadlineError, RequestError
from premotor_runtime.engine.request import Request


@dataclass(frozen=True)
class Limits:
    """What a runner can hold: ids in [0, vocab_size), positions of the model and of the memory, adapters by name."""

    vocab_size: int
    max_position_embeddings: int
    num_blocks: int
    block_size: int
    adapters: frozenset[str] = frozenset()

    @property
    def max_model_len(self) -> int:
        """The most tokens, prompt and output together, that a request may have."""
        return min(self.max_position_embeddings, self.num_blocks * self.block_size)


def check(request: Request, ids_in_use: Container[str], limits: Limits) -> None:
    """Raise RequestError for a request that is empty, too long, of unknown tokens, or whose id is in use."""
    if request.request_id in ids_in_use:
        raise RequestError(f"the request id `{request.request_id}` is in use; choose another")
    if not request.prompt:
        raise RequestError("a request needs at least one prompt token; given none")
    if len(request.prompt) + request.max_tokens > limits.max_model_len:
        raise RequestError(_too_long(request, limits))
    if min(request.prompt) < 0 or max(request.prompt) >= limits.vocab_size:
        wrong = next(token for token in request.prompt if not 0 <= token < limits.vocab_size)
        raise RequestError(f"prompt token ids must be in [0, {limits.vocab_size}); given {wrong}")
    if request.adapter is not None and request.adapter not in limits.adapters:
        known = ", ".join(sorted(limits.adapters)) or "none"
        raise RequestError(f"no adapter `{request.adapter}` was loaded; loaded: {known}; name one of these, or none")


def check_deadline(request_id: str, predicted_s: float, allowed_s: float) -> None:
    """Raise DeadlineError when a request is predicted to end later than it may; both in seconds from now."""
    if predicted_s > allowed_s:
        raise DeadlineError(
            f"request `{request_id}` is predicted to take {predicted_s:.3f} s and its deadline allows {allowed_s:.3f} s"
            "; ask for fewer tokens, allow more time or give it a more urgent priority",
            predicted_s,
            allowed_s,
        )


def _too_long(request: Request, limits: Limits) -> str:
    memory = limits.num_blocks * limits.block_size
    if limits.max_position_embeddings <= memory:
        bound, remedy = "the model's context", "shorten the text"
    else:
        bound = f"the memory of {limits.num_blocks} blocks of {limits.block_size}"
        remedy = "shorten the text, or give the engine more memory for keys and values"
    return (
        f"the prompt has {len(request.prompt)} tokens and {request.max_tokens} more are asked for; "
        f"together at most {limits.max_model_len} fit ({bound}); {remedy}"
    )
