"""The safety layer: a plan that is executed must be the plan that was meant.

Both ways: whatever a plan chooses (object, place, person, text, time, skill) needs words of the instruction that ask
for it, and whatever the instruction names in a task clause must be used by some step. Exclusions exclude, a definite
name that fits several entries is a question, stated locations must be true, and the order of the steps follows the
words and their connectives. Judged on the compact steps; no model takes part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.choices import unfounded
from premotor_planners.task.evidence.completeness import (
    other_charge,
    other_order,
    swallowed,
    turned_around,
    unassured,
    unhandled,
    unheard,
    unknown_hearer,
    unmoved,
)
from premotor_planners.task.evidence.coverage import Coverage
from premotor_planners.task.evidence.doubt import Doubt, doubt
from premotor_planners.task.evidence.founding import Founding
from premotor_planners.task.evidence.keeping import unfounded_holds
from premotor_planners.task.evidence.leftovers import first_problem, names_a_stranger
from premotor_planners.task.evidence.pairing import go_together
from premotor_planners.task.evidence.references import References
from premotor_planners.task.evidence.said_and_waited import speech, waits
from premotor_planners.task.evidence.stated import misplaced
from premotor_planners.task.evidence.transfers import transfers
from premotor_planners.task.guards.capability import beyond_skills
from premotor_planners.task.reading.ordering import ranks
from premotor_planners.task.reading.reading import Reading

_IS_WHERE = re.compile(r" is where (?:you|i (?:want|need|would like) you) ")


def doubts(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """Everything in which plan and instruction disagree; empty when the plan may be carried out."""
    references = References(reading)
    founding = Founding(references)
    left = first_problem(reading.clauses, reading)
    found = [Doubt("words nothing explains", left, mild=not names_a_stranger(reading))] if left else []
    beyond = beyond_skills(reading)
    found += [Doubt("no skill does that", beyond)] if beyond else []
    if reading.muddled:
        found.append(doubt("something was taken back"))
    found += [Doubt(about, problem) for about, problem in (*references.unsettled(), *references.alternatives())]
    found += unfounded(steps, reading, founding)
    found += [doubt(f"the plan leaves out {words}") for words in Coverage(references, steps).unused()]
    found += [doubt(f"the plan has nothing to do with {words}") for words in unheard(steps, references)]
    found += [doubt("who should hear it")] if unknown_hearer(steps, references) else []
    found += [doubt("what should go there")] if unmoved(steps, references) else []
    found += [doubt("what to carry")] if unhandled(steps, references) else []
    found += [replace(doubt("what comes first"), mild=True)] if turned_around(references) else []
    found += [doubt("what to make sure of")] if unassured(steps, references) else []
    found += [doubt("what to charge")] if other_charge(steps, references) else []
    found += [doubt("what comes last")] if other_order(steps, references) else []
    found += [doubt("where the words end") for step in steps if step.skill == "say" and swallowed(step.name)]
    found += [doubt(f"what to do with the {name}") for name in unfounded_holds(steps, references, founding)]
    found += misplaced(steps, references)
    found += _where(steps, reading)
    found += waits(steps, reading)
    found += speech(steps, reading)
    found += _order(steps, reading, founding)
    found += _pairs(steps, references, founding)
    return found


def _where(steps: Sequence[CompactStep], reading: Reading) -> list[Doubt]:
    """`the sofa is where you should go`: a place that is only stated is meant, when a clause with `where` follows."""
    if not _IS_WHERE.search(reading.marked.text.joined):
        return []
    places = reading.catalogue.places
    used = {step.name for step in steps} | {places.get(step.name, "") for step in steps}
    found = []
    for stated, clause in pairwise(reading.clauses):
        if clause.connective == "where" and stated.kind == "background":
            meant = [m for m in reading.marked.mentions if m.start in stated.indexes and m.kind in ("place", "room")]
            found += [doubt(f"the plan leaves out {m.candidates[0]}") for m in meant if not used & set(m.candidates)]
    return found


def _order(steps: Sequence[CompactStep], reading: Reading, founding: Founding) -> list[Doubt]:
    """The steps follow the ranks of the clauses that ask for them."""
    order = ranks(reading.clauses)
    current = float("-inf")
    for step in steps:
        possible = sorted(order[index] for index in founding.asking(step))
        if not possible:
            continue
        later = [rank for rank in possible if rank >= current]
        if not later:
            return [doubt(f"{step.skill} {step.name} comes too late or too early".replace("  ", " "))]
        current = later[0]
    return []


def _pairs(steps: Sequence[CompactStep], references: References, founding: Founding) -> list[Doubt]:
    """Each object goes where its own clause says."""
    moved = transfers(steps, references.catalogue.holding)
    apart = [name for name, step in moved if not go_together(name, step, references, founding)]
    return [doubt(f"where the {name} should go") for name in apart]
