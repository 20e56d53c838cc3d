"""From the kinds of grammar to llguidance's own notation, with everything refused that it would not enforce."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from llguidance import LLMatcher
from llguidance.gbnf_to_lark import gbnf_to_lark

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.engine.grammars.json_schema import enforceable
from premotor_runtime.engine.grammars.kinds import Choice, Ebnf, Grammar, JsonSchema, Lark, Regex

MAX_GRAMMAR_CHARS = 262_144
MAX_REGEX_CHARS = 16_384
MAX_CHOICES = 4096
# as `json.dumps` writes it: whatever is fixed can be appended without asking the model, and blanks cannot go on
_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_WRITTEN_SPACING = {"x-guidance": _SPACING}
# as llguidance reads Lark: strings, comments, special tokens and regular expressions, in which %json is only text
_LEXEME = re.compile(r'"(?:\\.|[^"\\\n])*"|(?://|#)[^\n]*|<[^<>\s]+>|/(?:\\.|[^/\\])+/|%json[ \t\r\n]*')


def compiled(grammar: Grammar | str) -> str:
    """`grammar` as llguidance takes it; a string is Lark. Raises GrammarError; most faults show only in the matcher."""
    if isinstance(grammar, (str, Lark)):
        return _lark(grammar if isinstance(grammar, str) else grammar.text)
    if isinstance(grammar, Ebnf):
        return _lark(_converted(_bounded("EBNF grammar", grammar.text, MAX_GRAMMAR_CHARS)))
    if isinstance(grammar, Regex):
        return str(LLMatcher.grammar_from_regex(_bounded("regular expression", grammar.pattern, MAX_REGEX_CHARS)))
    if isinstance(grammar, Choice):
        return _lark(_alternatives(grammar.options))
    if isinstance(grammar, JsonSchema):
        return str(LLMatcher.grammar_from_json_schema(json.dumps(_schema(grammar)), overrides=_SPACING))
    raise GrammarError(f"a grammar is Lark, Ebnf, Regex, Choice or JsonSchema; given {type(grammar).__name__}")


def _bounded(kind: str, text: object, limit: int) -> str:
    if not isinstance(text, str) or not text:
        raise GrammarError(f"the {kind} does not compile: it is empty, or no string; give at least one character")
    if len(text) > limit:
        raise GrammarError(f"the {kind} has {len(text)} characters, at most {limit} are taken; make it shorter")
    return text


def _lark(text: str) -> str:
    return str(LLMatcher.grammar_from_lark(_with_schemas(_bounded("grammar", text, MAX_GRAMMAR_CHARS))))


def _with_schemas(text: str) -> str:
    """`text` with every schema after %json as `JsonSchema` would have it: refused where not enforced, and spaced."""
    parts: list[str] = []
    kept = at = 0
    while found := _LEXEME.search(text, at):
        at = found.end()
        if found[0].startswith("%json"):
            schema, end = _nested_schema(text, at)
            blank = "\n" * text.count("\n", at, end)  # inside the schema, so that messages name the right line
            parts += [text[kept:at], schema[:1], blank, schema[1:]]
            kept = at = end
    return "".join([*parts, text[kept:]])


def _nested_schema(text: str, at: int) -> tuple[str, int]:
    try:
        schema, end = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        raise GrammarError(f"%json is followed by what is not JSON: {error}; give a schema in braces") from error
    return json.dumps(enforceable(schema) | _WRITTEN_SPACING), end


def _converted(text: str) -> str:
    try:
        return str(gbnf_to_lark(text))
    except Exception as error:  # the converter raises its own errors as well as IndexError and the like
        raise GrammarError(f"the EBNF grammar does not compile: {error}") from error


def _alternatives(options: tuple[str, ...]) -> str:
    if isinstance(options, str) or not options or not all(isinstance(option, str) and option for option in options):
        raise GrammarError(f"a choice is a list of strings, none of them empty; given {options!r:.60}")
    if len(options) > MAX_CHOICES:
        raise GrammarError(f"the choice has {len(options)} options, at most {MAX_CHOICES} are taken; use a grammar")
    literals = [json.dumps(option, ensure_ascii=False) for option in dict.fromkeys(options)]
    return "start: OPTION\nOPTION: " + " | ".join(literals)


def _schema(grammar: JsonSchema) -> dict[str, object]:
    schema: object = grammar.schema
    if isinstance(schema, str):
        try:
            schema = json.loads(_bounded("schema", schema, MAX_GRAMMAR_CHARS), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise GrammarError(f"the schema is not JSON: {error}") from error
    return enforceable(_plain(schema))


def _plain(schema: object) -> object:
    """A schema given as Python values, as if it had been read from JSON text."""
    if not isinstance(schema, Mapping):
        return schema
    try:
        text = json.dumps(dict(schema), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise GrammarError(f"the schema cannot be written as JSON: {error}") from error
    return json.loads(_bounded("schema", text, MAX_GRAMMAR_CHARS))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")
