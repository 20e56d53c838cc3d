"""Which requests can never run."""

from __future__ import annotations

from collections.abc import Set

from premotor_runtime.engine.errors import RequestError
from premotor_runtime.engine.request import Request


def check(request: Request, ids_in_use: Set[str], vocab_size: int, max_model_len: int) -> None:
    """Raise RequestError for a request that is empty, too long, of unknown tokens, or whose id is in use."""
    length = len(request.prompt) + request.max_tokens
    if request.request_id in ids_in_use:
        raise RequestError(f"the request id `{request.request_id}` is in use; choose another")
    if not request.prompt or request.max_tokens < 1:
        raise RequestError("a request needs at least one prompt token and room for one output token")
    if length > max_model_len:
        raise RequestError(
            f"the prompt has {len(request.prompt)} tokens and {request.max_tokens} more are asked for; "
            f"together at most {max_model_len} fit; shorten the text"
        )
    if min(request.prompt) < 0 or max(request.prompt) >= vocab_size:
        raise RequestError(f"prompt token ids must be in [0, {vocab_size})")
