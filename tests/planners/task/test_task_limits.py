"""Texts that are no tasks are refused in one sentence before anything reads them."""

from __future__ import annotations

import pytest

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposer import Decomposer
from premotor_planners.task.normalize import MAX_CHARS, normalize
from premotor_planners.task.outcome import Refusal


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\n\t ", "a" * 10_000, "go\x07 to the sofa", "go to\nthe sofa", "go‮ sofa", "???", "12 34", "\ud800"],
)
def test_refused(house: Catalogue, text: str) -> None:
    found = normalize(text)
    assert isinstance(found, Refusal) and found.kind == "unclear"
    assert found.reason.endswith(".") and len(found.reason) < 120
    result = Decomposer(None).decompose(text, house)
    assert result.plan is None and result.message == found.reason


def test_accepted() -> None:
    assert normalize("  Go to   the sofa ") == "Go to the sofa"
    assert isinstance(normalize("é 🙂 " + "a" * (MAX_CHARS - 5)), str)


@pytest.mark.parametrize("digit", ["²", "𐩀", "①", "٣"])
def test_digits_of_other_scripts_are_read_or_refused(house: Catalogue, digit: str) -> None:
    """Some characters count as digits and are no numbers."""
    for task in (digit, f"wait {digit} minutes", f"take {digit} mugs to the sofa", f"wait {digit}.5 minutes"):
        result = Decomposer(None).decompose(task, house)
        assert (result.plan is None) == bool(result.refusal or result.question)
