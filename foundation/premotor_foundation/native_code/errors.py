"""Why compiled code cannot be had.

PremotorError
└── BuildError      no compiler, or it failed, or what it made cannot be kept or loaded
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class BuildError(PremotorError):
    """A library cannot be built; `output` is what the compiler said."""

    def __init__(self, problem: str, remedy: str, output: str = "") -> None:
        self.problem = problem
        self.output = output
        super().__init__(f"{problem}; {remedy}")
