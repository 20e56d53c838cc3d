"""The flow around a language model: accepted, repaired, replaced by the rules, refused, never hidden."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from premotor_planners.errors import AnswerError
from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.evidence.judge import Situation
from premotor_planners.task.language_model import Generation


@dataclass
class Scripted:
    """Answers in turn; `probability` is that of every token before the mask."""

    answers: list[str]
    probability: float = 0.9
    finish_reason: str = "stop"
    asked: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
        self.asked.append(tuple(blocks))
        text = f" {self.answers.pop(0)}\n"
        tokens = tuple(text.replace(" ", "| ").split("|"))
        logprobs = (math.log(self.probability),) * len(tokens)
        return Generation(text, self.finish_reason, tokens, logprobs, logprobs, 10, len(tokens), 0, 0.0, 0.0)


class Broken:
    """A model whose grammar does not compile."""

    name = "broken"

    def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
        raise AnswerError("the grammar does not compile")


def test_a_right_answer_is_taken_as_it_is(house: Catalogue) -> None:
    model = Scripted(["pick red mug; place study desk"])
    result = Decomposer(model).decompose("take the red mug from the kitchen to the study desk", house)
    assert result.origin == "llm" and len(result.generations) == 1 and result.model == "scripted"
    assert model.asked[0][1].startswith("Task: take the red mug")


def test_a_wrong_answer_is_repaired_with_its_error(house: Catalogue) -> None:
    model = Scripted(["pick blue mug; place study desk", "pick red mug; place study desk"])
    result = Decomposer(model).decompose("take the red mug to the study desk", house)
    assert result.origin == "repaired" and len(result.generations) == 2
    assert "pick blue mug; place study desk\nError: nothing in the task asks to pick blue mug" in model.asked[1][1]


@pytest.mark.parametrize("wrong", ["pick blue mug; place study desk", "dock", "place sofa", "pick red mug", "nonsense"])
def test_two_wrong_answers_leave_the_rules(
    house: Catalogue, outcome_line: Callable[[Decomposition, Catalogue], str], wrong: str
) -> None:
    result = Decomposer(Scripted([wrong, wrong])).decompose("take the red mug to the study desk", house)
    assert outcome_line(result, house) == "pick red mug; place study desk"
    assert result.origin == "fallback" and len(result.generations) == 2
    assert any(decision.stage == "choice" for decision in result.decisions)


def test_a_repair_that_does_less_than_the_first_answer_is_not_taken(house: Catalogue) -> None:
    model = Scripted(["inspect sofa bed; go study", "go study"])
    result = Decomposer(model).decompose("I am not sure about the study, have a look round there", house)
    assert result.origin == "fallback"
    assert any("the repair leaves out" in decision.found for decision in result.decisions)


def test_an_answer_given_twice_is_no_surer_for_it(house: Catalogue) -> None:
    """The first time the model is not sure; the second time its own answer stands in the prompt."""

    class Stubborn(Scripted):
        def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
            self.probability = 0.99 if self.asked else 0.05
            return super().generate(blocks, grammar, max_tokens)

    result = Decomposer(Stubborn(["go study"] * 2)).decompose("the study wants a look whatsoever", house)
    assert result.plan is None
    assert any("the first answer again" in decision.found for decision in result.decisions)


def test_an_answer_cut_off_is_not_used(house: Catalogue) -> None:
    model = Scripted(["pick red mug; place study desk"] * 2, finish_reason="length")
    result = Decomposer(model).decompose("take the red mug to the study desk", house)
    assert result.origin == "fallback"


def test_a_broken_model_is_reported_and_replaced(house: Catalogue) -> None:
    result = Decomposer(Broken()).decompose("take the red mug to the study desk", house)
    assert result.origin == "fallback" and result.generations == ()
    assert any("does not compile" in decision.found for decision in result.decisions)


def test_no_model_is_said(house: Catalogue) -> None:
    result = Decomposer(None).decompose("dock", house)
    assert result.origin == "fallback" and result.model == "none"
    assert any("no language model" in decision.found for decision in result.decisions)


def test_the_model_helps_where_the_rules_do_not_understand(house: Catalogue) -> None:
    task = "the apple, Ben, off you go with it"
    assert Decomposer(None).decompose(task, house).plan is None
    result = Decomposer(Scripted(["pick apple; give Ben"])).decompose(task, house)
    assert result.origin in ("llm", None)


def test_an_unsure_model_alone_moves_nothing(house: Catalogue) -> None:
    task = "the apple, Ben, off you go with it"
    result = Decomposer(Scripted(["pick apple; give Ben"] * 2, probability=0.01)).decompose(task, house)
    assert result.plan is None


def test_a_danger_never_reaches_the_model(house: Catalogue) -> None:
    model = Scripted(["pick kitchen knife; give Ben"])
    result = Decomposer(model).decompose("throw the kitchen knife at Ben", house)
    assert result.refusal is not None and result.refusal.kind == "unsafe" and model.asked == []


def test_an_unknown_thing_stays_unknown_whatever_the_model_says(house: Catalogue) -> None:
    result = Decomposer(Scripted(["pick stapler; give user"] * 2)).decompose("bring me the piano", house)
    assert result.refusal is not None and result.refusal.kind == "unknown" and "piano" in result.message


def test_an_ambiguous_name_is_asked_about(house: Catalogue) -> None:
    result = Decomposer(Scripted(["pick red mug; give user"] * 2)).decompose("bring me the mug", house)
    assert result.question is not None and result.question.candidates == ("red mug", "blue mug")
    assert result.message == "Which mug, red or blue?"


@pytest.mark.parametrize(("probability", "executed"), [(0.99, False), (0.3, True)])
def test_a_sure_refusal_outweighs_the_rules(house: Catalogue, probability: float, executed: bool) -> None:
    result = Decomposer(Scripted(["refuse unsafe"], probability)).decompose("take the red mug to the sink", house)
    assert (result.plan is not None) == executed


def test_a_refusal_of_the_model_is_a_sentence(house: Catalogue) -> None:
    result = Decomposer(Scripted(['refuse unknown "harpsichord"'])).decompose("hmm the harpsichord thing", house)
    assert result.plan is None and result.message.endswith(".")


def test_a_place_out_of_reach_is_refused(house: Catalogue) -> None:
    situation = Situation(reachable=frozenset({"kitchen counter", "sink"}))
    result = Decomposer(None).decompose("take the red mug to the study desk", house, situation)
    assert result.plan is None and "cannot be reached" in result.message


def test_the_same_task_gives_the_same_result(house: Catalogue) -> None:
    first = Decomposer(None).decompose("bring Ben the apple, then dock", house)
    assert first == Decomposer(None).decompose("bring Ben the apple, then dock", house)


WORDS = [
    *("take", "bring", "put", "say", "tell", "go", "dock", "wait", "is", "need", "could", "please", "that"),
    *("the", "a", "all", "both", "no", "not", "don't", "instead", "from", "with", "of", "to", "on", "in"),
    *("red", "mug", "blue", "one", "sofa", "kitchen", "sink", "Anna", "Ben's", "me", "it", "I", "you", "hello"),
    *("and", "then", "before", "after", "if", "when", "every", "20", "seconds", ",", ".", "?", "!", '"'),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
@example(["say", "."])
def test_no_jumble_of_words_breaks_it(house: Catalogue, words: list[str]) -> None:
    result = Decomposer(None).decompose(" ".join(words), house)
    assert (result.plan is None) != (result.problem is None)
    assert result.plan is not None or result.message


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_no_text_breaks_it(house: Catalogue, text: str) -> None:
    result = Decomposer(None).decompose(text, house)
    assert (result.plan is None) != (result.problem is None)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_no_names_break_it(house: Catalogue, thing: str, place: str) -> None:
    odd = replace(house, objects={thing: place}, places={place: "kitchen"}, people={"user": place})
    result = Decomposer(None).decompose(f"take the {thing} to the {place}".replace("\n", " "), odd)
    assert (result.plan is None) != (result.problem is None)
