"""Drives to one goal after another: the route in bounded pieces, then MPPI. It runs on the lane: no actuator here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.goal_field import GoalField
from premotor_planners.motion.route import Route, RouteFailure
from premotor_planners.motion.state import STOP, Command, Goal, LaserScan, RobotState
from premotor_runtime.app.executive import Directive, Drive, DriveStatus
from premotor_runtime.app.motion_kit import MotionKit

BLOCKED_FOR_S = 8.0
"""How long a drive may be blocked (somebody may step aside) before its step fails."""


@dataclass(frozen=True, eq=False)
class Motion:
    """What one period decided: the command, the sequence it begins, how `directive` stands, and the route followed."""

    command: Command
    sequence: NDArray[np.float32]
    directive: Directive
    status: DriveStatus
    work: str
    route: Route | None = None


class Driver:
    """State of the current drive. Called from one thread at a time."""

    def __init__(self, kit: MotionKit) -> None:
        self._kit = kit
        self._directive: Directive | None = None
        self._goal: Goal | None = None
        self._field: GoalField | None = None
        self._route: Route | None = None
        self._failure: str = ""
        self._blocked_since: float | None = None

    def decide(self, directive: Directive, state: RobotState, scan: LaserScan, sent: Command) -> Motion:
        """One period's decision: one piece of the route while it is being planned, one MPPI run afterwards."""
        if directive is not self._directive:
            self._take(directive, state)
        if self._failure:
            return self._standing(directive, DriveStatus("failed", self._failure), "rest")
        if self._field is not None:
            return self._plan(self._field, directive, state)
        return self._drive(directive, state, scan, sent)

    def _take(self, directive: Directive, state: RobotState) -> None:
        self._directive, self._failure, self._blocked_since = directive, "", None
        self._field = self._route = None
        self._kit.controller.stop()
        if not isinstance(directive, Drive):
            return
        self._goal = Goal(*directive.goal)
        begun = self._kit.planner.begin(state.pose, self._goal)
        if isinstance(begun, RouteFailure):
            self._failure = _sentence(directive, begun)
        else:
            self._field = begun

    def _plan(self, field: GoalField, directive: Directive, state: RobotState) -> Motion:
        if not field.advance() or self._goal is None or not isinstance(directive, Drive):
            return self._standing(directive, DriveStatus("driving"), "cost_to_go")
        route = self._kit.planner.finish(state.pose, self._goal, field)
        self._field = None
        if isinstance(route, RouteFailure):
            self._failure = _sentence(directive, route)
            return self._standing(directive, DriveStatus("failed", self._failure), "cost_to_go")
        self._route = route
        self._kit.controller.follow(route)
        return self._standing(directive, DriveStatus("driving"), "cost_to_go")

    def _standing(self, directive: Directive, status: DriveStatus, work: str) -> Motion:
        return Motion(STOP, np.zeros((1, 2), np.float32), directive, status, work, self._route)

    def _drive(self, directive: Directive, state: RobotState, scan: LaserScan, sent: Command) -> Motion:
        decision = self._kit.controller.command(state, scan, sent)
        work = "mppi" if decision.status in ("driving", "blocked") else "rest"
        status = self._status_of(decision.status, decision.reason, state.stamp_s)
        return Motion(decision.command, decision.sequence, directive, status, work, self._route)

    def _status_of(self, status: str, reason: str, now_s: float) -> DriveStatus:
        if status == "blocked":
            self._blocked_since = now_s if self._blocked_since is None else self._blocked_since
            if now_s - self._blocked_since > BLOCKED_FOR_S:
                self._failure = f"The way is blocked: {reason}."
                return DriveStatus("failed", self._failure)
            return DriveStatus("driving")
        self._blocked_since = None
        if status == "failed":
            return DriveStatus("failed", f"The controller cannot go on: {reason}.")
        return DriveStatus({"arrived": "reached", "idle": "idle"}.get(status, "driving"))  # type: ignore[arg-type]


def _sentence(directive: Drive, failure: RouteFailure) -> str:
    return f"There is no way to the {directive.target}: {failure.reason} ({failure.code.name}, {int(failure.code)})."
