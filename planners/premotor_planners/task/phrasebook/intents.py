"""What the intents of the templates come to: the compact steps of each, once its references are settled."""

from __future__ import annotations

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.reading.naming import SPEAKER

TAKE = frozenset({"pick", "pickup"})
CARRY = TAKE | {"move", "swap_order", "contrast", "give", "give_me", "contrast_give_me", "move_all", "fetch_and_come"}
HELD = frozenset({"put_down", "give_held", "give_held_me"})
TO_SPEAKER = frozenset({"give_me", "give_held_me", "contrast_give_me", "fetch_and_come", "go_me"})
PLACING = frozenset({"move", "swap_order", "contrast", "move_all", "put_down"})
TELLING = frozenset({"say", "tell_to"})
REFUSED = frozenset({"unsafe", "unsupported", "unclear"})


def steps_of(
    intent: str, objects: tuple[str, ...], target: str, seconds: float, message: str
) -> tuple[CompactStep, ...]:
    """The steps of one clause; what an intent has no use for is ignored."""
    if intent in CARRY or intent in HELD:
        return _carried(intent, objects, target)
    go, wait, say = CompactStep("go", target), CompactStep("wait", "", seconds), CompactStep("say", message)
    return {
        "go": (go,), "go_me": (go,), "go_person": (go,), "go_wait": (go, wait), "wait": (wait,),
        "inspect": (CompactStep("inspect", target),), "dock": (CompactStep("dock"),),
        "say": (go, say), "tell_to": (go, say), "say_here": (say,),
    }[intent]  # fmt: skip


def _carried(intent: str, objects: tuple[str, ...], target: str) -> tuple[CompactStep, ...]:
    picks = tuple(CompactStep("pick", name) for name in objects)
    if intent in TAKE:
        return picks
    if intent == "fetch_and_come":
        return (*picks, CompactStep("give", SPEAKER), CompactStep("dock"))
    end = CompactStep("place" if intent in PLACING else "give", target)
    return (end,) if intent in HELD else tuple(step for pick in picks for step in (pick, end))
