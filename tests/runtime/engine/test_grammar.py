"""A grammar allows exactly its sentences and names what it forces."""

from __future__ import annotations

import numpy as np
import pytest

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.engine.grammar import GrammarCompiler
from premotor_runtime.models.tokenizer import Tokenizer

GRAMMAR = r"""
start: " pick " COLOUR " mug\n"
COLOUR: "red" | "blue"
"""


@pytest.fixture(scope="module")
def compiler(tokenizer: Tokenizer) -> GrammarCompiler:
    return GrammarCompiler(tokenizer, 264)


def test_forced_text_and_choices_alternate(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    matcher = compiler.matcher(GRAMMAR)
    forced = matcher.forced()
    assert tokenizer.decode(forced) in (" pick", " pick ")
    assert all(matcher.accept(token) for token in tokenizer.encode(" pick "))
    assert {tokenizer.piece(int(token))[0] for token in matcher.allowed()} == {"r", "b"}
    assert all(matcher.accept(token) for token in tokenizer.encode("red"))
    assert not matcher.complete
    rest = matcher.forced()
    assert tokenizer.decode(rest) == " mug\n"
    assert all(matcher.accept(token) for token in rest)
    assert matcher.complete and matcher.accepting and matcher.forced() == []


def test_a_token_outside_the_grammar_is_an_error_and_stays_one(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    matcher = compiler.matcher(GRAMMAR)
    assert not matcher.accept(tokenizer.encode("x")[0])
    assert matcher.error and not matcher.complete


def test_matchers_are_independent(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    first, second = compiler.matcher(GRAMMAR), compiler.matcher(GRAMMAR)
    assert first.accept(tokenizer.encode(" ")[0])
    assert np.array_equal(second.allowed(), compiler.matcher(GRAMMAR).allowed())


@pytest.mark.parametrize("grammar", ["start: nope", "", 'start: "a'])
def test_what_does_not_compile_is_refused_with_the_reason(compiler: GrammarCompiler, grammar: str) -> None:
    with pytest.raises(GrammarError, match=r"does not compile: .") as caught:
        compiler.matcher(grammar)
    assert caught.value.exit_code == 2
