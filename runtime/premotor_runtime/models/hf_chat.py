"""The chat template of a Hugging Face folder: `chat_template.jinja`, or the one in `tokenizer_config.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from premotor_runtime.models.chat_template import MAX_TEMPLATE, ChatTemplate
from premotor_runtime.models.errors import CheckpointError

_MAX_FILE = 1 << 24
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_REMEDY = "fetch it again"


def hf_chat_template(folder: Path) -> ChatTemplate | None:
    """The template and its special tokens; None where the folder has none. Raises CheckpointError for damaged files."""
    config = tokenizer_config(folder)
    file = folder / "chat_template.jinja"
    sources = {"default": _text(file, 4 * MAX_TEMPLATE)} if file.exists() else _sources(config.get("chat_template"))
    if "default" not in sources:
        return None
    # an added token may be written out as an object
    tokens = {name: token.get("content") if isinstance(token, dict) else token for name, token in config.items()}
    special = {name: str(tokens[name]) for name in _SPECIAL if isinstance(tokens.get(name), str)}
    return ChatTemplate(file if file.exists() else folder / "tokenizer_config.json", sources, special)


def tokenizer_config(folder: Path) -> dict[str, Any]:
    """`tokenizer_config.json`, empty where the folder has none. Raises CheckpointError for a damaged one."""
    path = folder / "tokenizer_config.json"
    if not path.exists():
        return {}
    try:
        given = json.loads(_text(path, _MAX_FILE))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(path, f"not readable as JSON ({error})", _REMEDY) from error
    if not isinstance(given, dict):
        raise CheckpointError(path, "it holds no object", _REMEDY)
    return given


def _sources(given: Any) -> dict[str, str]:
    if isinstance(given, str):
        return {"default": given}
    named = given if isinstance(given, list) else []
    return {str(each["name"]): str(each["template"]) for each in named if isinstance(each, dict) and len(each) == 2}


def _text(path: Path, limit: int) -> str:
    try:
        if path.stat().st_size > limit:
            raise CheckpointError(path, f"it has {path.stat().st_size} bytes; up to {limit} are read", _REMEDY)
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CheckpointError(path, f"cannot be read ({error})", _REMEDY) from error
