"""The grammar compiles with llguidance and accepts exactly the answers that are possible in the catalogue."""

from __future__ import annotations

from dataclasses import replace

import llguidance
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from premotor_planners.task.answers.grammar import answer_grammar
from premotor_planners.task.catalogue import Catalogue

ODD = 'odd "q" \\ é😀/{x}[y]|*'


@pytest.fixture(scope="module")
def tokens() -> llguidance.LLTokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<eos>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(["pick red mug; place study desk"] * 3, trainer)
    return llguidance.LLTokenizer(tokenizer.to_str(), eos_token=0)


def accepts(tokens: llguidance.LLTokenizer, grammar: str, text: str) -> bool:
    matcher = llguidance.LLMatcher(tokens, llguidance.grammar_from("lark", grammar))
    assert not matcher.is_error(), matcher.get_error()
    ids = tokens.tokenize_str(text)
    return bool(matcher.try_consume_tokens(ids) == len(ids) and matcher.is_accepting())


@pytest.fixture(scope="module")
def small() -> Catalogue:
    return Catalogue(
        rooms=("kitchen", "study"),
        places={"kitchen counter": "kitchen", "study desk": "study", ODD: "study"},
        objects={"red mug": "kitchen counter", "red mug 2": "study desk"},
        people={"user": "study desk", "Anna": "study desk"},
    )


@pytest.mark.parametrize(
    "answer",
    [
        "pick red mug; place study desk",
        "pick red mug 2; place study",
        f"pick red mug; place {ODD}",
        "go kitchen",
        'go Anna; say "dinner; it\'s ready"; wait 20 seconds; wait 1 minute; dock',
        "inspect red mug; inspect kitchen",
        "pick red mug; give user",
        "refuse unsafe",
        'refuse unknown "grand piano"',
        "ask red mug, red mug 2",
        "ask kitchen counter, study desk",
        "; ".join(["dock"] * 12),
    ],
)
def test_possible_answers_are_accepted(tokens: llguidance.LLTokenizer, small: Catalogue, answer: str) -> None:
    assert accepts(tokens, answer_grammar(small), f" {answer}\n")


@pytest.mark.parametrize(
    "text",
    [
        "pick red mug\n",
        " pick blue mug\n",
        " pick red mug;  dock\n",
        " pick  red mug\n",
        " wait 0 seconds\n",
        " wait 1 minutes\n",
        " wait 20000 seconds\n",
        " fly kitchen\n",
        " go red mug\n",
        " give kitchen\n",
        " ask red mug\n",
        " ask red mug, Anna\n",
        " " + "; ".join(["dock"] * 13) + "\n",
        " pick red mug\n\n",
        ' say ""\n',
        ' say "' + "a" * 201 + '"\n',
        "",
    ],
)
def test_everything_else_is_rejected(tokens: llguidance.LLTokenizer, small: Catalogue, text: str) -> None:
    assert not accepts(tokens, answer_grammar(small), text)


def test_a_skill_that_is_missing_is_not_in_the_grammar(tokens: llguidance.LLTokenizer, small: Catalogue) -> None:
    grammar = answer_grammar(replace(small, skills=("go", "say")))
    assert accepts(tokens, grammar, ' go kitchen; say "hi"\n')
    assert not accepts(tokens, grammar, " pick red mug\n")


def test_an_empty_catalogue_leaves_refusals_only(tokens: llguidance.LLTokenizer) -> None:
    grammar = answer_grammar(Catalogue((), {}, {}, {}, skills=()))
    assert accepts(tokens, grammar, " refuse unclear\n")
    assert not accepts(tokens, grammar, " dock\n")


def test_no_steps_allowed_leaves_no_plan(tokens: llguidance.LLTokenizer, small: Catalogue) -> None:
    grammar = answer_grammar(small, max_steps=0)
    assert not accepts(tokens, grammar, " dock\n")
    assert accepts(tokens, answer_grammar(small, max_steps=1), " dock\n")


def test_the_house_grammar_compiles(tokens: llguidance.LLTokenizer, house: Catalogue) -> None:
    assert accepts(tokens, answer_grammar(house), " pick red mug; place study desk\n")
