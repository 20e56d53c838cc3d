from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from premotor_foundation.errors import UsageError
from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_runtime.cli import build
from premotor_sim.barn.commands import bench_barn
from premotor_sim.barn.episode import Run, drive
from premotor_sim.barn.pilot import build_gate, build_pilot
from premotor_sim.barn.report import report
from premotor_sim.barn.robot import BarnRobot
from premotor_sim.barn.set_up import BARN_SET_UPS
from premotor_sim.barn.world import CylinderWorld

OPEN = CylinderWorld("open", np.array([[-2.0, 7.0, 0.075], [-2.6, 9.0, 0.075]]), 10.2)


@pytest.fixture(autouse=True)
def _needs_compiler() -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))


def run_of(set_up: str, success: bool = True, collided: bool = False, metric: float = 0.5) -> Run:
    return Run("0", 1, set_up, success, collided, not success and not collided, 7.0, metric if success else 0.0, (5.0,))


@pytest.mark.parametrize("name", ["mppi", "dwa"])
def test_an_easy_world_is_driven_through_late_and_noisy(name: str) -> None:
    robot = BarnRobot()
    run = drive(OPEN, BARN_SET_UPS[1], 4, robot, build_pilot(name, robot, 0), build_gate(robot))  # type: ignore[arg-type]
    assert run.success and not run.collided and not run.timeout
    assert run.metric >= 0.48 and run.control_ms


def test_the_report_has_the_schema_and_judges_by_set_up() -> None:
    runs = [run_of("ideal"), run_of("moderate", success=False, collided=True), run_of("hard", metric=0.4)]
    found = report("barn", {"mppi": runs, "dwa": [run_of("ideal", success=False)]}, {"cpu": "x"})
    assert found["schema"] == "premotor.bench.barn/1"
    assert set(found["runs"][0]) == {"world", "seed", "set_up", "success", "collided", "timeout", "time_s", "metric"}
    assert found["success_rate"] == pytest.approx(2 / 3) and found["mean_metric"] == pytest.approx(0.3)
    assert set(found["control_ms"]) == {"p50", "p99"}
    assert {name: line["met"] for name, line in found["set_ups"].items()} == {
        "ideal": True, "moderate": False, "hard": False,
    }  # fmt: skip
    assert found["beside"]["dwa"]["success_rate"] == 0.0
    json.dumps(found)


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--data"):
        bench_barn()
    with pytest.raises(UsageError, match="barn or dense"):
        bench_barn(worlds="house")
    with pytest.raises(UsageError, match="--set-up light"):
        bench_barn(data=tmp_path, set_up=["light"])
    with pytest.raises(UsageError, match="there is no folder"):
        bench_barn(data=tmp_path, json_file=tmp_path / "none" / "x.json")


def test_the_command_is_there() -> None:
    result = CliRunner().invoke(build(), ["bench", "barn", "--help"])
    assert result.exit_code == 0 and "--worlds" in result.output
