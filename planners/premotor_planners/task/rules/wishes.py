"""Wishes in their order: soft ones give way to commands about the same things, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.outcome import unclear
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.resolve import StuckError


def settled(intents: Sequence[Intent]) -> list[Intent]:
    """Soft wishes that a command acts on are dropped; what remains must be complete."""
    firm = [intent for intent in intents if not intent.soft and not intent.incomplete and intent.kind != "topic"]
    acted = {name for intent in firm for name in (*intent.objects, intent.target)}
    kept: list[Intent] = []
    for number, intent in enumerate(intents):
        if intent.implied and _replaced(intent, intents[number + 1 :]):
            continue
        weak = intent.soft or intent.kind == "topic" or bool(intent.incomplete)
        if weak and intent.objects and acted.issuperset(intent.objects) and intent not in firm:
            continue
        if weak and intent.kind == "go" and intent.soft and firm:
            continue
        if intent.kind == "go" and intent.target == SPEAKER and _comes_anyway(intent, intents):
            continue
        if intent.incomplete:
            raise StuckError(unclear(intent.incomplete))
        kept.append(intent)
    return _without_repeats(kept)


def _replaced(intent: Intent, later: Sequence[Intent]) -> bool:
    """`get the apple and put it …` brings it nowhere else; `get the apple and come to me` only holds it."""
    if any(other.kind in ("transport", "give", "hold") and set(other.objects) & set(intent.objects) for other in later):
        return True
    if later and later[0].kind == "go" and later[0].target == SPEAKER and len(intent.objects) == 1:
        intent.kind, intent.target, intent.implied = "hold", "", False
    return False


def _comes_anyway(intent: Intent, intents: Sequence[Intent]) -> bool:
    """`come here and bring the paper`: bringing it is the coming."""
    after = next((i for i in intents if i.order > intent.order), None)
    return after is not None and after.kind == "give" and after.target == SPEAKER


def _without_repeats(intents: Sequence[Intent]) -> list[Intent]:
    """The same wish said twice is one wish (`I need my glasses, can I have them?`)."""
    kept: list[Intent] = []
    for intent in intents:
        same = [
            k
            for k in kept
            if (k.kind, k.objects, k.target, k.text) == (intent.kind, intent.objects, intent.target, intent.text)
        ]
        if not same or intent.kind in ("wait", "go", "say"):
            kept.append(intent)
    return kept
