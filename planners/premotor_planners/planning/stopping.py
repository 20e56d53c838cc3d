"""What ends a plan before it is found: its budget, or somebody who no longer wants it."""

from __future__ import annotations

import ctypes
import math
import time
from dataclasses import dataclass, field

_NS = 1_000_000_000
UNLIMITED = -1


class Cancel:
    """A mark that one thread sets and a running search sees within 5 ms."""

    def __init__(self) -> None:
        self._mark = ctypes.c_uint8(0)
        self.address = ctypes.addressof(self._mark)
        """Where native code reads the mark; valid while this object lives."""

    def set(self) -> None:
        """No longer wanted. May be called from any thread, and more than once."""
        self._mark.value = 1

    @property
    def is_set(self) -> bool:
        """Whether it has been set."""
        return bool(self._mark.value)


@dataclass(frozen=True)
class Allowance:
    """Seconds from its making until a result is of no use, inf for no end; and who may cancel.

    Raises ValueError for a budget that is below 0 or not a number.
    """

    budget_s: float = math.inf
    cancel: Cancel | None = None
    _began_ns: int = field(default_factory=time.monotonic_ns)

    def __post_init__(self) -> None:
        if not self.budget_s >= 0:
            raise ValueError(f"budget_s is {self.budget_s}; it must be 0 or more, inf for no end")

    @property
    def left_ns(self) -> int:
        """Nanoseconds left, at least 0; UNLIMITED where there is no end."""
        if self.budget_s == math.inf:
            return UNLIMITED
        return max(0, self._began_ns + int(self.budget_s * _NS) - time.monotonic_ns())

    @property
    def mark(self) -> int | None:
        """The address of the cancel mark, None without one."""
        return None if self.cancel is None else self.cancel.address
