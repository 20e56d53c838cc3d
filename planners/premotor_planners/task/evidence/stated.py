"""Where an instruction says that things are, against where they are: a plan for another place is not what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as Collection
from itertools import pairwise

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.doubt import Doubt, doubt
from premotor_planners.task.evidence.leftovers import leftovers
from premotor_planners.task.evidence.references import Entry, References
from premotor_planners.task.evidence.transfers import transfers
from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.outcome import not_there, unknown
from premotor_planners.task.reading.clauses import Clause
from premotor_planners.task.rules.resolve import is_in_spot

_PRESENT = frozenset({"is", "are", "be"})
_LEAVING = frozenset({"leave", "put", "forget", "drop", "lay", "set", "place"})
_SPOTS = ("place", "room", "there")
_HOLDING = frozenset({"on", "in", "under", "inside"})


def misplaced(steps: Sequence[CompactStep], references: References) -> list[Doubt]:
    """Things that the plan takes from elsewhere than the words say."""
    taken = {step.name for step in steps if step.skill in ("pick", "inspect")}
    found = []
    for name, spot in (*_stated(references), *_errands(references)):
        if name in taken and not is_in_spot(references.location(name), spot, references.catalogue):
            found.append(Doubt(f"the {name} is not at the {spot}", not_there(name, spot)))
    return [*found, *_nowhere(taken, references), *_put_back(steps, references)]


def _put_back(steps: Sequence[CompactStep], references: References) -> Iterator[Doubt]:
    """`I left it on the bed, fetch it`: taken from the bed and put on the bed again, which nobody asks for."""
    words = {word.norm for word in references.marked.text.words}
    told = {name for e in references.entries if not e.asking for name in e.names}
    for name, step in transfers(steps, references.catalogue.holding):
        again = step.skill == "place" and step.name == references.catalogue.objects.get(name)
        if again and step.name in told and not words & {"back", "again"}:
            yield doubt(f"where the {name} should go")


def _nowhere(taken: Collection[str], references: References) -> Iterator[Doubt]:
    """`bring me the pen, it should be on the lake`: a place that is not here at all."""
    for number, clause in enumerate(references.reading.clauses):
        here = clause.kind == "background" and _says_where(clause, references)
        words = [references.marked.word(i) for i in clause.indexes[:1]]
        if here and (taken & set(_things(number, references)) or words == ["there"]):
            for left in leftovers(clause, references.marked):
                before = {references.marked.word(left.start - 1), references.marked.word(left.start - 2)}
                if left.kind == "place" and before & _HOLDING:
                    yield Doubt(f"{left.words} is not known", unknown(left.words, references.catalogue, "place"))


def _stated(references: References) -> Iterator[tuple[str, str]]:
    """`bring me the orange, I think it is on the shelf`: (orange, shelf)."""
    for number, clause in enumerate(references.reading.clauses):
        if clause.kind != "background" or not _says_where(clause, references):
            continue
        spots = [e for e in _of(number, references) if e.item.kind in ("place", "room") and e.item.role in ("at", "")]
        for spot in spots[:1]:
            names = _things(number, references)
            if len(names) == 1 and len(spot.names) == 1:
                yield names[0], spot.names[0]


def _says_where(clause: Clause, references: References) -> bool:
    words = [references.marked.word(i) for i in clause.indexes]
    leaving = [verb for verb in clause.verbs if verb.base in _LEAVING]
    return bool(_PRESENT & set(words)) or (bool(leaving) and bool({"i", "we"} & set(words)))


def _things(number: int, references: References) -> tuple[str, ...]:
    """What the clause is about: the thing it names, or for `it` the only one of the clause before."""
    own = [e for e in _of(number, references) if e.item.kind in ("object", "it", "them")]
    if any(e.item.kind == "object" for e in own) or not own:
        return own[0].names if own else ()
    before = [e for e in _of(number - 1, references) if e.item.kind == "object"] if number else []
    return before[0].names if len(before) == 1 else ()


def _errands(references: References) -> Iterator[tuple[str, str]]:
    """`go to the shelf and bring me the orange`: (orange, shelf), unless the orange has a source of its own."""
    clauses = references.reading.clauses
    for number, (going, fetching) in enumerate(pairwise(clauses)):
        here = _of(number, references)
        if not (_goes(going) and _fetches(fetching, references)) or any(e.item.kind not in _SPOTS for e in here):
            continue
        spots = [e for e in here if e.item.kind != "there"]
        things = [e for e in _of(number + 1, references) if e.item.kind == "object"]
        sources = [e for e in _of(number + 1, references) if e.item.role in ("source", "at")]
        if len(spots) == 1 and len(spots[0].names) == 1 and len(things) == 1 and not sources:
            yield from ((name, spots[0].names[0]) for name in things[0].names[:1])


def _goes(clause: Clause) -> bool:
    return clause.kind == "task" and len(clause.verbs) == 1 and "go" in clause.verbs[0].classes


def _fetches(clause: Clause, references: References) -> bool:
    """A verb that takes a thing up where the robot has just gone, joined by `and`."""
    if clause.kind != "task" or not clause.verbs or clause.connective or not clause.indexes:
        return False
    joined = references.marked.word(clause.indexes[0] - 1) == "and"
    return joined and is_in(clause.verbs[0].base, "fetching")


def _of(number: int, references: References) -> list[Entry]:
    return [e for e in references.entries if e.clause == number and not e.item.negated]
