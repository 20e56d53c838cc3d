"""The rule-based planner: a small semantic parser from an instruction to a plan, a question or a refusal.

It answers with a plan only when every word of every task clause is explained; so what it plans is what was meant,
and what it does not understand it refuses. It is the fallback where the language model fails, and works without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_planners.task.answer import MAX_STEPS, CompactStep, StepsAnswer
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.clauses import Clause
from premotor_planners.task.intents import Intent
from premotor_planners.task.interpret import Interpreter
from premotor_planners.task.leftovers import first_problem, nothing_to_do
from premotor_planners.task.naming import SPEAKER
from premotor_planners.task.ordering import ranks
from premotor_planners.task.outcome import Problem, unclear, unsupported
from premotor_planners.task.reading import Reading
from premotor_planners.task.resolve import StuckError
from premotor_planners.task.roles import clause_items


def plan_by_rules(reading: Reading) -> StepsAnswer | Problem:
    """Compact steps, or the problem as a refusal or question. Hazards and conditions are for the guards."""
    try:
        return _plan(reading)
    except StuckError as stuck:
        return stuck.problem


def _plan(reading: Reading) -> StepsAnswer | Problem:
    if any(clause.kind == "condition" for clause in reading.clauses):
        return unsupported("wait for a condition or a time of day")
    if reading.muddled:
        return unclear("You took something back and I am not sure what; say the whole task again.")
    interpreter = Interpreter(reading)
    intents: list[Intent] = []
    for clause, rank in zip(reading.clauses, ranks(reading.clauses), strict=True):
        if clause.kind != "condition":
            found = _interpret(interpreter, clause, reading)
            for number, intent in enumerate(found):
                intent.order = rank + number / 100
            intents += found
    problem = first_problem(reading.clauses, reading)
    if problem:
        return problem
    intents = _settled(sorted(intents, key=lambda intent: intent.order))
    if not intents:
        return nothing_to_do(reading)
    writer = _Writer(reading.catalogue, reading.catalogue.holding)
    for intent in intents:
        writer.write(intent)
    return _finished(writer.steps, reading)


def _interpret(interpreter: Interpreter, clause: Clause, reading: Reading) -> list[Intent]:
    """The clause's intents; an unknown word in it is the better reason when it cannot be understood."""
    try:
        return interpreter.clause(clause)
    except StuckError as stuck:
        problem = first_problem((clause,), reading)
        raise StuckError(problem or stuck.problem) from stuck


def _settled(intents: Sequence[Intent]) -> list[Intent]:
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


@dataclass
class _Writer:
    """Writes compact steps, keeping track of the gripper."""

    catalogue: Catalogue
    holding: str | None
    steps: list[CompactStep] = field(default_factory=list)

    def write(self, intent: Intent) -> None:
        getattr(self, f"_{intent.kind}")(intent)

    def take(self, name: str) -> None:
        if self.holding == name:
            return
        if self.holding:
            raise StuckError(unclear(f"I would still hold the {self.holding} then; tell me where to put it first."))
        self.steps.append(CompactStep("pick", name))
        self.holding = name

    def _transport(self, intent: Intent) -> None:
        for name in intent.objects:
            self.take(name)
            self.steps.append(CompactStep("place", intent.target))
            self.holding = None

    def _give(self, intent: Intent) -> None:
        for name in intent.objects:
            self.take(name)
            self.steps.append(CompactStep("give", intent.target))
            self.holding = None

    def _hold(self, intent: Intent) -> None:
        if len(intent.objects) > 1:
            raise StuckError(unclear("I can hold one thing at a time; which one?"))
        self.take(intent.objects[0])
        if intent.target:
            self.steps.append(CompactStep("go", intent.target))

    def _go(self, intent: Intent) -> None:
        self.steps.append(CompactStep("go", intent.target))

    def _inspect(self, intent: Intent) -> None:
        self.steps.append(CompactStep("inspect", intent.target))

    def _dock(self, intent: Intent) -> None:
        self.steps.append(CompactStep("dock"))

    def _wait(self, intent: Intent) -> None:
        self.steps.append(CompactStep("wait", "", intent.seconds))

    def _say(self, intent: Intent) -> None:
        if intent.target:
            already = self.steps and self.steps[-1] in (
                CompactStep("go", intent.target),
                CompactStep("give", intent.target),
            )
            if not already:
                self.steps.append(CompactStep("go", intent.target))
        self.steps.append(CompactStep("say", intent.text))


def _finished(steps: Sequence[CompactStep], reading: Reading) -> StepsAnswer | Problem:
    if len(steps) > MAX_STEPS:
        return unclear(f"That is {len(steps)} steps; I can plan {MAX_STEPS} at a time.")
    prohibited = prohibitions(reading)
    for step in steps:
        if (step.skill, step.name) in prohibited:
            return unclear(f"You say to {step.skill} {step.name} and also not to; which is it?")
    return StepsAnswer(tuple(steps))


def prohibitions(reading: Reading) -> frozenset[tuple[str, str]]:
    """(compact skill, name) pairs that a `do not …` clause rules out."""
    found: set[tuple[str, str]] = set()
    for clause in reading.clauses:
        if clause.kind != "negative":
            continue
        classes = {name for verb in clause.verbs for name in verb.classes}
        items = clause_items(clause, reading.marked)
        for item in items:
            names = item.mention.candidates if item.mention else ("user",) if item.word in ("me", "here") else ()
            found |= _ruled_out(item.kind, names, classes, any(i.kind in ("place", "room") for i in items))
    return frozenset(found)


def _ruled_out(kind: str, names: Sequence[str], classes: set[str], placed: bool) -> set[tuple[str, str]]:
    if kind == "object" and not placed:
        return {("pick", name) for name in names} | {("inspect", name) for name in names if "inspect" in classes}
    if kind in ("place", "room"):
        skills = ("place",) if "move" in classes and "go" not in classes else ("place", "go")
        return {(skill, name) for skill in skills for name in names}
    return {
        (skill, name)
        for name in names
        for skill in (("give", "go") if "go" in classes and "give" not in classes else ("give",))
    }
