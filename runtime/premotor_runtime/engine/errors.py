"""What the engine refuses.

RefusedError (exit 3)
└── RequestError       a request that can never run: empty, or longer than the context
UsageError (exit 2)
└── GrammarError       a grammar that does not compile
"""

from __future__ import annotations

from premotor_foundation.errors import RefusedError, UsageError


class RequestError(RefusedError):
    """A request that the engine cannot serve whatever the load; the message gives the limit."""


class GrammarError(UsageError):
    """A grammar that does not compile; the message is the compiler's, with its position."""
