"""What is measured: cases, and the samples of their rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Phase = Literal["decode", "prefill"]
CONTEXT = 256
PROMPT = 512
OURS = "premotor"


@dataclass(frozen=True)
class Case:
    """Decode: `batch` sequences after CONTEXT tokens each. Prefill: one prompt of PROMPT tokens, `batch` is 1."""

    phase: Phase
    batch: int

    def __str__(self) -> str:
        return f"prefill {PROMPT}" if self.phase == "prefill" else f"decode, batch {self.batch}"


@dataclass(frozen=True)
class Contestant:
    """An engine with the weights it runs; `precision` as it calls it: int4, Q4_0, bf16."""

    engine: str
    precision: str


@dataclass
class Samples:
    """Tokens a second by contestant and case, one value a round; None where the contestant had failed."""

    values: dict[tuple[Contestant, Case], list[float | None]] = field(default_factory=dict)

    def add(self, contestant: Contestant, case: Case, tok_s: float | None) -> None:
        """Append the next round's value."""
        self.values.setdefault((contestant, case), []).append(tok_s)

    def of(self, contestant: Contestant, case: Case) -> list[float | None]:
        """All rounds' values, in order."""
        return self.values.get((contestant, case), [])
