"""The kinds of grammar that a request may bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lark:
    """EBNF in llguidance's dialect of Lark; the rule `start` is the whole output.

    Within it `%json {...}` is JSON that satisfies a schema, checked and spaced as `JsonSchema` is.
    """

    text: str


@dataclass(frozen=True)
class Ebnf:
    """EBNF with `::=` as llama.cpp and vLLM take it (GBNF); the rule `root` is the whole output."""

    text: str


@dataclass(frozen=True)
class Regex:
    """A regular expression (syntax of the Rust crate `regex`) that the whole output matches; no look-around."""

    pattern: str


@dataclass(frozen=True)
class Choice:
    """One of these texts."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class JsonSchema:
    """JSON that satisfies a schema of draft 2020-12: the schema itself, or its JSON text.

    The output is spaced as `json.dumps` spaces it ("a": 1, "b": 2), with properties in the schema's order.
    """

    schema: str | bool | Mapping[str, object]


Grammar = Lark | Ebnf | Regex | Choice | JsonSchema
