"""Walks a plan: turns each step into a drive or a skill, and keeps what became of it. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from premotor_planners.task.plan import Dock, NavigateTo, Plan, Step, step_args
from premotor_planners.world.model import Pose
from premotor_runtime.executor.robot import SkillRequest, SkillStatus

DriveState = Literal["idle", "driving", "reached", "failed"]
StepState = Literal["pending", "running", "done", "failed", "skipped"]


@dataclass(frozen=True)
class DriveStatus:
    """How the current drive stands; `reason` is a sentence when it failed."""

    state: DriveState
    reason: str = ""


@dataclass(frozen=True)
class Rest:
    """Stand still."""


@dataclass(frozen=True)
class Drive:
    """Drive to `goal` in frame map; `step` is the plan step it serves."""

    goal: Pose
    target: str
    step: int


@dataclass(frozen=True)
class Perform:
    """Stand still while the robot performs a skill."""

    request: SkillRequest
    step: int


Directive: TypeAlias = Rest | Drive | Perform


@dataclass
class StepRecord:
    """One plan step and what became of it."""

    step: Step
    state: StepState = "pending"
    started_s: float = 0.0
    ended_s: float = 0.0
    reason: str = ""

    @property
    def duration_s(self) -> float:
        """Seconds from the step's start to its end; 0 before."""
        return max(0.0, self.ended_s - self.started_s)


class Executive:
    """The state of one plan. A failed step ends the plan: the steps after it are skipped, and the robot rests."""

    def __init__(self, plan: Plan, goal_of: Callable[[str], Pose], dock: str | None) -> None:
        """`goal_of` gives the pose from which a place, room or person is served; `dock` names the charging dock."""
        self.records = [StepRecord(step) for step in plan.steps]
        self._goal_of = goal_of
        self._dock = dock
        self._index = -1
        self._directive: Directive = Rest()
        self.stopped_s: float | None = None
        """When the plan was given up by `stop`, if it was."""

    @property
    def finished(self) -> bool:
        """Whether no step is left to do."""
        return self._index >= len(self.records)

    @property
    def succeeded(self) -> bool:
        """Whether every step was done."""
        return self.finished and all(record.state == "done" for record in self.records)

    @property
    def current(self) -> int:
        """Index of the running step; -1 before the first update, the number of steps when finished."""
        return self._index

    def update(self, now_s: float, drive: DriveStatus, skill: SkillStatus) -> Directive:
        """Advance by the newest statuses, which must be of the directive that the last update returned."""
        if self._index < 0:
            self._begin(0, now_s)
        elif not self.finished:
            self._judge(now_s, drive, skill)
        return self._directive

    def stop(self, now_s: float, reason: str) -> None:
        """Give up: the running step fails with `reason`, the rest is skipped."""
        self.stopped_s = now_s
        if not self.finished:
            self._fail(now_s, reason)

    def _judge(self, now_s: float, drive: DriveStatus, skill: SkillStatus) -> None:
        if isinstance(self._directive, Drive):
            done, failed, reason = drive.state == "reached", drive.state == "failed", drive.reason
        else:
            done, failed, reason = skill.state == "succeeded", skill.state == "failed", skill.reason
        if failed:
            self._fail(now_s, reason)
        elif done and isinstance(self._directive, Drive) and self._serves_skill(self._directive):
            self._directive = self._perform()
        elif done:
            self._end(now_s, "done")
            self._begin(self._index + 1, now_s)

    def _serves_skill(self, drive: Drive) -> bool:
        return not isinstance(self.records[drive.step].step, NavigateTo)

    def _begin(self, index: int, now_s: float) -> None:
        self._index = index
        if index >= len(self.records):
            self._directive = Rest()
            return
        record = self.records[index]
        record.state, record.started_s, record.ended_s = "running", now_s, now_s
        self._directive = self._direct(record.step, index)

    def _direct(self, step: Step, index: int) -> Directive:
        if isinstance(step, NavigateTo):
            return Drive(self._goal_of(step.target), step.target, index)
        if isinstance(step, Dock) and self._dock is not None:
            return Drive(self._goal_of(self._dock), self._dock, index)
        return self._perform()

    def _perform(self) -> Perform:
        step = self.records[self._index].step
        return Perform(SkillRequest(step.skill, step_args(step)), self._index)

    def _end(self, now_s: float, state: StepState, reason: str = "") -> None:
        record = self.records[self._index]
        record.state, record.ended_s, record.reason = state, now_s, reason

    def _fail(self, now_s: float, reason: str) -> None:
        if self._index < 0:
            self._begin(0, now_s)
        if not self.finished:
            self._end(now_s, "failed", reason)
        for record in self.records[self._index + 1 :]:
            record.state = "skipped"
        self._index = len(self.records)
        self._directive = Rest()
