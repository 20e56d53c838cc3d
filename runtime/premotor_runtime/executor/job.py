"""How much it matters that a job is in time."""

from __future__ import annotations

from typing import Literal

Criticality = Literal["hard", "firm", "soft", "best_effort"]
