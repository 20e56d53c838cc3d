"""Which tokens a grammar allows next, and which it forces."""

from __future__ import annotations

from collections import OrderedDict

import llguidance
import numpy as np

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.engine.grammars.kinds import Grammar
from premotor_runtime.engine.grammars.text import compiled
from premotor_runtime.engine.grammars.vocabulary import check_sizes, read_vocabulary
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.tokenizer import Tokenizer

# at worst a tenth of a second to compile and 20 ms for a mask of 262,144 tokens; the defaults let a{1000000} take two
# seconds
_LIMITS = llguidance.LLParserLimits(initial_lexer_fuel=100_000, step_lexer_fuel=50_000, verbose_errors=False)
_REMEMBERED = 16
_MESSAGE_CHARS = 600
_SPARSE_WORDS = 512
_BITS = np.arange(32)


class GrammarCompiler:
    """Makes matchers for one tokenizer. Reading a large vocabulary takes a second and happens once, on first use.

    Raises VocabularyError when tokenizer and model do not belong together. The grammars used last are kept compiled.
    """

    def __init__(self, tokenizer: Tokenizer, vocab_size: int) -> None:
        check_sizes(tokenizer, vocab_size)
        self._tokenizer = tokenizer
        self._vocab_size = vocab_size
        self._reader: llguidance.LLTokenizer | None = None
        self._known: OrderedDict[str, llguidance.LLMatcher] = OrderedDict()

    def warm_up(self) -> None:
        """Read the vocabulary now rather than with the first grammar."""
        if self._reader is None:
            self._reader = read_vocabulary(self._tokenizer, self._vocab_size)

    def matcher(self, grammar: Grammar | str) -> GrammarMatcher:
        """A matcher at the start of `grammar` (a string is Lark).

        Raises GrammarError when it does not compile, allows no text at all, or asks for what is not enforced.
        """
        self.warm_up()
        text = compiled(grammar)
        if text not in self._known:
            self._known[text] = self._compile(text)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(text)
        return GrammarMatcher(self._known[text].deep_copy())

    def _compile(self, text: str) -> llguidance.LLMatcher:
        matcher = llguidance.LLMatcher(self._reader, text, log_level=0, limits=_LIMITS)
        error = GrammarMatcher(matcher).error or _fault(GrammarMatcher(matcher.deep_copy()))
        if error is not None:
            raise GrammarError(f"the grammar does not compile: {error.strip()[:_MESSAGE_CHARS]}")
        return matcher


class GrammarMatcher:
    """A position within a grammar; `accept` moves it."""

    def __init__(self, matcher: llguidance.LLMatcher) -> None:
        self._matcher = matcher
        self._allowed: Ids | None = None

    def copy(self) -> GrammarMatcher:
        """An independent matcher at the same position."""
        twin = GrammarMatcher(self._matcher.deep_copy())
        twin._allowed = self._allowed
        return twin

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
        tokens = [int(token) for token in self._matcher.compute_ff_tokens()]
        if tokens:
            return tokens
        allowed = self.allowed()
        return [int(allowed[0])] if len(allowed) == 1 else []

    def allowed(self) -> Ids:
        """The ids that may come next, ascending, end of sequence among them where the sentence may end here."""
        if self._allowed is None:
            self._allowed = _ids(np.frombuffer(self._matcher.compute_bitmask(), np.uint8))
        return self._allowed

    def accept(self, token: int) -> bool:
        """Move past `token`; False when the grammar does not allow it, after which the matcher is in error."""
        self._allowed = None
        return bool(self._matcher.consume_token(token))


def _fault(matcher: GrammarMatcher) -> str | None:
    """What goes wrong on the way to the first choice: limits that are exceeded there, or no token to go on with."""
    while not matcher.complete:
        forced = matcher.forced()
        if matcher.error is None and not forced and not len(matcher.allowed()):
            return "no text satisfies it; allow at least one"
        if matcher.error is not None or not forced or not all(matcher.accept(token) for token in forced):
            break
    return matcher.error


def _ids(mask: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Ids:
    """The numbers of the bits that are set, lowest bit of each byte first; `mask` holds whole words of 32 bits."""
    filled = np.flatnonzero(mask.view(np.uint32) != 0)
    if len(filled) > _SPARSE_WORDS:
        return np.flatnonzero(np.unpackbits(mask, bitorder="little").view(np.bool_))
    bits = np.unpackbits(mask.reshape(-1, 4)[filled], axis=1, bitorder="little").view(np.bool_)
    return np.asarray((filled[:, None] * 32 + _BITS)[bits])
