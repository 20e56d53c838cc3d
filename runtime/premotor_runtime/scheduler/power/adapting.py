"""From a condition of the machine to a plan that holds in it, degraded as far as it must be. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from premotor_accelerators.boards import Board
from premotor_runtime.scheduler.admission import Admission, Admitted
from premotor_runtime.scheduler.contention import contention_of
from premotor_runtime.scheduler.power.condition import Condition
from premotor_runtime.scheduler.power.cost_rows import CostRow, row_for, with_costs
from premotor_runtime.scheduler.remedies import Change, step_down
from premotor_runtime.scheduler.task import Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet


@dataclass(frozen=True)
class Adaptation:
    """`changes` down the ladder were needed; a refused `admission` means: brake, nothing fits.

    `stranded` are tasks and streams that have no way around the lanes that hang: their miss policy takes over.
    """

    changes: tuple[Change, ...]
    admission: Admission
    stranded: tuple[str, ...] = ()

    @property
    def degraded(self) -> bool:
        """Whether less is done than was asked for."""
        return bool(self.changes or self.stranded) or not isinstance(self.admission, Admitted)


def adapt(task_set: TaskSet, stuck: tuple[str, ...] = ()) -> Adaptation:
    """The plan for `task_set` while the lanes `stuck` hang.

    Called at start and whenever something changes, always with what was wanted at first, so that a machine that has
    cooled down, or a lane that works again, gives everything back.
    """
    task_set, stranded = without_lanes(task_set, stuck)
    changes, admission = step_down(task_set)
    return Adaptation(changes, admission, stranded)


def in_condition(wanted: TaskSet, rows: tuple[CostRow, ...], condition: Condition, board: Board) -> TaskSet:
    """`wanted` as it runs in `condition`: its costs from the rows, contention by its memory clock.

    Raises ProfileMissing.
    """
    row, factor = row_for(rows, condition, board)
    mode = next((mode for mode in board.power_modes if mode.name == condition.power_mode), None)
    costed = with_costs(wanted, row, factor, condition, board)
    return replace(costed, contention=contention_of(board, mode, condition.memory_mhz))


def without_lanes(task_set: TaskSet, stuck: tuple[str, ...]) -> tuple[TaskSet, tuple[str, ...]]:
    """For lanes whose watchdog has fired: tasks and streams keep the ways around them; who has none is named.

    Who is named stays in the set: what is admitted holds whether the lane comes back or not.
    """
    if not stuck:
        return task_set, ()
    stranded = [task.name for task in task_set.tasks if _around(task, stuck) is None]
    stranded += [stream.name for stream in task_set.streams if _stream_around(stream, stuck) is None]
    tasks = tuple(_around(task, stuck) or task for task in task_set.tasks)
    streams = tuple(_stream_around(stream, stuck) or stream for stream in task_set.streams)
    return replace(task_set, tasks=tasks, streams=streams), tuple(stranded)


def _around(task: Task, stuck: tuple[str, ...]) -> Task | None:
    ways = tuple(route for route in task.routes if all(stage.lane not in stuck for stage in route.stages))
    if not ways:
        return None
    smaller = _around(task.smaller, stuck) if task.smaller else None
    taken = task.routes[task.route]
    at = ways.index(taken) if taken in ways else 0
    kept = task.stage_deadlines_ns if taken in ways else ()
    return replace(task, routes=ways, route=at, smaller=smaller, stage_deadlines_ns=kept)


def _stream_around(stream: Stream, stuck: tuple[str, ...]) -> Stream | None:
    others = tuple(name for name in stream.lanes if name not in stuck)
    if not others:
        return None
    at = others.index(stream.lane_name) if stream.lane_name in others else 0
    smaller = _stream_around(stream.smaller, stuck) if stream.smaller else None
    return replace(stream, lanes=others, lane=at, smaller=smaller)
