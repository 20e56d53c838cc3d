"""Words to a checked plan: limits, guards, the language model under a grammar, evidence, one repair, the rules.

The guards and the rules need no model. The rules plan only what they understand completely, so where they and the
model both plan but differ, the rules' plan is taken and reported as `fallback`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_planners.task.answer import AskAnswer, RefusalAnswer, StepsAnswer
from premotor_planners.task.capability import beyond_skills
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.compact import render_steps
from premotor_planners.task.confidence import answer_probability, unsure_names
from premotor_planners.task.decomposition import Decision, Decomposition
from premotor_planners.task.hazards import hazard
from premotor_planners.task.judge import Judged, Situation, judge, same_effects
from premotor_planners.task.language_model import Generation, LanguageModel
from premotor_planners.task.normalize import normalize
from premotor_planners.task.outcome import Problem, Question, Refusal, unclear, unknown, unsafe, unsupported, which
from premotor_planners.task.plan import PlanOrigin
from premotor_planners.task.proposals import Proposal, propose, propose_again
from premotor_planners.task.reading import Reading, read
from premotor_planners.task.rules import plan_by_rules

REFUSAL_TRUST = 0.9
"""A model's refusal as unsafe or unsupported outweighs what the rules understood when it was at least this sure."""

REFUSAL_TRUST_WITH_HAZARDS = 0.5
"""The same, where the plan of the rules takes a dangerous thing."""


class Decomposer:
    """Turns tasks into plans for one robot. `model` None: rules only (said in the decisions)."""

    def __init__(self, model: LanguageModel | None = None) -> None:
        self.model = model

    def decompose(self, task: str, catalogue: Catalogue, situation: Situation | None = None) -> Decomposition:
        """The plan or the problem for one task. Deterministic; raises CatalogueError for names that cannot be used."""
        text = normalize(task)
        name = self.model.name if self.model else "none"
        if isinstance(text, Refusal):
            return Decomposition(task, None, text, decisions=(Decision("normalize", text.reason),), model=name)
        work = _Work(text, read(text, catalogue), situation or Situation(), self.model)
        judged, problem = work.run()
        plan = judged.plan if judged else None
        return Decomposition(text, plan, problem, tuple(work.generations), tuple(work.decisions), name)


