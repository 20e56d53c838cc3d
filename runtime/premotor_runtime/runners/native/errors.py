"""Why the native runner cannot be had.

PremotorError
└── NativeError
    ├── BuildError      no compiler, or it failed
    └── UsageError too: NativeOptionError   a precision, thread count or core that does not exist
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError, UsageError


class NativeError(PremotorError):
    """The native runner cannot be used here."""


class BuildError(NativeError):
    """Its library cannot be built; `output` is what the compiler said."""

    def __init__(self, problem: str, remedy: str, output: str = "") -> None:
        self.problem = problem
        self.output = output
        super().__init__(f"{problem}; {remedy}")


class NativeOptionError(NativeError, UsageError):
    """An option of the native runner that cannot be met."""

    exit_code = UsageError.exit_code
