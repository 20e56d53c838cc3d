"""Which reference of a clause goes wrong, and how."""

from __future__ import annotations

import random
from dataclasses import dataclass

from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.corpus.templates import Template

FAULTS = {
    "obj": ("ambiguous", "ambiguous", "unknown", "unknown", "near"),
    "src": ("wrong", "wrong", "unknown"),
    "dst": ("unknown", "unknown", "ambiguous"),
    "person": ("unknown",),
    "target": ("unknown", "near", "place", "ambiguous"),
}


@dataclass(frozen=True)
class Fault:
    """The slot whose reference means nothing or too much, and the kind of that; both empty when all is well."""

    slot: str = ""
    kind: str = ""

    def of(self, slot: str) -> str:
        """What is wrong with this slot, or ""."""
        return self.kind if slot == self.slot else ""


NO_FAULT = Fault()


def draw_fault(template: Template, rng: random.Random) -> Fault:
    """A fault in one of the template's slots. Raises Unsuited when none of them can be faulty."""
    slots = [slot for slot in FAULTS if slot in template.slots]
    if not slots:
        raise Unsuited
    slot = rng.choice(slots + ["obj"] * ("obj" in slots) + ["src"] * ("src" in slots))
    return Fault(slot, rng.choice(FAULTS[slot]))
