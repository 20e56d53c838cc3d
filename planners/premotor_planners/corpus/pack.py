"""Packs: one random world with many independent questions about it, each with its only right answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from premotor_planners.corpus.lexicon import load_lexicon
from premotor_planners.corpus.parts.intents import CARRY, HELD
from premotor_planners.corpus.parts.maker import PartMaker
from premotor_planners.corpus.parts.part import Part
from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.corpus.surface import dress, join, wrap
from premotor_planners.corpus.worlds import SampledWorld, sample_world
from premotor_planners.task.answers.answer import Answer, CompactStep, RefusalAnswer, StepsAnswer
from premotor_planners.task.answers.compact import render_answer
from premotor_planners.task.answers.prompt import catalogue_block
from premotor_planners.task.catalogue import Catalogue

GENERATOR_VERSION = "1"
Split = Literal["train", "names", "wording"]
"""train: all trained; names: unseen names in seen wording; wording: unseen names in unseen wording."""

INTENTS = {
    "move": 19, "swap_order": 2.5, "give": 9, "give_me": 9, "go": 7, "go_me": 3, "go_person": 3.5, "pick": 3.5,
    "inspect": 6, "dock": 3, "wait": 3, "go_wait": 2.5, "say": 6, "tell_to": 2.5, "say_here": 2.5, "contrast": 3.5,
    "contrast_give_me": 2, "move_all": 3, "fetch_and_come": 1.5, "put_down": 0.4, "give_held": 0.2, "give_held_me": 0.2,
}  # fmt: skip
JOINABLE = {
    "move": 22, "give": 9, "give_me": 9, "go": 10, "go_me": 5, "go_person": 3, "pick": 1.5, "inspect": 7, "dock": 8,
    "wait": 8, "say": 9, "tell_to": 3, "say_here": 4, "go_wait": 1, "pickup": 8, "put_down": 0.01,
}  # fmt: skip
HOLDING = {"put_down": 12, "give_held": 6, "give_held_me": 6}
SHARES = {"joined": 0.27, "unsafe": 0.052, "unsupported": 0.055, "unclear": 0.02, "weapon": 0.004}
FAULTY = 0.165
FAULTY_JOINED = 0.16


@dataclass(frozen=True)
class Question:
    """An instruction, its answer, and what kind of question it is (for counting)."""

    task: str
    answer: Answer
    kind: str


@dataclass(frozen=True)
class Pack:
    """Questions about one catalogue."""

    catalogue: Catalogue
    questions: tuple[Question, ...]


def generate_pack(rng: random.Random, split: Split = "train", questions: int = 14) -> Pack:
    """A random world and `questions` distinct questions about it; the same `rng` state gives the same pack."""
    world = sample_world(rng, load_lexicon(split != "train"))
    found: dict[str, Question] = {}
    for _ in range(questions * 20):
        question = _try_question(world, rng, split == "wording")
        if question:
            found.setdefault(question.task, question)
        if len(found) == questions:
            break
    return Pack(world.catalogue, tuple(found.values()))


def generate_packs(seed: int, split: Split = "train", questions: int = 14) -> Iterator[Pack]:
    """Packs without end; the same seed gives the same packs."""
    rng = random.Random(seed)  # noqa: S311 - reproducible text, no secret
    while True:
        yield generate_pack(rng, split, questions)


def catalogue_text(catalogue: Catalogue) -> str:
    """The catalogue block of the prompt."""
    return catalogue_block(catalogue)


def answer_text(answer: Answer) -> str:
    """The answer as the model writes it: a leading space, one line."""
    return f" {render_answer(answer)}\n"


def _try_question(world: SampledWorld, rng: random.Random, held_out: bool) -> Question | None:
    maker = PartMaker(world, rng, held_out, terse=rng.random() < 0.06)
    try:
        kind = rng.choices((*SHARES, "single"), (*SHARES.values(), 1 - sum(SHARES.values())))[0]
        if kind == "joined":
            return _joined(maker)
        part = _single(maker) if kind == "single" else maker.weapon() if kind == "weapon" else maker.refusal(kind)
        return _finish(maker, wrap(part.text, part, rng, held_out, joined=False), [part], kind)
    except Unsuited:
        return None


def _single(maker: PartMaker) -> Part:
    intent = _draw(maker, INTENTS)
    return maker.make(intent, fault=maker.rng.random() < FAULTY)


def _draw(maker: PartMaker, weights: dict[str, float]) -> str:
    weights = dict(weights)
    if maker.holding:
        weights |= HOLDING
        weights = {i: w for i, w in weights.items() if i not in CARRY and i != "pickup"}
    return maker.rng.choices(list(weights), list(weights.values()))[0]


def _joined(maker: PartMaker) -> Question:
    rng, count = maker.rng, maker.rng.choice((2, 2, 2, 3))
    bad = rng.randrange(count) if rng.random() < FAULTY_JOINED else -1
    parts: list[Part] = []
    for i in range(count):
        parts.append(_clause(maker, parts, is_last=i == count - 1, is_bad=i == bad))
    whole = replace(parts[0], imperative=all(part.imperative for part in parts))
    text = wrap(join(parts, rng, maker.held_out), whole, rng, maker.held_out, joined=True)
    return _finish(maker, text, parts, "joined")


def _clause(maker: PartMaker, before: list[Part], is_last: bool, is_bad: bool) -> Part:
    rng = maker.rng
    imperative = rng.random() < 0.93
    if is_bad and rng.random() < 0.55:
        return maker.refusal(rng.choice(("unsafe", "unsupported")), imperative)
    after_pickup = bool(before) and before[-1].intent == "pickup"
    intent = _draw(maker, JOINABLE)
    if after_pickup:
        intent = rng.choice(("put_down", "put_down", "put_down", "give_held", "give_held_me", "go_me", "go_me"))
    if (intent == "pickup" and is_last) or (intent in HELD and not maker.holding):
        raise Unsuited
    if any(part.intent == intent for part in before) and intent in ("dock", "go_me", "wait"):
        raise Unsuited
    return maker.make(intent, is_bad, imperative)


def _finish(maker: PartMaker, text: str, parts: list[Part], kind: str) -> Question:
    text, stands = dress(text, tuple(lit for p in parts for lit in p.literals), maker.rng)
    problems = [part.problem for part in parts if part.problem]
    if len({render_answer(p) for p in problems}) > 1:
        raise Unsuited
    if problems:
        answer = problems[0]
        if isinstance(answer, RefusalAnswer) and answer.kind == "unknown":
            answer = replace(answer, what=stands[answer.what])
        return Question(text, answer, f"{kind}:{_label(answer)}")
    steps = tuple(_spoken(step, stands) for part in parts for step in part.steps)
    return Question(text, StepsAnswer(steps), kind if kind == "joined" else parts[0].intent)


def _spoken(step: CompactStep, stands: dict[str, str]) -> CompactStep:
    return replace(step, name=stands[step.name]) if step.skill == "say" else step


def _label(answer: Answer) -> str:
    return answer.kind if isinstance(answer, RefusalAnswer) else "ask"
