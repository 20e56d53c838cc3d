"""The rule-based planner: a small semantic parser from an instruction to a plan, a question or a refusal.

It answers with a plan only when every word of every task clause is explained; so what it plans is what was meant,
and what it does not understand it refuses. It is the fallback where the language model fails, and works without one.
"""

from __future__ import annotations

from collections.abc import Sequence

from premotor_planners.task.answers.answer import MAX_STEPS, CompactStep, StepsAnswer
from premotor_planners.task.evidence.leftovers import first_problem, nothing_to_do
from premotor_planners.task.outcome import Problem, unclear, unsupported
from premotor_planners.task.reading.clauses import Clause
from premotor_planners.task.reading.ordering import ranks
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.rules.intents import Intent
from premotor_planners.task.rules.interpret import Interpreter
from premotor_planners.task.rules.prohibitions import prohibitions
from premotor_planners.task.rules.resolve import StuckError
from premotor_planners.task.rules.wishes import settled
from premotor_planners.task.rules.writer import Writer


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
    intents = settled(sorted(intents, key=lambda intent: intent.order))
    if not intents:
        return nothing_to_do(reading)
    writer = Writer(reading.catalogue, reading.catalogue.holding)
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


def _finished(steps: Sequence[CompactStep], reading: Reading) -> StepsAnswer | Problem:
    if len(steps) > MAX_STEPS:
        return unclear(f"That is {len(steps)} steps; I can plan {MAX_STEPS} at a time.")
    prohibited = prohibitions(reading)
    for step in steps:
        if (step.skill, step.name) in prohibited:
            return unclear(f"You say to {step.skill} {step.name} and also not to; which is it?")
    return StepsAnswer(tuple(steps))
