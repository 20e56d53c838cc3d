"""What the decomposer asks of a language model; `runtime` implements it with the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Generation:
    """One constrained answer.

    `logprobs_full[i]` is the log probability of token i among ALL tokens before the grammar's mask (forced tokens
    included where the model was run over them, else 0.0), `logprobs_allowed[i]` among the tokens the grammar allowed.
    """

    text: str
    finish_reason: str
    tokens: tuple[str, ...]
    logprobs_full: tuple[float, ...]
    logprobs_allowed: tuple[float, ...]
    prompt_tokens: int
    output_tokens: int
    forced_tokens: int
    ttft_s: float
    decode_s: float


class LanguageModel(Protocol):
    """A model that continues text under a grammar."""

    @property
    def name(self) -> str:
        """The checkpoint's name, as reported in results."""
        ...

    def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
        """Greedy continuation of the prompt `blocks` under the Lark `grammar` (llguidance dialect).

        Blocks are tokenized one by one and concatenated (the first is the cacheable catalogue). Raises a typed error
        when the grammar does not compile or the prompt cannot fit.
        """
        ...
