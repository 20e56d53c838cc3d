"""What the engine refuses.

RefusedError (exit 3)
├── RequestError       a request that can never run: empty, longer than the context, or with a parameter out of range
│   └── DeadlineError  a request that is predicted to end after its deadline
└── KVMemoryError      a pool of keys and values that the memory has no room for
UsageError (exit 2)
├── GrammarError       a grammar that does not compile, or asks for what cannot be enforced
└── VocabularyError    a tokenizer and a model that do not belong together
"""

from __future__ import annotations

from premotor_foundation.errors import RefusedError, UsageError


class RequestError(RefusedError):
    """A request that the engine cannot serve whatever the load; the message gives the limit."""


class DeadlineError(RequestError):
    """A request that is predicted to miss its deadline; both times in seconds from when it was asked for."""

    def __init__(self, message: str, predicted_s: float, allowed_s: float) -> None:
        super().__init__(message)
        self.predicted_s = predicted_s
        self.allowed_s = allowed_s


class KVMemoryError(RefusedError):
    """Too little memory for keys and values; the message gives what was asked for and what there is."""


class GrammarError(UsageError):
    """A grammar that is refused; the message is the compiler's with its position, or names what is not enforced."""


class VocabularyError(UsageError):
    """The tokenizer's vocabulary is not that of the model; the message gives both sizes."""
