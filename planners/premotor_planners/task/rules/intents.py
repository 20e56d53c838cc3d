"""What clauses ask for, with names resolved but not yet in the order of doing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

IntentKind = Literal["transport", "give", "hold", "go", "inspect", "dock", "wait", "say", "putdown", "topic"]


@dataclass
class Intent:
    """One wish. `objects` are carried or looked at, `target` is a place, room or person.

    `implied`: brought to the speaker only because nothing else was said (`get the apple`); a later act replaces it.
    `soft` wishes (`I need my glasses`, `the notebook has to be filed`) give way to a command about the same objects.
    """

    kind: IntentKind
    objects: tuple[str, ...] = ()
    target: str = ""
    seconds: float = 0.0
    text: str = ""
    soft: bool = False
    implied: bool = False
    incomplete: str = ""
    order: float = 0.0
