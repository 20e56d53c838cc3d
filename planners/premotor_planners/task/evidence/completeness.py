"""Nothing that was said may get lost: names in statements, and people who are spoken of but not known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from premotor_planners.task.answers.answer import CompactStep
from premotor_planners.task.evidence.coverage import Coverage
from premotor_planners.task.evidence.leftovers import leftovers
from premotor_planners.task.evidence.references import References
from premotor_planners.task.lexicon.durations import find_durations
from premotor_planners.task.lexicon.words import read_words

_STATEMENTS = ("background", "question")
_ON_THE_WAY = re.compile(r"(?<= )on (?:your|the) way (?:back |over |out |home |down |up )?(?:to|towards?)(?= )")
_MORE_TO_DO = re.compile(r"[,;.] (?:and |then |and then |but |also )?([a-z]+)((?: [\w']+)*)")
_TURNING = re.compile(r", (?:but |and )?(?:before that|after that|first|on your way|then) |, on your way")
_NEXT_ITEM = re.compile(
    r" (?:(?:step|number|task|item|job|part) (?:one|two|three|four|five|[1-5])|secondly|thirdly|lastly"
    r"|(?:and|then) (?:finally|lastly|secondly|thirdly)) "
    r"| (?:and next|after that|(?:when|once|after) (?:that is|you are) (?:finished|done)(?: with (?:that|this|it))?)"
    r"(?= [a-z]+ (?:the|a|an|my|our|over|up|to)\b)"
)
_CHARGES = re.compile(
    r" (?:re)?charge (?:up )?"
    r"(?:it|them|this|that|these|those|(?:my|our|his|her|their|the) (?!robot|battery|batteries)) "
)
_JOINING = frozenset(("and", "but", "or", "then", "also"))
_UNWANTED = re.compile(r" (?:do|does) not (?:really )?(?:want|need|like|mean) ")
_GOES = re.compile(
    r" (?:it|that|this|they|these|those|one|ones) (?:all )?(?:goes|go|belongs|belong|lives|live"
    r"|(?:should|must|has to|have to|needs to|need to|ought to|is to|are to) (?:be|go|end up|live|stay|stand|sit)) "
)
_BEFORE = re.compile(r" before you (?:(?:do|go|leave)(?: that| so| it)? (?:[.,!;]|$)|[a-z]+ and [a-z]+ )")
_OWN = frozenset(
    [
        "go",
        "come",
        "wait",
        "take",
        "bring",
        "put",
        "get",
        "drive",
        "return",
        "dock",
        "fetch",
        "drop",
        "carry",
        "pick",
        "leave",
        "move",
        "give",
        "charge",
    ]
)
_AFTER_OWN = frozenset(
    [
        "charge",
        "dock",
        "straight",
        "all",
        "me",
        "it",
        "here",
        "back",
        "over",
        "to",
        "for",
        "the",
        "my",
        "a",
        "an",
        "this",
        "that",
        "home",
        "yourself",
        "up",
        "down",
    ]
)
_HEARING = frozenset(
    ["hear", "hears", "heard", "know", "knows", "told", "tell", "message", "waiting", "informed", "aware", "listening"]
)

_CARRYING = frozenset({"move", "give", "pick", "fetch"})
_ASSURING = frozenset({"sure", "ensure", "certain"})


def other_order(steps: Sequence[CompactStep], references: References) -> bool:
    """`on your way to the charger, …`: where the way leads comes last."""
    marked = references.marked
    for _, end, _ in marked.text.find(_ON_THE_WAY):
        goal = next((m for m in marked.mentions if m.phrase_start == end), None)
        moves = [step for step in steps if step.skill not in ("say", "wait", "pick")]
        if goal is not None and moves:
            last = moves[-1]
            docks = last.skill == "dock" and bool(references.catalogue.docks & set(goal.candidates))
            if not docks and last.name not in goal.candidates:
                return True
    return False


def unknown_hearer(steps: Sequence[CompactStep], references: References) -> bool:
    """`the tooth fairy is waiting to hear from us, go say …`: words for somebody who is not here."""
    if not steps or steps[0].skill != "say":
        return False
    marked = references.marked
    for clause in references.reading.clauses:
        words = {marked.word(i) for i in clause.indexes}
        if (
            not clause.asks
            and words & _HEARING
            and any(left.start <= clause.indexes[0] + 2 for left in leftovers(clause, marked))
        ):
            return True
    return False


def unmoved(steps: Sequence[CompactStep], references: References) -> bool:
    """`they should end up on the table`: something goes there, but nothing is put there or only the robot goes."""
    moving = any(step.skill in ("place", "give", "pick") for step in steps)
    for number, clause in references.asking_clauses():
        if _GOES.search(references.marked.joined(clause)):
            named = {name for item in references.items[number] if item.mention for name in item.mention.candidates}
            if not moving or any(step.skill == "go" and step.name in named for step in steps):
                return True
    return False


def unhandled(steps: Sequence[CompactStep], references: References) -> bool:
    """`go to the stool and put it down there`, `send an email`: something is to be carried, and nothing is."""
    if any(step.skill in ("pick", "place", "give", "inspect") for step in steps):
        return False
    for number, clause in references.asking_clauses():
        things = any(item.kind in ("it", "them") and item.role == "" for item in references.items[number])
        classes = clause.verbs[0].classes if clause.verbs else frozenset()
        carried = classes & _CARRYING and (things or classes <= _CARRYING)
        if carried:
            return True
    return False


def other_charge(steps: Sequence[CompactStep], references: References) -> bool:
    """`my phone is dead, charge it`: something other than the robot is to be charged."""
    docks = any(step.skill == "dock" for step in steps)
    return docks and _CHARGES.search(references.marked.text.joined) is not None


def turned_around(references: References) -> bool:
    """`…, but look at the sofa before you do`; `before you go and charge, …`: the order is hard to tell."""
    return _BEFORE.search(references.marked.text.joined) is not None


def swallowed(text: str) -> bool:
    """Whether words to be said seem to hold one more command for the robot (`…, wait five seconds`)."""
    plain = " ".join(text.casefold().split())
    if plain.partition(" ")[0] in _JOINING or _TURNING.search(plain) or _NEXT_ITEM.search(plain):
        return True
    for found in _MORE_TO_DO.finditer(plain):
        after = found[2].split()
        timed = bool(find_durations(read_words(found[2]), frozenset()))
        if found[1] in _OWN and (timed or not after or after[0] in _AFTER_OWN):
            return True
    return False


def unheard(steps: Sequence[CompactStep], references: References) -> Iterator[str]:
    """Words of statements and questions that name something the plan has nothing to do with.

    A statement may well be the task (`Rosa gets the box`, `you are wanted in the study`); where what it names is used
    anyway, it was only the reason.
    """
    coverage = Coverage(references, steps)
    for entry in references.entries:
        clause = references.reading.clauses[entry.clause]
        denied = _UNWANTED.search(references.marked.joined(clause)) is not None
        stated = clause.kind in _STATEMENTS and not denied and not entry.item.negated and bool(entry.names)
        if stated and entry.item.mention is not None and not coverage.touches(entry):
            yield entry.item.word
    for mention in references.marked.mentions:
        owned = mention.kind == "object" and references.marked.possessive(mention.end - 1)
        if owned and not set(mention.candidates) & coverage.touched:
            yield references.marked.word(mention.start)


def unassured(steps: Sequence[CompactStep], references: References) -> bool:
    """`make sure the plumber is ok`: a state that is asked for, and that no step of the plan has to do with."""
    marked, used = references.marked, {step.name for step in steps}
    for number, clause in enumerate(references.reading.clauses):
        if clause.kind != "background" or not clause.requested or not clause.indexes:
            continue
        before = {marked.word(i) for i in range(max(0, clause.indexes[0] - 3), clause.indexes[0])}
        named = {name for e in references.entries if e.clause == number for name in e.names}
        if before & _ASSURING and not named & used:
            return True
    return False
