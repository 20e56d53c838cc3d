"""What a drive needs of memory has been taken when its rehearsal is over: a page that comes new comes late."""

from __future__ import annotations

import subprocess
import sys

import pytest

MOST_MB = 8
DRIVE = """
import time
from premotor_foundation.locations import named_config
from premotor_planners.task.plan import NavigateTo, Plan
from premotor_runtime.app.bench_faults.moving_base import MakeBase
from premotor_runtime.app.executive import Executive
from premotor_runtime.app.motion_kit import build_motion, read_surroundings
from premotor_runtime.app.motion_task import MotionTask
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.clock import MonotonicClock
from premotor_runtime.executor.control_plan import ControlTiming

def mapped_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * 4096 / 2**20

now = [100.0]
time.monotonic = lambda: now[0]
house = named_config("worlds", "house")
kit = build_motion(read_surroundings(house, RuntimeSettings("ROBOT", control=ControlTiming(50.0, 18.0))), 1)
task = MotionTask(MakeBase(house, "ROBOT")(), kit, MonotonicClock())
for level in range(task.levels + 1):
    for _ in range(20):
        task.rehearse(level)
plan = Plan((NavigateTo("kitchen counter"), NavigateTo("study desk")), "fallback")
task.executive = Executive(plan, kit.goal_of, None)
before = mapped_mb()
for _ in range(3000):
    now[0] += 0.02
    seen = task.sense(0.02)
    task.act(task.guard(seen, task.decide(seen, 0)))
    if task.executive.finished:
        break
print(task.executive.succeeded, mapped_mb() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("robot", ["disc", "jackal"])
def test_a_drive_maps_no_new_memory(robot: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVE.replace("ROBOT", robot)], capture_output=True, text=True, timeout=300, check=True
    )
    succeeded, grown_mb = done.stdout.split()
    assert succeeded == "True"
    assert float(grown_mb) <= MOST_MB
