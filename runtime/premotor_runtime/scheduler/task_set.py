"""All that shares a board: lanes, tasks, streams, memory, contention."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field

from premotor_accelerators.boards import Board
from premotor_accelerators.lanes import IN_FLIGHT
from premotor_runtime.scheduler.contention import Contention
from premotor_runtime.scheduler.errors import BadTask, UnknownLane
from premotor_runtime.scheduler.task import Stream, Task


@dataclass(frozen=True)
class LaneSpec:
    """A lane that works in order of submission, at most `in_flight` submitted at once; what is, is not taken back.

    `overhead_ns` is what starting a segment on it costs at most.
    """

    name: str
    in_flight: int = 1
    overhead_ns: int = 0

    def __post_init__(self) -> None:
        if self.in_flight < 1 or self.overhead_ns < 0:
            raise BadTask(f"lane {self.name}: in_flight must be at least 1 and overhead_ns at least 0")


@dataclass(frozen=True)
class TaskSet:
    """What admission judges as a whole. `memory_bytes` is what all may take together; None: not limited here.

    Raises BadTask for names used twice, and UnknownLane.
    """

    lanes: tuple[LaneSpec, ...]
    tasks: tuple[Task, ...]
    streams: tuple[Stream, ...] = ()
    memory_bytes: int | None = None
    contention: Contention = field(default_factory=Contention)

    def __post_init__(self) -> None:
        names = [each.name for each in self.members]
        lanes = [lane.name for lane in self.lanes]
        if len(set(names)) != len(names) or len(set(lanes)) != len(lanes):
            raise BadTask(f"names must differ; tasks and streams: {names}, lanes: {lanes}")
        for name, wanted in self._wanted_lanes():
            if wanted not in lanes:
                raise UnknownLane(_unknown(name, wanted, lanes))

    @property
    def members(self) -> tuple[Task | Stream, ...]:
        """Tasks and streams."""
        return (*self.tasks, *self.streams)

    def lane_number(self, name: str) -> int:
        """The position of a lane. Raises StopIteration."""
        return next(number for number, lane in enumerate(self.lanes) if lane.name == name)

    def _wanted_lanes(self) -> Iterator[tuple[str, str]]:
        for task in self.tasks:
            version: Task | None = task
            while version is not None:
                yield from ((task.name, stage.lane) for route in version.routes for stage in route.stages)
                version = version.smaller
        yield from ((stream.name, lane) for stream in self.streams for lane in stream.lanes)


def lanes_of(board: Board) -> tuple[LaneSpec, ...]:
    """The lanes of a board; a DLA core takes two submissions."""
    return tuple(LaneSpec(lane.name, IN_FLIGHT if lane.device == "dla" else 1) for lane in board.lanes)


def _unknown(name: str, wanted: str, lanes: list[str]) -> str:
    nearest = difflib.get_close_matches(wanted, lanes, n=1)
    hint = f"did you mean `{nearest[0]}`?" if nearest else f"this board has {', '.join(lanes)}"
    return f"{name} wants lane `{wanted}`, which does not exist; {hint}"


def too_short(task: Task) -> str:
    """Why the deadline cannot be kept even alone on the board, on the fastest route, as a sentence; empty if it can."""
    fastest = min(task.routes, key=lambda route: route.cost_ns)
    left = task.deadline_ns - task.jitter_ns
    if fastest.cost_ns <= left:
        return ""
    longest = max((segment for stage in fastest.stages for segment in stage.segments), key=lambda each: each.cost_ns)
    return (
        f"the deadline of {task.name} leaves {ms(left)}, its work takes {ms(fastest.cost_ns)} on the fastest route, "
        f"alone (the longest part is {longest.name} with {ms(longest.cost_ns)})"
    )


def ms(duration_ns: int) -> str:
    """For sentences: `3.25 ms`."""
    return f"{duration_ns / 1e6:.4g} ms"
