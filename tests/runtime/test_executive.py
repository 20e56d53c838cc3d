from __future__ import annotations

from premotor_planners.task.plan import Dock, NavigateTo, Pick, PlaceObject, Plan, Wait
from premotor_runtime.app.executive import Drive, DriveStatus, Executive, Perform, Rest
from premotor_runtime.executor.robot import SkillRequest, SkillStatus

IDLE = DriveStatus("idle")
DRIVING = DriveStatus("driving")
REACHED = DriveStatus("reached")
RUNNING = SkillStatus("running")
SUCCEEDED = SkillStatus("succeeded")
POSES = {"counter": (1.0, 2.0, 0.0), "desk": (3.0, 4.0, 1.0), "dock": (0.0, 0.0, 0.0)}
FETCH = Plan((NavigateTo("counter"), Pick("mug"), NavigateTo("desk"), PlaceObject("mug", "desk")), "llm")


def executive(plan: Plan) -> Executive:
    return Executive(plan, POSES.__getitem__, "dock")


def test_steps_run_in_order_and_are_timed() -> None:
    run = executive(FETCH)
    assert run.update(0.0, IDLE, SkillStatus("idle")) == Drive((1.0, 2.0, 0.0), "counter", 0)
    assert run.update(1.0, DRIVING, SkillStatus("idle")) == Drive((1.0, 2.0, 0.0), "counter", 0)
    picking = run.update(5.0, REACHED, SkillStatus("idle"))
    assert isinstance(picking, Perform)
    assert picking.request == SkillRequest("pick", {"object": "mug"})
    assert run.update(6.0, IDLE, RUNNING) is picking, "the same directive object while the same skill runs"
    assert run.update(7.0, IDLE, SUCCEEDED) == Drive((3.0, 4.0, 1.0), "desk", 2)
    placing = run.update(9.0, REACHED, SUCCEEDED)
    assert isinstance(placing, Perform) and placing.request.args == {"object": "mug", "place": "desk"}
    assert run.update(11.0, IDLE, SUCCEEDED) == Rest()
    assert run.finished and run.succeeded
    assert [record.duration_s for record in run.records] == [5.0, 2.0, 2.0, 2.0]


def test_a_failed_step_skips_the_rest_and_the_robot_rests() -> None:
    run = executive(FETCH)
    run.update(0.0, IDLE, SkillStatus("idle"))
    assert run.update(2.0, DriveStatus("failed", "The way is blocked."), SkillStatus("idle")) == Rest()
    assert [record.state for record in run.records] == ["failed", "skipped", "skipped", "skipped"]
    assert run.records[0].reason == "The way is blocked."
    assert run.finished and not run.succeeded


def test_docking_drives_first_and_then_performs() -> None:
    run = executive(Plan((Dock(),), "llm"))
    assert run.update(0.0, IDLE, SkillStatus("idle")) == Drive((0.0, 0.0, 0.0), "dock", 0)
    docking = run.update(3.0, REACHED, SkillStatus("idle"))
    assert isinstance(docking, Perform) and docking.request.skill == "dock"
    run.update(4.0, IDLE, SUCCEEDED)
    assert run.succeeded


def test_stopping_marks_the_running_step_and_later_statuses_change_nothing() -> None:
    run = executive(Plan((Wait(5.0), Wait(5.0)), "llm"))
    run.update(0.0, IDLE, SkillStatus("idle"))
    run.stop(1.0, "interrupted")
    assert run.update(2.0, REACHED, SUCCEEDED) == Rest()
    assert [record.state for record in run.records] == ["failed", "skipped"]


def test_an_empty_plan_is_finished_at_once() -> None:
    run = executive(Plan((), "llm"))
    assert run.update(0.0, IDLE, SkillStatus("idle")) == Rest()
    assert run.succeeded
