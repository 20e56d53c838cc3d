from __future__ import annotations

from pathlib import Path

import pytest

from premotor_sim.barn.given import load_barn


def test_the_given_worlds_are_read(data: Path) -> None:
    worlds = {world.name: world for world in load_barn(data / "barn")}
    assert len(worlds) == 11 and len(worlds["168"].cylinders) == 325
    assert worlds["42"].path_m == pytest.approx(11.34, abs=0.02)
    assert worlds["0"].optimal_s == pytest.approx(6.80, abs=0.02)
