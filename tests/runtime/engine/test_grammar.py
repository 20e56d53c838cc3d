"""A grammar of any kind allows exactly its sentences, names what it forces, and is refused when it does not compile."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.engine.grammars.kinds import Choice, Ebnf, Grammar, JsonSchema, Lark, Regex
from premotor_runtime.engine.grammars.matcher import GrammarCompiler, _ids
from premotor_runtime.engine.grammars.text import MAX_CHOICES, MAX_GRAMMAR_CHARS, MAX_REGEX_CHARS
from premotor_runtime.models.tokenizer import Tokenizer

GRAMMAR = r"""
start: " pick " COLOUR " mug\n"
COLOUR: "red" | "blue"
"""
EBNF = 'root ::= " pick " colour " mug\\n"\ncolour ::= "red" | "blue"'
OPTIONS = (" pick red mug\n", " pick blue mug\n")


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


@pytest.mark.parametrize(
    "grammar", [GRAMMAR, Lark(GRAMMAR), Ebnf(EBNF), Regex(" pick (red|blue) mug\\n"), Choice(OPTIONS)], ids=repr
)
def test_every_kind_says_the_same(compiler: GrammarCompiler, tokenizer: Tokenizer, grammar: Grammar | str) -> None:
    for text, sentence in [(OPTIONS[0], True), (OPTIONS[1], True), (" pick mug\n", False), (OPTIONS[0] + "x", False)]:
        matcher = compiler.matcher(grammar)
        assert (all(matcher.accept(token) for token in tokenizer.encode(text)) and matcher.accepting) == sentence


def test_a_choice_may_hold_anything(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    options = ('say "hi"\n', "a\\b", "ü€😀", "/x/", "a", "ab", "a", "%json {")
    for option in options:
        matcher = compiler.matcher(Choice(options))
        assert all(matcher.accept(token) for token in tokenizer.encode(option)) and matcher.accepting


def test_a_token_outside_the_grammar_is_an_error_and_stays_one(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    matcher = compiler.matcher(GRAMMAR)
    assert not matcher.accept(tokenizer.encode("x")[0])
    assert matcher.error and not matcher.complete


def test_matchers_and_copies_are_independent(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    first, second = compiler.matcher(GRAMMAR), compiler.matcher(GRAMMAR)
    at_start = second.allowed()
    assert first.accept(tokenizer.encode(" ")[0])
    twin = first.copy()
    assert first.accept(tokenizer.encode("p")[0])
    assert np.array_equal(second.allowed(), at_start)
    assert np.array_equal(compiler.matcher(GRAMMAR).allowed(), at_start)
    assert {tokenizer.piece(int(token)) for token in twin.allowed()} == {"p"}
    assert {tokenizer.piece(int(token)) for token in first.allowed()} == {"i"}


def test_many_grammars_in_turn_are_each_themselves(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    for number in [*range(40), *range(40)]:
        matcher = compiler.matcher(Choice((f"mug {number}", f"mug {number}!")))
        assert all(matcher.accept(token) for token in tokenizer.encode(f"mug {number}"))


@given(st.integers(1, 60), st.data())
def test_a_mask_is_read_bit_by_bit(words: int, data: st.DataObject) -> None:
    bits = data.draw(st.sets(st.integers(0, words * 32 - 1)))
    for extra in (set(), set(range(0, words * 32, 3))):
        mask = np.zeros(words * 32 + 32 * 1000 * bool(extra), bool)
        mask[list(bits | extra)] = True
        if extra:
            mask[words * 32 :] = True
        assert np.array_equal(_ids(np.packbits(mask, bitorder="little")), np.flatnonzero(mask))


@pytest.mark.parametrize(
    ("grammar", "reason"),
    [
        ("start: nope", r"does not compile: ."),
        ("", r"does not compile: ."),
        ('start: "a', r"does not compile: ."),
        (Lark('start: "a" "b'), "does not compile"),
        (Lark('start: %json {"type": "string", "minLenght": 3}'), "`minLenght` at # is not enforced.*`minLength`"),
        # what looks like the start of a text or of an expression, and is none, hides nothing
        (Lark('start: /"/ %json {"minLenght": 3} /"/'), "`minLenght`"),
        (Lark('start: </a> %json {"minLenght": 3} "/"'), "`minLenght`"),
        (Lark('start: a # "\na: %json {"minLenght": 3} "b"'), "`minLenght`"),
        (Lark('start: %json {"x-guidance": {"whitespace_flexible": true}}'), "`x-guidance` at #"),
        (Lark("start: %json {'a': 1}"), "what is not JSON: .*give a schema in braces"),
        (Lark("start: %json"), "what is not JSON"),
        (Lark('start: "a" %json false'), "allows no value at all"),
        (Lark(f'start: "{"a" * MAX_GRAMMAR_CHARS}"'), f"at most {MAX_GRAMMAR_CHARS} are taken"),
        (Ebnf("root ::= nope"), "does not compile"),
        (Ebnf('root ::= "a'), "does not compile"),
        (Regex("(a"), "does not compile"),
        (Regex("(?=a)b"), "does not compile"),
        (Regex("a(?!b)"), "does not compile"),
        (Regex(""), "is empty"),
        (Regex("a" * (MAX_REGEX_CHARS + 1)), f"at most {MAX_REGEX_CHARS}"),
        (Regex("a{1000000}"), "does not compile: .*too many"),
        (Regex("(a?){500}a{500}"), "does not compile: .*too many"),
        (Regex("[^\\s\\S]"), "does not compile"),
        (Choice(()), "a choice is a list of strings"),
        (Choice(("a", "")), "none of them empty"),
        (Choice("abc"), "a choice is a list"),  # type: ignore[arg-type]
        (Choice((1, 2)), "a choice is a list"),  # type: ignore[arg-type]
        (Choice(tuple(map(str, range(MAX_CHOICES + 1)))), f"at most {MAX_CHOICES}"),
        (JsonSchema({"not": {}}), "`not` at #"),
        (42, "given int"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_does_not_compile_is_refused_with_the_reason(
    compiler: GrammarCompiler, grammar: Grammar | str, reason: str
) -> None:
    with pytest.raises(GrammarError, match=reason) as caught:
        compiler.matcher(grammar)
    assert caught.value.exit_code == 2 and len(str(caught.value)) < 1000


def test_a_schema_within_a_grammar_means_what_it_means_alone(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    schema = """{
      "$defs": {"side": {"enum": ["left"]}}, "type": "object", "title": "// \\"",
      "properties": {"at": {"$ref": "#/$defs/side"}, "n": {"const": [1, 2]}}, "required": ["at", "n"],
      "additionalProperties": false}"""
    alone = tokenizer.decode(compiler.matcher(JsonSchema(schema)).forced())
    assert json.loads(alone) == {"at": "left", "n": [1, 2]} and alone == json.dumps(json.loads(alone))
    nested = compiler.matcher(f'start: /"/ a " %json {{" %json{schema} a\na: "go "')
    assert tokenizer.decode(nested.forced()) == f'"go  %json {{{alone}go '
    either = compiler.matcher(Lark('start: %json {"const": 17} "," %json true'))
    assert tokenizer.decode(either.forced()) == "17,"
    with pytest.raises(GrammarError, match=r"compile: 4\("):
        compiler.matcher('start: %json {\n"const":\n17}\n  nope')


def test_percent_json_in_a_literal_or_comment_is_only_text(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    matcher = compiler.matcher('start: "%json" // not %json {}\n')
    assert tokenizer.decode(matcher.forced()) == "%json"
