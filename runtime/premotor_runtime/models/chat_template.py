"""A checkpoint's chat template: a conversation in, the text that the model continues out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from premotor_runtime.models.chat_sandbox import TURN, counter, environment
from premotor_runtime.models.errors import ChatTemplateError, CheckpointError

MAX_TEMPLATE = 1 << 18
"""Characters of the longest template that is compiled."""
MAX_PROMPT = 1 << 20
"""Characters of the longest text that a template may return."""


@dataclass(frozen=True)
class ChatTemplate:
    """Jinja sources by name (`default`, some have `tool_use`), and the special tokens (`bos_token`, …) for them."""

    path: Path
    sources: Mapping[str, str]
    special_tokens: Mapping[str, str] = field(default_factory=dict)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        now: datetime,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **extra: Any,
    ) -> str:
        """The conversation as text, special tokens included: encode it without adding any.

        `messages` are {"role", "content", …} of plain JSON values; `now` is what `strftime_now` tells; `extra` are
        variables that the template knows (`enable_thinking`). Raises ChatTemplateError when the template refuses the
        conversation or exceeds its limits, CheckpointError when it is no template.
        """
        given = {"messages": messages, "tools": tools, "documents": documents, **extra}
        data = {**self.special_tokens, **_plain(given), "add_generation_prompt": add_generation_prompt}
        template = self._compiled["tool_use" if tools and "tool_use" in self.sources else "default"]
        try:
            return _joined(template, {**data, "strftime_now": now.strftime, TURN: counter()})
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise ChatTemplateError(self.path, f"it refuses the conversation ({error})", _REMEDY) from error
        except (RecursionError, MemoryError) as error:
            raise ChatTemplateError(self.path, f"it does not end ({type(error).__name__})", _REMEDY) from error

    @cached_property
    def _compiled(self) -> dict[str, jinja2.Template]:
        sandbox = environment()
        return {name: self._compile(sandbox, source) for name, source in self.sources.items()}

    def _compile(self, sandbox: jinja2.Environment, source: str) -> jinja2.Template:
        if len(source) > MAX_TEMPLATE or TURN in source:
            problem = f"its chat template has {len(source)} characters; up to {MAX_TEMPLATE} without `{TURN}` are read"
            raise CheckpointError(self.path, problem, _REPLACE)
        try:
            return sandbox.from_string(source)
        except (jinja2.TemplateError, RecursionError, MemoryError, SyntaxError, ValueError) as error:
            raise CheckpointError(self.path, f"its chat template does not compile ({error})", _REPLACE) from error


_REMEDY = "send the roles and contents that its model was trained on, or write the prompt yourself"
_REPLACE = "fetch the template again, or write the prompt yourself"


def _joined(template: jinja2.Template, data: Mapping[str, Any]) -> str:
    pieces, length = [], 0
    for piece in template.generate(data):
        length += len(piece)
        if length > MAX_PROMPT:
            raise jinja2.TemplateError(f"it returns more than {MAX_PROMPT} characters")
        pieces.append(piece)
    return "".join(pieces)


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """A copy without anything but JSON values, so that a template can reach no object of the program."""
    try:
        copied: dict[str, Any] = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ChatTemplateError("messages", f"they are not plain JSON values ({error})", _REMEDY) from error
    if not isinstance(copied["messages"], list) or not all(isinstance(each, dict) for each in copied["messages"]):
        raise ChatTemplateError("messages", "they are not a list of {role, content} objects", _REMEDY)
    return copied
