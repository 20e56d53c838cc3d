"""What is wrong with how the native runner was asked for; that it cannot be built is foundation's BuildError.

PremotorError
└── UsageError
    └── NativeOptionError   exit 2   a precision, thread count or core that does not exist
"""

from __future__ import annotations

from premotor_foundation.errors import UsageError


class NativeOptionError(UsageError):
    """An option of the native runner that cannot be met."""
