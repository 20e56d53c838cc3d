"""Sentence templates: one text file per intent, one template a line; `~ ` marks what is not an imperative clause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Template:
    """`imperative`: begins with a base-form verb, so that it can be wrapped ("could you ...?") and joined."""

    text: str
    imperative: bool

    @property
    def slots(self) -> frozenset[str]:
        """The names in braces."""
        return frozenset(re.findall(r"\{(\w+)\}", self.text))


@cache
def load_templates(intent: str, held_out: bool) -> tuple[Template, ...]:
    """The templates of an intent; empty when there are none. A held-out wording is never also a training wording."""
    kept_back = {_normal(t.text) for t in _read("heldout", intent)}
    if held_out:
        return _read("heldout", intent)
    return tuple(t for t in _read("templates", intent) if _normal(t.text) not in kept_back)


@cache
def _read(folder: str, intent: str) -> tuple[Template, ...]:
    path = FOLDER / folder / f"{intent}.txt"
    if not path.exists():
        return ()
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    kept = dict.fromkeys(line for line in lines if line and not line.startswith("#"))
    return tuple(Template(line.removeprefix("~").strip(), not line.startswith("~")) for line in kept)


def _normal(text: str) -> str:
    return re.sub(r"[^a-z{} ]", "", text.lower())
