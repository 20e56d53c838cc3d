from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from premotor_foundation.errors import UsageError
from premotor_planners.maps.grid import FREE, OCCUPIED, OccupancyGrid
from premotor_planners.motion.robot import load_robot
from premotor_planners.task.plan import NavigateTo
from premotor_runtime.app.bench_faults.core_watch import CoreWatch
from premotor_runtime.app.bench_faults.moving_base import MovingBase
from premotor_runtime.app.bench_faults.ray_casting import RayCaster
from premotor_runtime.app.bench_faults.report import report
from premotor_runtime.app.bench_faults.settings import FAULTS, FaultSettings, chosen_faults, supervision
from premotor_runtime.app.bench_faults.trial import Trial
from premotor_runtime.app.core_witness import Stall
from premotor_runtime.app.executive import StepRecord
from premotor_runtime.app.messages import ReflexReport
from premotor_runtime.executor.period_log import Percentiles, Period
from premotor_runtime.executor.rights import Rights
from premotor_runtime.processes.supervisor import Incident

CONFIGS = Path(__file__).parents[3] / "configs"


def room() -> OccupancyGrid:
    """4 x 4 m from (0, 0), walls on its rim."""
    data = np.full((80, 80), FREE, np.int8)
    data[[0, -1], :] = data[:, [0, -1]] = OCCUPIED
    return OccupancyGrid(data, 0.05, (0.0, 0.0))


def test_beams_end_at_the_walls_and_at_infinity_beyond_the_range() -> None:
    ranges = RayCaster(room(), 4, 10.0).ranges(1.0, 2.0, 0.0)
    assert ranges == pytest.approx([2.95, 1.95, 0.95, 1.95], abs=0.06)
    assert np.isinf(RayCaster(room(), 4, 0.5).ranges(2.0, 2.0, 0.3)).all()
    assert np.isinf(RayCaster(room(), 4, 3.0).ranges(-50.0, -50.0, 0.0)).all()


def test_the_base_keeps_its_limits_on_the_machines_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    robot = load_robot(CONFIGS / "robots" / "disc.yaml")
    base = MovingBase(robot, (1.0, 2.0, 0.0), RayCaster(room(), 8, 3.0))
    base.command(50.0, 0.0)
    now[0] = 100.5
    seen = base.sense()
    assert seen.v == pytest.approx(0.5 * robot.max_accel_mps2)
    now[0] = 102.0
    assert base.sense().v == pytest.approx(robot.max_forward_mps)
    base.command(math.nan, 1.0)
    now[0] = 104.0
    seen = base.sense()
    assert (seen.v, seen.w) == (0.0, 0.0)
    assert 2.0 < seen.x < 3.6
    assert seen.stamp_s - seen.scan_stamp_s <= 0.1
    assert base.skill_status().state == "failed"


def test_faults_are_chosen_by_name() -> None:
    assert chosen_faults(()) == tuple(FAULTS)
    assert chosen_faults(("leak", "kill")) == ("kill", "leak")
    with pytest.raises(UsageError, match="no fault `fire`; known: kill, stop"):
        chosen_faults(("fire",))
    assert supervision("gone").restart.most_restarts == 0


def trial(**changes: Any) -> Trial:
    found = ReflexReport(
        steps=(StepRecord(NavigateTo("sofa"), "done"),), succeeded=True, mission_time_s=20.0, collisions=(), driven=(),
        planned={}, path_length_m=12.0, ticks=1000, misses=0, longest_run=0, lateness_ms=Percentiles(0.1, 0.2, 0.3, 1),
        response_ms=Percentiles(4.0, 8.0, 9.0, 9.5), busy_share=0.2, truth=None, records=(),
    )  # fmt: skip
    incident = Incident("ended", os.getpid(), seen_s=10.1, restarted_s=10.1, served_s=12.0)
    whole = Trial("kill", Rights(True, True, 1, True), 2.0, 10.0, 0.7, (incident,), True, found, 100, 0)
    return replace(whole, **changes)


def figures(one: Trial) -> dict[str, Any]:
    settings = FaultSettings(Path("weights"), "S", 1, 0)
    whole = report({"cores": 2}, settings, [one])
    assert whole["schema"] == "premotor.bench.faults/1"
    found: dict[str, Any] = whole["faults"][one.fault]
    return found


def test_the_report_says_how_long_each_part_of_the_recovery_took() -> None:
    found = figures(trial())
    assert found["seen_as"] == "ended"
    brain = found["brain"]
    assert [
        brain[name] for name in ("seen_after_s", "back_off_s", "start_up_s", "served_after_s", "start_up_ratio")
    ] == (pytest.approx([0.1, 0.0, 1.9, 2.0, 0.95]))
    assert all(found["met"].values())


def test_a_robot_that_stopped_where_it_should_have_finished_has_not_kept_its_policy() -> None:
    one = trial()
    stopped = StepRecord(NavigateTo("sofa"), "failed", reason="the brain is gone")
    report_of_stop = replace(one.report, steps=(stopped,), succeeded=False, misses=2)
    found = figures(replace(one, report=report_of_stop))
    assert found["robot"]["did"] == "stopped: the brain is gone"
    assert found["met"]["finished_or_stopped_by_policy"] is False
    assert found["met"]["no_deadline_missed"] is False
    gone = figures(replace(one, fault="gone", report=report_of_stop, incidents=()))
    assert gone["met"]["finished_or_stopped_by_policy"] is True
    assert gone["met"]["served_within_start_up"] is None


def test_a_missed_deadline_comes_with_what_the_machine_withheld_and_a_late_command_is_one() -> None:
    one = trial()
    decided_late = Period(13.0, 13.0, 13.001, 13.019, 13.0195, True)
    sent_late = Period(13.02, 13.02, 13.021, 13.024, 13.04, False)
    missing = replace(one.report, misses=2, missed=(decided_late, sent_late))  # one more release passed unseen
    found = figures(replace(one, report=missing, stalls=(Stall(13.005, 13.015), Stall(13.03, 13.05))))
    assert found["reflex"]["misses"] == 3 and found["met"]["no_deadline_missed"] is False
    first, second = found["reflex"]["missed"]
    assert [first[name] for name in ("after_s", "response_ms", "withheld_ms")] == pytest.approx([3.0, 19.5, 10.0])
    assert second["withheld_ms"] == pytest.approx(8.0)
    assert figures(one)["reflex"]["missed"] is None, "no witness"


def test_a_fault_that_nobody_saw_is_not_passed() -> None:
    found = figures(trial(incidents=()))
    assert found["met"]["fault_seen"] is False and found["met"]["served_within_start_up"] is None


def test_a_witness_sees_that_its_core_is_there() -> None:
    with CoreWatch(None) as watch:
        assert watch.stalls() is None
    with CoreWatch(min(os.sched_getaffinity(0))) as watch:
        stalls = watch.stalls()
    assert stalls is None or all(each.end_s > each.start_s for each in stalls)
