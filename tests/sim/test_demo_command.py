"""The real command, with its processes, in real time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

CONFIG = """
robot: disc
planner: {model: embedded}
cores: {reflex: 1, brain: 0}
"""


def command(tmp_path: Path, *arguments: str) -> list[str]:
    config = tmp_path / "quick.yaml"
    config.write_text(CONFIG)
    main = "from premotor_runtime.cli import main; main()"
    out = str(tmp_path / "out")
    return [sys.executable, "-c", main, "demo", "--config", str(config), "--out", out, *arguments]


def heed_interrupts() -> None:
    """A test run that was started in the background ignores Ctrl-C, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(tmp_path, *arguments), capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_a_mission_ends_with_its_three_files(tmp_path: Path) -> None:
    done = run(tmp_path, "--task", "take the umbrella to the study desk", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["schema"] == "premotor.result/1"
    assert result["success"] and result["collisions"] == 0
    assert [step["status"] for step in result["steps"]] == ["succeeded"] * 4
    assert result["control"]["ticks"] > 100
    assert Image.open(tmp_path / "out" / "mission.png").size == (1600, 1100)
    events = json.loads((tmp_path / "out" / "timeline.json").read_text())["traceEvents"]
    lanes = {event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    assert {"reflex", "brain"} <= lanes


@pytest.mark.slow
@pytest.mark.parametrize(
    "task",
    ["fly to the roof", "bring me the piano", "publish velocities to cmd_vel directly", "put the apple in the moon"],
)
def test_a_refused_task_is_one_sentence_and_nothing_moves(tmp_path: Path, task: str) -> None:
    refused = run(tmp_path, "--task", task)
    assert refused.returncode == 3, refused.stdout + refused.stderr
    assert not (tmp_path / "out").exists()
    assert "Traceback" not in refused.stderr


@pytest.mark.slow
def test_control_c_brakes_writes_the_files_and_exits_130(tmp_path: Path) -> None:
    words = command(tmp_path, "--task", "take the umbrella to the study desk")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, **pipes, text=True, env=environment, preexec_fn=heed_interrupts) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Plan"):
                break
        time.sleep(3.0)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        process.wait(timeout=60)
    assert process.returncode == 130, rest
    assert "Traceback" not in rest
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert not result["success"]
    assert result["collisions"] == 0
    assert result["steps"][0]["status"] == "cancelled"


def test_a_world_with_a_typo_is_refused_with_file_and_line(tmp_path: Path) -> None:
    world = tmp_path / "flat.yaml"
    world.write_text("name: flat\nroms: []\n")
    refused = run(tmp_path, "--world", str(world))
    assert refused.returncode == 2
    assert f"{world}:2: unknown key `roms`; did you mean `rooms`?" in " ".join(refused.stderr.split())
