"""Choices of a plan that no word asks for, and how far they are at least mentioned."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.doubt import Doubt, doubt
from premotor_planners.task.evidence.founding import Founding
from premotor_planners.task.evidence.negations import excluded_names
from premotor_planners.task.lexicon.syntax import syntax
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.rules.prohibitions import prohibitions


def unfounded(steps: Sequence[CompactStep], reading: Reading, founding: Founding) -> list[Doubt]:
    """Choices that no word asks for."""
    prohibited, excluded = prohibitions(reading), excluded_names(reading)
    found = []
    for step in steps:
        if (step.skill, step.name) in prohibited:
            found.append(doubt(f"you said not to {step.skill} {step.name}"))
        elif step.name in excluded and step.skill != "say":
            found.append(doubt(f"you seem to exclude {step.name}"))
        elif step.skill not in ("say", "wait") and not founding.founds(step):
            about = f"nothing in the task asks to {step.skill} {step.name}".strip()
            found.append(replace(doubt(about), mild=_is_mentioned(step, reading, founding.references.excluded)))
    return found


def _is_mentioned(step: CompactStep, reading: Reading, excluded: Collection[str]) -> bool:
    """Whether the name (or, for a place, its room) stands in the instruction at all.

    The speaker is named by words such as "me", the dock by words about power or home. `I am worried about Ben` asks
    nobody to come to the speaker.
    """
    if step.skill == "dock" or step.name == SPEAKER:
        return _is_hinted("dock" if step.skill == "dock" else "speaker", reading, {"i", "we"})
    wanted = {step.name, reading.catalogue.places.get(step.name, step.name)}
    named = {name for mention in reading.marked.mentions for name in mention.candidates if not mention.strange}
    return bool(wanted & named) and step.name not in excluded


def _is_hinted(group: str, reading: Reading, unheard: Collection[str] = ()) -> bool:
    marked = reading.marked
    spoken = {i for message in marked.messages for i in range(message.text_start, message.text_end)}
    words = [word.norm for index, word in enumerate(marked.text.words) if index not in spoken]
    pairs = {" ".join(pair) for pair in pairwise(words)}
    hints = syntax().groups[f"{group}_hints"] - set(unheard)
    return bool(hints & ({*words} | pairs))
