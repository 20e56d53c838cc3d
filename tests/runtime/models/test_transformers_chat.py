"""Conversations are rendered as transformers renders them, with templates in the style of the published ones."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from premotor_runtime.models.chat_template import ChatTemplate
from premotor_runtime.models.errors import ChatTemplateError

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.torch

NOW = datetime(2025, 3, 9)
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}
CHATML = """
{%- if messages[0]['role'] != 'system' %}
    {{- '<|im_start|>system\\nYou move a robot.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
TOOLS = """{%- if tools %}
<|im_start|>system
# Tools
{% for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}
  {%- if message.tool_calls %}
<|im_start|>assistant
    {%- for call in message.tool_calls %}
<tool_call>{"name": "{{ call.function.name }}", "args": {{ call.function.arguments | tojson(indent=2) }}}</tool_call>
    {%- endfor %}<|im_end|>
  {%- elif message.role == "tool" %}
    {%- if loop.first or messages[loop.index0 - 1].role != "tool" %}<|im_start|>user{% endif %}
<tool_response>{{ message.content }}</tool_response>
    {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}<|im_end|>{% endif %}
  {%- else %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
  {%- endif %}
{%- endfor %}
"""
DATED = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = strftime_now("%d %b %Y") %}
{%- endif %}
{%- if messages[0].role == 'system' %}
    {%- set system = messages[0].content | trim %}{%- set messages = messages[1:] %}
{%- else %}
    {%- set system = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\nToday: " ~ date_string ~ "\n\n" ~ system ~ "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' ~ message.role ~ '<|end_header_id|>\n\n' ~ (message.content | trim) ~ '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"""
TURNS = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- set first = messages[0]['content'] + '\n\n' -%}{%- set rest = messages[1:] -%}
{%- else -%}
    {%- set first = "" -%}{%- set rest = messages -%}
{%- endif -%}
{%- for message in rest -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Roles must alternate user/assistant/user/assistant") }}
    {%- endif -%}
    {%- set role = "model" if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' + role + '\n' + (first if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}{%- if item['type'] == 'text' -%}{{ item['text'] | trim }}{%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{ '<end_of_turn>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\n' }}{%- endif -%}
"""
THINKING = """{%- set ns = namespace(last=messages | length - 1, found=false) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages | length - 1) - loop.index0 %}
    {%- if not ns.found and message.role == "user" %}{%- set ns.last = index %}{%- set ns.found = true %}{%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == "skip" %}{% continue %}{% endif %}
    {%- set content = message.content %}
    {%- if message.role == "assistant" and '</think>' in content and loop.index0 < ns.last %}
        {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {%- generation %}{{- message.role.upper() + ': ' + content.replace('\\t', ' ') + eos_token }}{% endgeneration %}
{%- endfor %}
{%- macro ending(on) %}{{ '' if on else '<think>\\n\\n</think>\\n\\n' }}{% endmacro %}
{%- if add_generation_prompt %}{{- 'ASSISTANT: ' ~ ending(enable_thinking | default(true)) }}{%- endif %}
"""
TALK = [
    {"role": "user", "content": "Bring me the red mug. \n"},
    {"role": "assistant", "content": "<think>where?</think>\nOn my\tway <ok> & é"},
    {"role": "user", "content": "And a 'plate'"},
]
SYSTEM = [{"role": "system", "content": " Be brief."}, *TALK]
CALLS = [
    TALK[0],
    {"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "function": {"name": "pick", "arguments": {"thing": "mug", "n": 1, "é": [True, None]}}}]},
    {"role": "tool", "content": "done"},
    {"role": "tool", "content": "ready"},
]  # fmt: skip
PARTS = [{"role": "user", "content": [{"type": "text", "text": " look "}, {"type": "image"}]}]
TOOL = {"type": "function", "function": {"name": "pick", "parameters": {"type": "object", "properties": {"<a>": {}}}}}
CASES: dict[str, tuple[str, list[dict[str, Any]], dict[str, Any]]] = {
    "chatml": (CHATML, TALK, {}),
    "chatml, system": (CHATML, SYSTEM, {"add_generation_prompt": False}),
    "tools": (TOOLS, CALLS, {"tools": [TOOL, TOOL]}),
    "no tools": (TOOLS, CALLS, {}),
    "dated": (DATED, SYSTEM, {}),
    "date given": (DATED, TALK, {"date_string": "1 Jan 2000"}),
    "turns": (TURNS, SYSTEM, {}),
    "turns, parts": (TURNS, PARTS, {}),
    "thinking": (THINKING, [*TALK, {"role": "skip", "content": ""}], {}),
    "thinking off": (THINKING, TALK, {"enable_thinking": False}),
}


class _Stopped(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> _Stopped:
        return cls(NOW.year, NOW.month, NOW.day)


@pytest.fixture
def tokenizer(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("transformers.utils.chat_template_utils.datetime", _Stopped)
    raw = Tokenizer(WordLevel({"<s>": 0, "</s>": 1, "x": 2}, unk_token="x"))
    return transformers.PreTrainedTokenizerFast(tokenizer_object=raw, **SPECIAL)


@pytest.mark.parametrize("case", CASES)
def test_equal_to_transformers(tokenizer: Any, case: str) -> None:
    source, messages, extra = CASES[case]
    extra = {"add_generation_prompt": True} | extra
    expected = tokenizer.apply_chat_template(messages, chat_template=source, tokenize=False, **extra)
    got = ChatTemplate(Path("t"), {"default": source}, SPECIAL).render(messages, now=NOW, **extra)
    assert got == expected and len(got) > 20


def test_both_refuse_what_the_template_refuses(tokenizer: Any) -> None:
    wrong = [TALK[0], TALK[0]]
    with pytest.raises(Exception, match="must alternate"):
        tokenizer.apply_chat_template(wrong, chat_template=TURNS, tokenize=False)
    with pytest.raises(ChatTemplateError, match="must alternate"):
        ChatTemplate(Path("t"), {"default": TURNS}, SPECIAL).render(wrong, now=NOW)
