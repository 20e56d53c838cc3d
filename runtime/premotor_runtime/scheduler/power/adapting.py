"""From a condition of the machine to a plan that holds in it, degraded as far as it must be. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from premotor_accelerators.boards import Board
from premotor_runtime.scheduler.admission import Admission, Admitted
from premotor_runtime.scheduler.contention import contention_of
from premotor_runtime.scheduler.power.condition import Condition
from premotor_runtime.scheduler.power.cost_rows import CostRow, row_for, with_costs
from premotor_runtime.scheduler.remedies import Change, step_down
from premotor_runtime.scheduler.task_set import TaskSet


@dataclass(frozen=True)
class Adaptation:
    """`changes` down the ladder were needed in `condition`; a refused `admission` means: brake, nothing fits.

    `row` and `factor_milli` are what was planned with (see `cost_rows.row_for`).
    """

    condition: Condition
    row: CostRow
    factor_milli: int
    changes: tuple[Change, ...]
    admission: Admission

    @property
    def degraded(self) -> bool:
        """Whether less is done than was asked for."""
        return bool(self.changes) or not isinstance(self.admission, Admitted)


def adapt(wanted: TaskSet, rows: tuple[CostRow, ...], condition: Condition, board: Board) -> Adaptation:
    """The plan for `wanted` in `condition`: its costs from the rows, contention by its memory clock, admitted anew.

    Called at start and whenever the condition changes, always with what was wanted at first, so that a machine that has
    cooled down gets everything back. Raises ProfileMissing.
    """
    row, factor = row_for(rows, condition, board)
    mode = next((mode for mode in board.power_modes if mode.name == condition.power_mode), None)
    costed = with_costs(wanted, row, factor, condition, board)
    task_set = replace(costed, contention=contention_of(board, mode, condition.memory_mhz))
    changes, admission = step_down(task_set)
    return Adaptation(condition, row, factor, changes, admission)


def without_lane(task_set: TaskSet, lane: str) -> tuple[TaskSet, tuple[str, ...]]:
    """For a lane whose watchdog has fired: tasks and streams take their next way around it; who has none is named."""
    tasks, streams, stranded = [], [], []
    for task in task_set.tasks:
        ways = [n for n, route in enumerate(task.routes) if all(stage.lane != lane for stage in route.stages)]
        if ways:
            tasks.append(replace(task, route=ways[0], stage_deadlines_ns=()))
        else:
            stranded.append(task.name)
    for stream in task_set.streams:
        others = [number for number, name in enumerate(stream.lanes) if name != lane]
        if others:
            streams.append(replace(stream, lane=others[0]))
        else:
            stranded.append(stream.name)
    return replace(task_set, tasks=tuple(tasks), streams=tuple(streams)), tuple(stranded)
