from __future__ import annotations

from pathlib import Path

import pytest

from premotor_runtime.app.bench_realtime import stolen


def test_the_column_of_steal_is_read_and_what_is_missing_is_nothing(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  1 2 3 4 5 6 7 25 0 0\ncpu0 1 2 3 4 5 6 7 12 0 0\n")
    assert stolen.stolen_ms(stat) == pytest.approx(250.0)
    stat.write_text("cpu  1 2 3\n")
    assert stolen.stolen_ms(stat) == 0.0
    assert stolen.stolen_ms(tmp_path / "none") == 0.0


def test_it_is_added_to_whose_turn_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    told = iter([100.0, 110.0, 110.0, 135.0])
    monkeypatch.setattr(stolen, "stolen_ms", lambda: next(told))
    times = stolen.StolenTime()
    for name in ("a", "b", "a"):
        times.ended(name)
    assert times.ms == {"a": 35.0, "b": 0.0}
