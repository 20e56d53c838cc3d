from __future__ import annotations

import pytest

from premotor_foundation.errors import UsageError
from premotor_runtime.bench.bars import BATCH_1, BATCH_8, PREFILL, TABLE, bar
from premotor_runtime.bench.settings import SECTIONS, choose_cases, choose_contests, choose_sections


def test_without_names_every_row_with_a_bar_is_measured() -> None:
    assert set(TABLE) < set(choose_contests(None, None))
    assert ("L", "int8") in choose_contests(None, None)


def test_names_narrow_it() -> None:
    assert choose_contests("S,M", "int4") == (("S", "int4"), ("M", "int4"))
    assert choose_contests("S", None) == (("S", "int4"), ("S", "int8"), ("S", "bf16"))
    assert choose_cases("8, 1") == (BATCH_8, BATCH_1, PREFILL)
    assert choose_sections(["prefix", "speed"]) == ("speed", "prefix")
    assert choose_sections([]) == SECTIONS


def test_bars_are_those_of_the_case() -> None:
    assert bar("M", "int4", BATCH_8) == 2.5
    assert bar("S", "bf16", PREFILL) is None


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: choose_contests("XL", None), "XL"),
        (lambda: choose_contests(None, "int3"), "int3"),
        (lambda: choose_contests(",", None), "names nothing"),
        (lambda: choose_cases("1,none"), "none"),
        (lambda: choose_cases("0"), "`0`"),
        (lambda: choose_sections(["rest"]), "rest"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(call: object, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        call()  # type: ignore[operator]
