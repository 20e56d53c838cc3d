"""What the vendor's library says, kept for the message of an error instead of printed."""

from __future__ import annotations

from collections import deque
from typing import Any

_KEPT = 40


class Said:
    """The last warnings and errors."""

    def __init__(self) -> None:
        self.errors: deque[str] = deque(maxlen=_KEPT)
        self.warnings: deque[str] = deque(maxlen=_KEPT)

    def worst(self) -> str:
        """The first error, else the last warning, as one line."""
        lines = list(self.errors)[:1] or list(self.warnings)[-1:] or ["it gives no reason"]
        return " ".join(lines[0].split())[:400]


def listening(module: Any, said: Said) -> Any:
    """A logger of the vendor's type that fills `said`. The library holds only a pointer: keep the logger alive."""
    severity = module.ILogger.Severity
    bad = (severity.INTERNAL_ERROR, severity.ERROR)

    class Logger(module.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            module.ILogger.__init__(self)

        def log(self, level: Any, text: str) -> None:
            if level in bad:
                said.errors.append(text)
            elif level == severity.WARNING:
                said.warnings.append(text)

    return Logger()
