"""How guards, rules and language model come to one outcome for one task; every judgement is noted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from premotor_planners.task.accounts import account, problem_from, problem_of, sentence
from premotor_planners.task.answers.answer import AskAnswer, RefusalAnswer, StepsAnswer
from premotor_planners.task.answers.compact import render_answer
from premotor_planners.task.decomposition import Decision
from premotor_planners.task.evidence.confidence import answer_probability, unsure_names
from premotor_planners.task.evidence.judge import Judged, Situation, judge, same_effects
from premotor_planners.task.guards.capability import beyond_skills, scheduled_words
from premotor_planners.task.guards.hazards import hazard
from premotor_planners.task.language_model import Generation, LanguageModel
from premotor_planners.task.outcome import Problem, Question, Refusal
from premotor_planners.task.phrasebook import parse as parse_phrase
from premotor_planners.task.plan import PlanOrigin
from premotor_planners.task.proposals import Proposal, no_repair, propose, propose_again
from premotor_planners.task.reading.reading import Reading
from premotor_planners.task.rules.planner import plan_by_rules
from premotor_planners.task.trust import (
    GOOD_PLAN_TRUST,
    OVERRULE_TRUST,
    PLAN_TRUST,
    REASON_TRUST,
    REFUSAL_TRUST,
    REFUSAL_TRUST_WITH_HAZARDS,
)

Outcome: TypeAlias = "tuple[Judged | None, Problem | None]"
"""A plan that may be carried out, or why there is none."""


@dataclass
class Deliberation:
    """One task in one situation. `run` may be called once; it fills `generations` and `decisions`."""

    task: str
    reading: Reading
    situation: Situation
    model: LanguageModel | None
    generations: list[Generation] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    known: bool = False
    """Whether the phrasebook knows the task word for word."""

    def _note(self, stage: str, found: str) -> None:
        self.decisions.append(Decision(stage, found))

    def run(self) -> Outcome:
        """The judged plan, or the problem; exactly one of them."""
        danger = hazard(self.reading)
        if danger:
            self._note("hazards", sentence(danger))
            return None, danger
        known = self._phrasebook()
        if known is not None and known[0] is None:
            return known
        ruled, problem = known if known is not None else self._rules()
        if self.model is None:
            self._note("model", "no language model: rules only")
            return (ruled, None) if ruled else (None, problem)
        return self._with_model(self.model, ruled, problem)

    def _phrasebook(self) -> Outcome | None:
        """A phrasing that is known word for word; None for any other, and for what no robot can do."""
        answer = parse_phrase(self.task, self.reading.catalogue)
        if answer is None:
            return None
        if not isinstance(answer, StepsAnswer):
            self._note("phrasebook", render_answer(answer))
            return None, problem_from(answer, self.reading.catalogue)
        judged = judge(answer.steps, self.reading, self.situation, "fallback")
        self._note("phrasebook", account(judged))
        texts = [step.name for step in answer.steps if step.skill == "say"]
        misplaced = any(isinstance(d.problem, Refusal) and d.problem.misplaced for d in judged.doubts)
        self.known = not (judged.errors or misplaced) and scheduled_words(texts) is None
        return (judged, None) if self.known else None

    def _rules(self) -> Outcome:
        """The rules' plan if it stands every check, else the problem they see."""
        problem = beyond_skills(self.reading)
        if problem:
            self._note("capability", sentence(problem))
            return None, problem
        answer = plan_by_rules(self.reading)
        if not isinstance(answer, StepsAnswer):
            self._note("rules", sentence(answer))
            return None, answer
        judged = judge(answer.steps, self.reading, self.situation, "fallback")
        self._note("rules", account(judged))
        return (judged, None) if judged.good else (None, problem_of(judged))

    def _with_model(self, model: LanguageModel, ruled: Judged | None, problem: Problem | None) -> Outcome:
        first = self._take(propose(model, self.reading, self.task), "llm")
        chosen = self._choose(first, "llm", ruled, problem)
        if chosen is not None:
            return chosen
        feedback = self._feedback(first)
        second = self._take(propose_again(model, self.reading, self.task, first, feedback), "repair")
        fault = no_repair(first, second)
        if fault:
            self._note("evidence", fault)
            return self._fall_back(ruled, problem, first)
        chosen = self._choose(second, "repaired", ruled, problem)
        return chosen if chosen is not None else self._fall_back(ruled, problem, first)

    def _take(self, proposal: Proposal, stage: str) -> Proposal:
        if proposal.generation:
            self.generations.append(proposal.generation)
        self._note(stage, proposal.generation.text.strip() if proposal.generation else proposal.error)
        return proposal

    def _choose(
        self, proposal: Proposal, origin: PlanOrigin, ruled: Judged | None, problem: Problem | None
    ) -> Outcome | None:
        """A final outcome, or None when the proposal is of no use and may be repaired."""
        answer = proposal.answer
        if answer is None:
            return None
        if not isinstance(answer, StepsAnswer):
            return self._declined(answer, proposal, ruled, problem)
        judged = judge(answer.steps, self.reading, self.situation, origin)
        self._note("evidence", account(judged))
        if ruled is not None:
            return self._reconcile(judged, ruled, proposal) if judged.good or self._agree(judged, ruled) else None
        return self._only_model(judged, proposal) if judged.likely else None

    def _agree(self, judged: Judged, ruled: Judged) -> bool:
        if judged.plan is None or ruled.plan is None:
            return False
        return same_effects(judged.plan, ruled.plan, self.reading, self.situation.at)

    def _reconcile(self, judged: Judged, ruled: Judged, proposal: Proposal) -> Outcome:
        if self._agree(judged, ruled):
            return judged, None
        sure = answer_probability(proposal.generation) if proposal.generation else 0.0
        fuller = Counter(judged.steps) > Counter(ruled.steps)
        if (sure >= OVERRULE_TRUST or fuller) and not self.known:
            self._note("choice", f"the model and the rules plan differently; the model is sure ({sure:.2f})")
            return judged, None
        self._note("choice", "the model and the rules plan differently; the rules' plan is taken")
        return ruled, None

    def _only_model(self, judged: Judged, proposal: Proposal) -> Outcome | None:
        """Rules and phrasebook have no plan; the model's passes, and it must be sure of its names and of itself."""
        names = [step.name for step in judged.steps if step.skill not in ("say", "wait", "dock")]
        unsure = unsure_names(proposal.generation, names) if proposal.generation else names
        sure = answer_probability(proposal.generation) if proposal.generation else 0.0
        if unsure or sure < (GOOD_PLAN_TRUST if judged.good else PLAN_TRUST):
            self._note("confidence", f"the model is not sure enough ({sure:.2f}) {', '.join(unsure)}".strip())
            return None
        return judged, None

    def _declined(
        self, answer: RefusalAnswer | AskAnswer, proposal: Proposal, ruled: Judged | None, problem: Problem | None
    ) -> Outcome:
        """The model refuses or asks."""
        sure = answer_probability(proposal.generation) if proposal.generation else 0.0
        grave = isinstance(answer, RefusalAnswer) and answer.kind in ("unsafe", "unsupported")
        hazardous = ruled is not None and any(step.name in self.reading.catalogue.hazards for step in ruled.steps)
        trusted = grave and sure >= (REFUSAL_TRUST_WITH_HAZARDS if hazardous else REFUSAL_TRUST)
        if ruled is not None and not trusted:
            self._note("choice", f"the model declines ({sure:.2f}), the rules explain every word: their plan is taken")
            return ruled, None
        mine = problem_from(answer, self.reading.catalogue)
        specific = problem is not None and not (isinstance(problem, Refusal) and problem.kind == "unclear")
        better = problem is not None and not trusted and (specific or sure < REASON_TRUST)
        return None, problem if better else mine

    def _feedback(self, proposal: Proposal) -> str:
        if isinstance(proposal.answer, StepsAnswer):
            judged = judge(proposal.answer.steps, self.reading, self.situation, "llm")
            return (*judged.errors, *(doubt.about for doubt in judged.doubts), "the plan is not accepted")[0]
        return proposal.error or "the answer is not accepted"

    def _fall_back(self, ruled: Judged | None, problem: Problem | None, first: Proposal) -> Outcome:
        """The rules' plan, else their problem, else what speaks against the model's first plan."""
        self._note("choice", "the model's answers do not stand; the rules decide")
        if ruled is not None:
            return ruled, None
        if isinstance(first.answer, StepsAnswer) and isinstance(problem, Refusal) and problem.kind == "unclear":
            judged = judge(first.answer.steps, self.reading, self.situation, "llm")
            asked = next((d.problem for d in judged.doubts if isinstance(d.problem, Question)), None)
            return None, asked or problem
        return None, problem