@dataclass
class _Work:
    task: str
    reading: Reading
    situation: Situation
    model: LanguageModel | None
    generations: list[Generation] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    def note(self, stage: str, found: str) -> None:
        self.decisions.append(Decision(stage, found))

    def run(self) -> tuple[Judged | None, Problem | None]:
        for stage, guard in (("hazards", hazard), ("capability", beyond_skills)):
            problem = guard(self.reading)
            if problem:
                self.note(stage, _sentence(problem))
                return None, problem
        ruled, problem = self.rules()
        if self.model is None:
            self.note("model", "no language model: rules only")
            return (ruled, None) if ruled else (None, problem)
        return self.with_model(self.model, ruled, problem)

    def rules(self) -> tuple[Judged | None, Problem | None]:
        """The rules' plan if it stands every check, else the problem they see."""
        answer = plan_by_rules(self.reading)
        if not isinstance(answer, StepsAnswer):
            self.note("rules", _sentence(answer))
            return None, answer
        judged = judge(answer.steps, self.reading, self.situation, "fallback")
        self.note("rules", _account(judged))
        return (judged, None) if judged.good else (None, _problem_of(judged))

    def with_model(
        self, model: LanguageModel, ruled: Judged | None, problem: Problem | None
    ) -> tuple[Judged | None, Problem | None]:
        first = self.take(propose(model, self.reading, self.task), "llm")
        chosen = self.choose(first, "llm", ruled, problem)
        if chosen is not None:
            return chosen
        feedback = self.feedback(first)
        second = self.take(propose_again(model, self.reading, self.task, first, feedback), "repair")
        chosen = self.choose(second, "repaired", ruled, problem)
        return chosen if chosen is not None else self.fall_back(ruled, problem, first)

    def take(self, proposal: Proposal, stage: str) -> Proposal:
        if proposal.generation:
            self.generations.append(proposal.generation)
        self.note(stage, proposal.generation.text.strip() if proposal.generation else proposal.error)
        return proposal

    def choose(
        self, proposal: Proposal, origin: PlanOrigin, ruled: Judged | None, problem: Problem | None
    ) -> tuple[Judged | None, Problem | None] | None:
        """A final outcome, or None when the proposal is of no use and may be repaired."""
        answer = proposal.answer
        if answer is None:
            return None
        if not isinstance(answer, StepsAnswer):
            return self.declined(answer, proposal, ruled, problem)
        judged = judge(answer.steps, self.reading, self.situation, origin)
        self.note("evidence", _account(judged))
        if not judged.good:
            return None
        if ruled is not None:
            return self.reconcile(judged, ruled)
        return self.only_model(judged, proposal, problem)

    def reconcile(self, judged: Judged, ruled: Judged) -> tuple[Judged | None, Problem | None]:
        assert judged.plan is not None and ruled.plan is not None
        if same_effects(judged.plan, ruled.plan, self.reading, self.situation.at):
            return judged, None
        self.note(
            "choice", "the model and the rules plan differently; the rules explain every word, so theirs is taken"
        )
        return ruled, None

    def only_model(
        self, judged: Judged, proposal: Proposal, problem: Problem | None
    ) -> tuple[Judged | None, Problem | None] | None:
        """The rules did not understand; the model's plan passes the evidence, and must be sure of its names."""
        if problem is not None and not (isinstance(problem, Refusal) and problem.kind == "unclear"):
            self.note("choice", "the rules see a problem that the model passes over")
            return None, problem
        names = [step.name for step in judged.steps if step.skill not in ("say", "wait", "dock")]
        unsure = unsure_names(proposal.generation, names) if proposal.generation else names
        if unsure:
            self.note("confidence", f"the model is unsure of {', '.join(unsure)}")
            return None, problem
        return judged, None

    def declined(
        self, answer: RefusalAnswer | AskAnswer, proposal: Proposal, ruled: Judged | None, problem: Problem | None
    ) -> tuple[Judged | None, Problem | None]:
        """The model refuses or asks."""
        sure = answer_probability(proposal.generation) if proposal.generation else 0.0
        grave = isinstance(answer, RefusalAnswer) and answer.kind in ("unsafe", "unsupported")
        hazardous = ruled is not None and any(step.name in self.reading.catalogue.hazards for step in ruled.steps)
        trusted = grave and sure >= (REFUSAL_TRUST_WITH_HAZARDS if hazardous else REFUSAL_TRUST)
        if ruled is not None and not trusted:
            self.note("choice", f"the model declines ({sure:.2f}), the rules explain every word: their plan is taken")
            return ruled, None
        mine = self.problem_from(answer)
        specific = problem is not None and not (isinstance(problem, Refusal) and problem.kind == "unclear")
        return None, problem if specific and not trusted else mine

    def problem_from(self, answer: RefusalAnswer | AskAnswer) -> Problem:
        if isinstance(answer, AskAnswer):
            return which(answer.candidates)
        if answer.kind == "unknown":
            return unknown(answer.what, self.reading.catalogue)
        if answer.kind == "unsafe":
            return unsafe("it could hurt somebody or break something")
        return unsupported("do that") if answer.kind == "unsupported" else unclear()

    def feedback(self, proposal: Proposal) -> str:
        if isinstance(proposal.answer, StepsAnswer):
            judged = judge(proposal.answer.steps, self.reading, self.situation, "llm")
            return (*judged.errors, *(doubt.about for doubt in judged.doubts), "the plan is not accepted")[0]
        return proposal.error or "the answer is not accepted"

    def fall_back(
        self, ruled: Judged | None, problem: Problem | None, first: Proposal
    ) -> tuple[Judged | None, Problem | None]:
        """The rules' plan, else their problem, else what speaks against the model's first plan."""
        self.note("choice", "the model's answers do not stand; the rules decide")
        if ruled is not None:
            return ruled, None
        if isinstance(first.answer, StepsAnswer) and isinstance(problem, Refusal) and problem.kind == "unclear":
            judged = judge(first.answer.steps, self.reading, self.situation, "llm")
            asked = next((d.problem for d in judged.doubts if isinstance(d.problem, Question)), None)
            return None, asked or problem
        return None, problem


def _sentence(problem: Problem) -> str:
    return problem.reason if isinstance(problem, Refusal) else problem.text


def _account(judged: Judged) -> str:
    text = render_steps(judged.steps)
    against = [*judged.errors, *(doubt.about for doubt in judged.doubts)]
    return f"{text}: {'; '.join(against)}" if against else f"{text}: accepted"


def _problem_of(judged: Judged) -> Problem:
    """What to tell the person about a plan of the rules that fails a check."""
    if judged.errors:
        return unsupported_step(judged.errors[0])
    questions = [d.problem for d in judged.doubts if isinstance(d.problem, Question)]
    return questions[0] if questions else judged.doubts[0].problem


def unsupported_step(error: str) -> Refusal:
    """A plan that was understood but cannot be carried out, as a sentence."""
    return Refusal("unsupported", f"That cannot be done: {error}.")
