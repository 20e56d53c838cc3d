"""The watch over the board of a configuration: what was rehearsed at the start, in other states of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from premotor_accelerators.boards import load_board
from premotor_foundation.locations import named_config
from premotor_runtime.executor.control_plan import ControlTiming, control_task_set
from premotor_runtime.executor.watch_thread import WatchThread
from premotor_runtime.scheduler.power.cost_rows import CostRow
from premotor_runtime.scheduler.power.watch import PlanWatch, measured_on, read_board
from premotor_runtime.scheduler.task import Task


def watch_for(
    name: str | None, timing: ControlTiming, levels: int, profile: Sequence[int], root: Path = Path("/")
) -> PlanWatch | None:
    """A watch that re-runs admission of the control task as clocks, power mode and temperatures under `root` change.

    `name` is the board's of a configuration; None watches nothing. `profile` is what `rehearsal.rehearse` measured in
    the state that the board is in now: the row of that power mode and memory clock. Clocks that were held down during
    it are not taken out of it again, so plans are on the safe side. Raises UsageError, ConfigError and BadTask.
    """
    if name is None:
        return None
    board = load_board(named_config("boards", name))
    wanted = control_task_set(timing, levels, profile)
    read = read_board(board, root)
    now = read(None)
    row = CostRow(now.power_mode, now.memory_mhz, dict(_costs(wanted.tasks[0])))
    return PlanWatch(wanted, read, measured_on(board, (row,)))


def watching(watch: PlanWatch | None) -> AbstractContextManager[object]:
    """The thread that looks, while the loop runs; nothing without a watch."""
    return nullcontext() if watch is None else WatchThread(watch)


def _costs(task: Task | None) -> Iterator[tuple[tuple[str, str], int]]:
    while task is not None:
        for stage in task.routes[0].stages:
            for segment in stage.segments:
                yield (segment.name, stage.lane), segment.cost_ns
        task = task.smaller
