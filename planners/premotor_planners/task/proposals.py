"""Asking the language model: one answer under the grammar, one more with the error as feedback."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_foundation.errors import PremotorError
from premotor_planners.errors import AnswerError
from premotor_planners.task.answers.answer import Answer, StepsAnswer
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.answers.grammar import answer_grammar
from premotor_planners.task.answers.prompt import prompt_blocks
from premotor_planners.task.language_model import Generation, LanguageModel
from premotor_planners.task.reading.reading import Reading

MAX_TOKENS = 160
"""Twelve steps of about a dozen tokens; an answer cut off here is rejected."""


@dataclass(frozen=True)
class Proposal:
    """A model's answer, or why it cannot be used; `generation` is None when the model itself failed."""

    answer: Answer | None
    generation: Generation | None
    error: str = ""


def propose(model: LanguageModel, reading: Reading, task: str) -> Proposal:
    """The first answer to a task."""
    return _generate(model, reading, prompt_blocks(reading.catalogue, task))


def propose_again(model: LanguageModel, reading: Reading, task: str, before: Proposal, feedback: str) -> Proposal:
    """The second and last answer: the prompt, the first answer, and what was wrong with it."""
    catalogue, question = prompt_blocks(reading.catalogue, task)
    answer = before.generation.text.strip() if before.generation else ""
    return _generate(model, reading, (catalogue, f"{question} {answer}\nError: {feedback}\n{question}"))


def no_repair(first: Proposal, second: Proposal) -> str:
    """Why the second answer mends nothing: it repeats the first, or does less; empty when it may be judged.

    The first answer stands in the second prompt, so a model that repeats it looks sure of it. A skill may not be
    dropped to please the validator either (driving is left out: other steps bring their own).
    """
    if not (isinstance(first.answer, StepsAnswer) and isinstance(second.answer, StepsAnswer)):
        return ""
    if first.answer == second.answer:
        return "the repair is the first answer again"
    left = {step.skill for step in first.answer.steps} - {step.skill for step in second.answer.steps} - {"go"}
    return f"the repair leaves out what the first answer had: {', '.join(sorted(left))}" if left else ""


def _generate(model: LanguageModel, reading: Reading, blocks: tuple[str, ...]) -> Proposal:
    try:
        generation = model.generate(blocks, answer_grammar(reading.catalogue), MAX_TOKENS)
    except PremotorError as error:
        return Proposal(None, None, str(error))
    if generation.finish_reason == "length":
        return Proposal(None, generation, f"the answer was cut off after {MAX_TOKENS} tokens")
    try:
        return Proposal(parse_answer(generation.text), generation)
    except AnswerError as error:
        return Proposal(None, generation, str(error))
