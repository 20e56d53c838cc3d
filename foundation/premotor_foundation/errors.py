"""The root of the error tree.

PremotorError
├── UsageError            exit 2   the command line or a configuration file is wrong
│   └── ConfigError                names file, line and the nearest valid key
├── RefusedError          exit 3   understood, and refused with a reason; nothing moved
└── (each folder derives its own from these, in its own errors.py)

A message says what was given, what is allowed, and what to do.
"""

from __future__ import annotations

from pathlib import Path

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_INTERRUPTED = 130


class PremotorError(Exception):
    """Any failure this project raises on purpose; `exit_code` is what a command ends with."""

    exit_code: int = EXIT_FAILED


class UsageError(PremotorError):
    """Wrong usage or configuration."""

    exit_code = EXIT_USAGE


class RefusedError(PremotorError):
    """A request that was understood and will not be carried out."""

    exit_code = EXIT_REFUSED


class ConfigError(UsageError):
    """A configuration file that does not say what it must; the message starts with `file:line:`."""

    def __init__(self, path: Path | str, line: int | None, message: str) -> None:
        self.path = Path(path)
        self.line = line
        self.message = message
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {message}")
