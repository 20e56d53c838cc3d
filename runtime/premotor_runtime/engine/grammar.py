"""Which tokens a grammar allows next, and which it forces. The grammar is Lark in llguidance's dialect."""

from __future__ import annotations

import llguidance
import numpy as np

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.tokenizer import Tokenizer


class GrammarCompiler:
    """Makes matchers for one tokenizer. Reading a large vocabulary takes seconds and happens once, on first use."""

    def __init__(self, tokenizer: Tokenizer, vocab_size: int) -> None:
        self._tokenizer = tokenizer
        self._vocab_size = max(vocab_size, tokenizer.vocab_size)
        self._reader: llguidance.LLTokenizer | None = None

    def warm_up(self) -> None:
        """Read the vocabulary now rather than with the first grammar."""
        if self._reader is None:
            eos = list(self._tokenizer.eos_token_ids) or None
            self._reader = llguidance.LLTokenizer(self._tokenizer.json, n_vocab=self._vocab_size, eos_token=eos)

    def matcher(self, grammar: str) -> GrammarMatcher:
        """A matcher at the start of `grammar`. Raises GrammarError when it does not compile."""
        self.warm_up()
        matcher = llguidance.LLMatcher(self._reader, llguidance.LLMatcher.grammar_from_lark(grammar))
        if matcher.is_error():
            raise GrammarError(f"the grammar does not compile: {matcher.get_error().strip()}")
        return GrammarMatcher(matcher)


class GrammarMatcher:
    """A position within a grammar; `accept` moves it."""

    def __init__(self, matcher: llguidance.LLMatcher) -> None:
        self._matcher = matcher

    @property
    def complete(self) -> bool:
        """Whether the text so far is a sentence that cannot be continued."""
        return bool(self._matcher.is_stopped()) and not self._matcher.is_error()

    @property
    def accepting(self) -> bool:
        """Whether the text so far is a sentence."""
        return bool(self._matcher.is_accepting())

    @property
    def error(self) -> str | None:
        """Why the matcher gave up (limits of the parser), or None."""
        return str(self._matcher.get_error()) if self._matcher.is_error() else None

    def forced(self) -> list[int]:
        """The tokens that must come next, possibly none; they are not accepted yet."""
        if self._matcher.is_stopped():
            return []
        return [int(token) for token in self._matcher.compute_ff_tokens()]

    def allowed(self) -> Ids:
        """The ids that may come next, ascending, end of sequence among them where the sentence may end here."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        return np.flatnonzero(np.unpackbits(bits, bitorder="little")).astype(np.int64)

    def accept(self, token: int) -> bool:
        """Move past `token`; False when the grammar does not allow it, after which the matcher is in error."""
        return bool(self._matcher.consume_token(token))
