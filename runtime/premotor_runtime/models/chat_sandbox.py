"""The sandbox that chat templates run in: `transformers`' environment with bounds on size and on work.

A template comes with a checkpoint and is not trusted: it sees plain data only, cannot change it, and neither the text
that it builds nor the number of its loop turns and macro calls may exceed a bound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEXT = 1 << 20
"""Characters in any text or list that a template builds."""
MAX_TURNS = 50_000
"""Loop turns and macro calls of one rendering."""
_TURN = "__turn"
# widths of five digits or more, or given by another argument
_WIDE_PERCENT = re.compile(r"%[^a-zA-Z%]*(\*|\d{5})")
_WIDE_BRACES = re.compile(r":[^}]*\d{5}|\{[^}]*\{")


_TOO_MUCH = f"it builds more than {MAX_TEXT} characters"
_TOO_WIDE = "it formats to a width of five digits or more"


class TemplateLimitError(jinja2.TemplateError):
    """A template that builds too much or turns too often."""


def environment() -> jinja2.Environment:
    """A sandbox in which templates written for `transformers` render as there."""
    sandbox = _Sandbox(
        trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=[_Generation, loopcontrols], autoescape=False
    )
    sandbox.filters["tojson"] = _tojson
    sandbox.filters["center"] = _center
    sandbox.filters["_piece"] = lambda value: _bounded(str(value))
    sandbox.globals["raise_exception"] = _raise
    return sandbox


def counter() -> Callable[[], str]:
    """What the compiled template calls at every turn, under the name `TURN`; raises TemplateLimitError at the bound."""
    left = MAX_TURNS

    def turn() -> str:
        nonlocal left
        left -= 1
        if left < 0:
            raise TemplateLimitError(f"it takes more than {MAX_TURNS} loop turns")
        return ""

    return turn


TURN = _TURN


class _Sandbox(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        sized = [operand for operand in (left, right) if isinstance(operand, str | list | tuple)]
        whole = [abs(operand) for operand in (left, right) if isinstance(operand, int)]
        if operator == "**" and max(whole, default=0) > 64:
            raise TemplateLimitError("it raises to a power above 64")
        if operator == "*" and sized and whole and len(sized[0]) * whole[0] > MAX_TEXT:
            raise TemplateLimitError(_TOO_MUCH)
        if operator == "%" and isinstance(left, str) and _WIDE_PERCENT.search(left):
            raise TemplateLimitError(_TOO_WIDE)
        if operator == "+" and sum(map(len, sized)) > MAX_TEXT:
            raise TemplateLimitError(_TOO_MUCH)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        # jinja hands out `str.format` wrapped in a safe one of its own
        owner = getattr(getattr(__obj, "__wrapped__", __obj), "__self__", None)
        if isinstance(owner, str):
            _check_text_method(getattr(__obj, "__name__", ""), owner, args)
        return _bounded(super().call(__context, __obj, *args, **kwargs))

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        for node in template.find_all((nodes.For, nodes.Macro, nodes.CallBlock)):
            turn = nodes.Call(nodes.Name(_TURN, "load"), [], [], None, None)
            node.body.insert(0, nodes.Output([turn]).set_lineno(node.lineno))  # type: ignore[attr-defined]
        for concat in list(template.find_all(nodes.Concat)):
            concat.nodes = [nodes.Filter(node, "_piece", [], [], None, None) for node in concat.nodes]
        return template


def _check_text_method(method: str, owner: str, args: tuple[Any, ...]) -> None:
    whole = [argument for argument in args if isinstance(argument, int)]
    if max(whole, default=0) > MAX_TEXT and method in ("center", "ljust", "rjust", "zfill", "expandtabs"):
        raise TemplateLimitError(_TOO_MUCH)
    if method in ("format", "format_map") and _WIDE_BRACES.search(owner.replace("{{", "")):
        raise TemplateLimitError(_TOO_WIDE)
    texts = [argument for argument in args if isinstance(argument, str)]
    if method == "replace" and texts and len(owner) * max(map(len, texts)) > 64 * MAX_TEXT:
        raise TemplateLimitError(_TOO_MUCH)


def _bounded(value: Any) -> Any:
    if isinstance(value, str | list | tuple) and len(value) > MAX_TEXT:
        raise TemplateLimitError(_TOO_MUCH)
    return value


class _Generation(Extension):
    """`{% generation %}` marks what an assistant said, for training; here it only passes its body on."""

    tags = {"generation"}  # noqa: RUF012 - jinja's own form

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return list(parser.parse_statements(("name:endgeneration",), drop_needle=True))


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    # jinja's own filter escapes HTML, which a model was not trained on
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _center(value: str, width: int = 80) -> str:
    if width > MAX_TEXT:
        raise TemplateLimitError(_TOO_MUCH)
    return str(value).center(width)


def _raise(message: str) -> None:
    raise jinja2.TemplateError(message)
