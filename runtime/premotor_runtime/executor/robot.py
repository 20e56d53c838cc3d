"""What the executor asks of a robot, simulated or real. `sim` implements it without the runtime knowing of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

SkillState = Literal["idle", "running", "succeeded", "failed"]


@dataclass(frozen=True)
class Observation:
    """The newest state and scan. Pose in frame `map` (metres, radians in (-pi, pi]); speeds in the robot's own frame.

    `ranges[i]` (float32, metres) lies at `angle_min + i * angle_increment` from the robot's x axis, counter-clockwise,
    seen from the robot's centre. REP-117: +inf nothing seen up to `range_max`, -inf nearer than `range_min`, NaN bad.
    `scan_stamp_s` may be older than `stamp_s`: a sensor can fall silent. The array belongs to the receiver.
    """

    stamp_s: float
    x: float
    y: float
    yaw: float
    v: float
    w: float
    ranges: NDArray[np.float32]
    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    scan_stamp_s: float


@dataclass(frozen=True)
class SkillRequest:
    """A step for the robot itself: `pick`, `place`, `handover`, `say`, `wait`, `inspect` or `dock`, and its arguments.

    `navigate_to` is not among them: the executor drives.
    """

    skill: str
    args: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True)
class SkillStatus:
    """How the last started skill stands; `reason` is a sentence when it failed, else empty."""

    state: SkillState
    reason: str = ""


class Plant(Protocol):
    """A robot base with a lidar and a gripper."""

    def sense(self) -> Observation:
        """The newest observation; never blocks."""
        ...

    def command(self, v: float, w: float) -> None:
        """Speeds to hold from now on (m/s forward, rad/s counter-clockwise), clipped to what the robot can do.

        A value that is not finite means stop.
        """
        ...

    def start_skill(self, request: SkillRequest) -> None:
        """Begin a skill while standing; one at a time. What cannot be done ends as `failed` with a reason."""
        ...

    def skill_status(self) -> SkillStatus:
        """State of the skill started last; `idle` before the first."""
        ...

    def cancel_skill(self) -> None:
        """Give up a running skill: it ends as `failed`; an object is left where it is. No-op when none runs."""
        ...


@dataclass(frozen=True)
class Collision:
    """One episode of contact with something that is neither the floor nor the held object."""

    stamp_s: float
    name: str


@dataclass(frozen=True)
class GroundTruth:
    """`object_places`: a place's name, a person's name, `gripper` or `floor`. Positions x, y in metres, frame map."""

    object_places: Mapping[str, str]
    object_positions: Mapping[str, tuple[float, float]]
    people_positions: Mapping[str, tuple[float, float]]


class SimulatedPlant(Plant, Protocol):
    """A plant whose time passes only when told to, and which knows the truth."""

    def advance(self, dt_s: float) -> None:
        """Let `dt_s` seconds of simulated time pass (remainders below one physics step are carried over)."""
        ...

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """All episodes of contact so far, in order of time."""
        ...

    def truth(self) -> GroundTruth:
        """What is truly where, now."""
        ...
