"""Chat templates are found where checkpoints keep them, and can neither leave their sandbox nor run away."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from premotor_runtime.models.chat_template import MAX_PROMPT, MAX_TEMPLATE, ChatTemplate
from premotor_runtime.models.errors import ChatTemplateError, CheckpointError
from premotor_runtime.models.hf_chat import hf_chat_template
from premotor_runtime.models.registry import load_model

NOW = datetime(2024, 5, 17, 9, 30)
HELLO = [{"role": "user", "content": "hello"}]
SHORT = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"


def _rendered(source: str, **extra: Any) -> str:
    return ChatTemplate(Path("t"), {"default": source}, {"bos_token": "<s>"}).render(HELLO, now=NOW, **extra)


def test_the_time_is_an_argument() -> None:
    assert _rendered("{{ strftime_now('%d %b %Y') }}") == "17 May 2024"


def test_json_is_written_as_transformers_writes_it() -> None:
    tools = [{"name": "pick <it>", "note": "é"}]
    assert _rendered("{{ tools[0] | tojson }}", tools=tools) == '{"name": "pick <it>", "note": "é"}'
    assert _rendered("{{ [1, 2] | tojson(indent=1) }}") == "[\n 1,\n 2\n]"


def test_the_folder_says_where_its_template_is(hf_folder: Path) -> None:
    assert load_model(hf_folder, num_blocks=1).chat_template is None
    config = {"chat_template": SHORT, "bos_token": {"content": "<s>"}, "pad_token": None}
    (hf_folder / "tokenizer_config.json").write_text(json.dumps(config))
    chat = load_model(hf_folder, num_blocks=1).chat_template
    assert chat is not None and chat.render(HELLO, now=NOW) == "<s><user>hello"
    named = [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]
    (hf_folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": named}))
    chat = hf_chat_template(hf_folder)
    assert chat is not None
    assert chat.render(HELLO, now=NOW) == "plain" and chat.render(HELLO, now=NOW, tools=[{"name": "x"}]) == "tools"
    (hf_folder / "chat_template.jinja").write_text("file")
    chat = hf_chat_template(hf_folder)
    assert chat is not None and chat.render(HELLO, now=NOW) == "file"


@pytest.mark.parametrize("content", ["{", "[]", "\xff"])
def test_a_damaged_tokenizer_configuration_is_named(hf_folder: Path, content: str) -> None:
    (hf_folder / "tokenizer_config.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(CheckpointError, match=r"tokenizer_config\.json"):
        hf_chat_template(hf_folder)


GROWING = "{% set n = namespace(s='ab') %}{% for i in range(60) %}{% set n.s = GROWTH %}{% endfor %}"
NESTED = "{% set r = range(900) | list %}{% for a in r %}{% for b in r %}{% for c in r %}EMPTY{% endfor %}"
REFUSALS = [
    ("only users speak", "{{ raise_exception('only users speak') }}"),
    ("returns more than", "{% for n in range(9000) %}{{ 'abc' * 100 }}{% endfor %}"),
    ("loop turns", NESTED.replace("EMPTY", "") + "{% endfor %}{% endfor %}"),
    ("loop turns", "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}"),
    ("builds more", "{{ 'a' * 10000000000 }}"),
    ("builds more", "{{ ([0] * 10000000000) | length }}"),
    ("builds more", GROWING.replace("GROWTH", "n.s + n.s")),
    ("builds more", GROWING.replace("GROWTH", "n.s ~ n.s")),
    ("builds more", GROWING.replace("GROWTH", "n.s.replace('a', n.s)")),
    ("builds more", "{{ 'a'.ljust(10000000000) }}"),
    ("builds more", "{{ 'a' | center(10000000000) }}"),
    ("five digits", "{{ '%10000000000d' % 1 }}"),
    ("five digits", "{{ '%*d' % (10000000000, 1) }}"),
    ("five digits", "{{ '{:10000000000}'.format(1) }}"),
    ("five digits", "{{ '{:{w}}'.format(1, w=10000000000) }}"),
    ("power above", "{{ 9 ** 9 ** 9 }}"),
    ("unsafe|undefined", "{{ messages.__class__.__mro__ }}"),
    ("immutable|not safely callable|unsafe", "{{ messages.append(1) }}"),
    ("no attribute", "{{ strftime_now.__globals__['os'].system('true') }}"),
    ("unknown_function", "{{ unknown_function() }}"),
    ("zero", "{{ 1 // 0 }}"),
]


@pytest.mark.parametrize(("reason", "source"), REFUSALS)
def test_templates_that_refuse_or_run_away_are_typed_errors(reason: str, source: str) -> None:
    with pytest.raises(ChatTemplateError, match=reason) as caught:
        _rendered(source)
    assert caught.value.exit_code == 2 and "write the prompt yourself" in str(caught.value)


def test_formats_that_real_templates_use_are_taken() -> None:
    assert _rendered("{{ '* %s: %3d' % ('a', 7) }}{{ ' {{{}}} {:>3}'.format(1, 2) }}") == "* a:   7 {1}   2"


@pytest.mark.parametrize("source", ["{% if %}", "{{ a ", "{% for x in y %}", "{{ x | no_such_filter }}",
                                    "a" * (MAX_TEMPLATE + 1), "{% set __turn = 1 %}"])  # fmt: skip
def test_what_is_no_template_is_a_checkpoint_error(source: str) -> None:
    with pytest.raises(CheckpointError, match="chat template"):
        _rendered(source)


@pytest.mark.parametrize("messages", ["hello", ["hello"], [{"role": object()}], [{"content": float("nan")}], None])
def test_messages_must_be_plain(messages: Any) -> None:
    with pytest.raises(ChatTemplateError, match="messages"):
        ChatTemplate(Path("t"), {"default": SHORT}).render(messages, now=NOW)


def test_ordinary_conversations_are_far_below_the_limits() -> None:
    long = [{"role": "user", "content": "x" * 1000}] * 500
    text = ChatTemplate(Path("t"), {"default": SHORT}, {"bos_token": "<s>"}).render(long, now=NOW)
    assert len(text) == 3 + 500 * 1006 < MAX_PROMPT
