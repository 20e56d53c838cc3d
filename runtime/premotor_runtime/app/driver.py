"""Drives to one goal after another: the route in bounded pieces, then MPPI. It runs on the lane: no actuator here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from premotor_planners.motion.route import Route
from premotor_planners.motion.route_making import Routing
from premotor_planners.motion.state import STOP, Command, Goal, LaserScan, RobotState
from premotor_planners.planning.outcome import PlanCancelled, PlanFailure
from premotor_runtime.app.executive import Directive, Drive, DriveStatus
from premotor_runtime.app.motion_kit import MotionKit
from premotor_runtime.app.motion_rehearsal import Rehearsal

BLOCKED_FOR_S = 8.0
"""How long a drive may be blocked (somebody may step aside) before its step fails."""
_DRIVING = DriveStatus("driving")


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
        self._routing: Routing | None = None
        self._route: Route | None = None
        self._failure: str = ""
        self._blocked_since: float | None = None
        self._rehearsal = Rehearsal(kit)

    def rehearse(self, level: int) -> None:
        """The computation of a period, on numbers of its own: of one that drives or one that plans, in turn."""
        self._rehearsal.period(level)

    def decide(self, directive: Directive, state: RobotState, scan: LaserScan, sent: Command, level: int = 0) -> Motion:
        """One period's decision: one piece of the route while it is being planned, one MPPI run of `level` afterwards.

        Whatever is not a drive, or has failed, is a stop: the base brakes at its own limit.
        """
        if directive is not self._directive:
            self._take(directive, state)
        if not isinstance(directive, Drive):
            return self._standing(directive, DriveStatus("idle"), "rest")
        if self._failure:
            return self._standing(directive, DriveStatus("failed", self._failure), "rest")
        if self._routing is not None:
            return self._plan(self._routing, directive)
        return self._drive(directive, state, scan, sent, level)

    def _take(self, directive: Directive, state: RobotState) -> None:
        self._rehearsal.end()
        if self._routing is not None:
            self._routing.give_up()
        self._directive, self._failure, self._blocked_since = directive, "", None
        self._routing = self._route = None
        self._kit.controller.stop()
        if isinstance(directive, Drive):
            self._routing = self._kit.router.begin(state.pose, Goal(*directive.goal))

    def _plan(self, routing: Routing, directive: Drive) -> Motion:
        found = routing.advance()
        if found is None:
            return self._standing(directive, _DRIVING, "plan")
        self._routing = None
        if isinstance(found, PlanFailure | PlanCancelled):
            self._failure = _sentence(directive, found)
            return self._standing(directive, DriveStatus("failed", self._failure), "plan")
        self._route = found
        self._kit.controller.follow(found)
        return self._standing(directive, _DRIVING, "plan")

    def _standing(self, directive: Directive, status: DriveStatus, work: str) -> Motion:
        return Motion(STOP, np.zeros((1, 2), np.float32), directive, status, work, self._route)

    def _drive(self, directive: Drive, state: RobotState, scan: LaserScan, sent: Command, level: int) -> Motion:
        decision = self._kit.controller.command(state, scan, sent, level)
        self._note(decision.status, decision.reason, state.stamp_s)
        if self._failure:
            return self._standing(directive, DriveStatus("failed", self._failure), "rest")
        work = "mppi" if decision.status in ("driving", "blocked") else "rest"
        status = DriveStatus("reached") if decision.status == "arrived" else _DRIVING
        return Motion(decision.command, decision.sequence, directive, status, work, self._route)

    def _note(self, status: str, reason: str, now_s: float) -> None:
        if status == "failed":
            self._failure = f"The controller cannot go on: {reason}."
        if status != "blocked":
            self._blocked_since = None
            return
        self._blocked_since = now_s if self._blocked_since is None else self._blocked_since
        if now_s - self._blocked_since > BLOCKED_FOR_S:
            self._failure = f"The way is blocked: {reason}."


def _sentence(directive: Drive, failure: PlanFailure | PlanCancelled) -> str:
    if isinstance(failure, PlanCancelled):
        return f"Planning the way to the {directive.target} was given up."
    return f"There is no way to the {directive.target}: {failure.reason} ({failure.code.name}, {int(failure.code)})."
