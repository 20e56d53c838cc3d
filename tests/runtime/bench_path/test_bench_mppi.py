from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_planners.kernels.mppi import Mppi
from premotor_planners.kernels.mppi_omnidirectional import Omnidirectional
from premotor_runtime.app.bench_path import mppi
from premotor_runtime.app.bench_path.mppi_peer import PytorchMppi, parameters
from premotor_runtime.app.bench_path.mppi_scene import scene
from premotor_runtime.bench import worker
from premotor_runtime.bench.errors import NotInstalled

SMALL = Mppi(16, 3, rows=20, cols=20)
FAKE = """
import json
import numpy as np
class Engine:
    def __init__(self, path, given, compiled):
        with np.load(path) as scene:
            self.rollouts = scene["noise"].shape[2]
    def answer(self): return {ANSWER}
    def describe(self): return {"way": "fake", "failed": {}}
    def solve(self, repeats): return [self.rollouts * 1.0] * repeats
def open_engine(path, given, compiled): return Engine(path, given, compiled)
"""


def fake(folder: Path, answer: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "with_pytorch_mppi.py").write_text(FAKE.replace("{ANSWER}", repr(answer)))
    (folder / "loop.py").write_bytes((worker.WORKERS / "loop.py").read_bytes())
    monkeypatch.setattr(worker, "WORKERS", folder)
    monkeypatch.setattr("premotor_runtime.app.bench_path.mppi_peer.WORKERS", folder)
    monkeypatch.setattr("premotor_runtime.app.bench_path.mppi_peer.peers_python", lambda: Path(sys.executable))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mppi, "ROLLOUTS", 16)
    monkeypatch.setattr(mppi, "STEPS", 3)


def test_a_peer_that_is_not_there_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("premotor_runtime.app.bench_path.mppi_peer.peers_python", lambda: tmp_path / "python")
    section = mppi.mppi_section(2)
    assert len(section.absent) == 1 and "./premotor peers installs it" in section.absent[0]
    assert [line.measure for line in section.lines if line.bar] == [
        f"mppi 16 x 3, {motion}, native" for motion in ("differential", "omnidirectional", "ackermann")
    ]
    assert all(len(section.figures["ackermann"]["times_ms"][name]) == 2 for name in ("native", "onnxruntime"))


def test_a_python_without_the_package_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, {}, monkeypatch)
    (tmp_path / "with_pytorch_mppi.py").write_text("def open_engine(**_):\n    import no_such_module_here\n")
    with pytest.raises(NotInstalled, match=r"no_such_module_here.*premotor peers"):
        PytorchMppi(SMALL, scene(SMALL))


def test_a_peer_with_the_same_costs_gets_a_ratio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kernel = mppi.kernel_of(SMALL.motion)
    costs = kernel.reference(scene(kernel))
    answer = {name: float(costs[name][0]) for name in ("best_cost", "expected_cost")}
    fake(tmp_path, answer, monkeypatch)
    section = mppi.mppi_section(2)
    line = next(line for line in section.lines if "pytorch-mppi" in line.measure)
    assert line.met and section.figures["differential"]["median_ms"]["pytorch-mppi"] == 16000.0


def test_a_peer_with_other_costs_is_not_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake(tmp_path, {"best_cost": 3e3, "expected_cost": 3e3}, monkeypatch)
    line = next(line for line in mppi.mppi_section(2).lines if "pytorch-mppi" in line.measure)
    assert line.met is False and "not comparable" in line.measure


def test_the_scene_drives_past_obstacles_without_standing_in_one() -> None:
    for kernel in (Mppi(rollouts=200, steps=56), Mppi(rollouts=200, steps=56, motion=Omnidirectional())):
        inputs = scene(kernel)
        found: dict[str, Any] = kernel.reference(inputs)
        assert 0.0 < found["free_share"][0] < 1.0
        assert np.isfinite(found["sequence"]).all()


def test_parameters_are_plain_numbers() -> None:
    given = parameters(SMALL)
    assert given["low"] == [pytest.approx(-0.15), pytest.approx(-1.8)]
    assert set(map(type, given.values())) <= {float, list}
