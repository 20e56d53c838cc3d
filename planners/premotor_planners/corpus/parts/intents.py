"""What is wanted by a clause: which intents are alike, and the steps that each one means."""

from __future__ import annotations

from premotor_planners.corpus.parts.filled import Filled
from premotor_planners.corpus.worlds import USER
from premotor_planners.task.answers.answer import CompactStep

SPEECH = frozenset({"say", "say_here", "tell_to"})
CARRY = frozenset(
    {"move", "swap_order", "give", "give_me", "pick", "contrast", "contrast_give_me", "move_all", "fetch_and_come"}
)
HELD = frozenset({"put_down", "give_held", "give_held_me"})
"""About what the gripper holds."""
TO_USER = frozenset({"give_me", "give_held_me", "contrast_give_me", "fetch_and_come", "go_me"})


def steps_of(intent: str, filled: Filled) -> tuple[CompactStep, ...]:
    """The steps of a clause whose references are drawn; a name is empty where the reference means nothing."""
    obj, dst, person = filled.name("obj"), filled.name("dst"), filled.name("person")
    pick, place = CompactStep("pick", obj), CompactStep("place", dst)
    give, to_user = CompactStep("give", person), CompactStep("give", USER)
    wait, say = CompactStep("wait", "", filled.seconds), CompactStep("say", filled.message)
    if intent == "move_all":
        return tuple(s for name in filled.family for s in (CompactStep("pick", name), place))
    table: dict[str, tuple[CompactStep, ...]] = {
        "move": (pick, place),
        "swap_order": (pick, place),
        "contrast": (pick, place),
        "give": (pick, give),
        "give_me": (pick, to_user),
        "contrast_give_me": (pick, to_user),
        "pick": (pick,),
        "pickup": (pick,),
        "fetch_and_come": (pick, to_user, CompactStep("dock")),
        "put_down": (place,),
        "give_held": (give,),
        "give_held_me": (to_user,),
        "go": (CompactStep("go", dst),),
        "go_me": (CompactStep("go", USER),),
        "go_person": (CompactStep("go", person),),
        "go_wait": (CompactStep("go", dst), wait),
        "inspect": (CompactStep("inspect", filled.name("target")),),
        "dock": (CompactStep("dock"),),
        "wait": (wait,),
        "say": (CompactStep("go", person), say),
        "tell_to": (CompactStep("go", person), say),
        "say_here": (say,),
    }
    return table[intent]
