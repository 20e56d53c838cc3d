"""Measured costs by power mode and memory clock; for a state that was not measured, a bound from one that was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from premotor_accelerators.boards import Board
from premotor_runtime.scheduler.contention import ALONE
from premotor_runtime.scheduler.errors import ProfileMissing
from premotor_runtime.scheduler.plan import inflated
from premotor_runtime.scheduler.power.condition import Condition
from premotor_runtime.scheduler.task import Route, Segment, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet

_Cost = Callable[[str, str], int]


@dataclass(frozen=True)
class CostRow:
    """Worst cases in nanoseconds by (segment or stream, lane), measured in one power mode at one memory clock."""

    power_mode: str | None
    memory_mhz: float | None
    costs_ns: Mapping[tuple[str, str], int]


def row_for(rows: tuple[CostRow, ...], condition: Condition, board: Board) -> tuple[CostRow, int]:
    """The row to plan with, and a factor (thousandths) on its costs.

    The row of this power mode and memory clock, else of this mode at another memory clock, else of another mode, and
    then the factor is the largest ratio of any clock: no work slows down more than its slowest clock does. Raises
    ProfileMissing when there is no row, or nothing is known of how much slower this state is.
    """
    if not rows:
        raise ProfileMissing("nothing was measured on this board; run `premotor profile` for each kernel and device")
    same = [row for row in rows if row.power_mode == condition.power_mode]
    exact = [row for row in same if row.memory_mhz == condition.memory_mhz]
    if exact:
        return exact[0], ALONE
    row = max(same or rows, key=lambda each: each.memory_mhz or 0.0)
    ratios = [_ratio(row.memory_mhz, condition.memory_mhz, "the memory", condition)]
    if not same:
        ratios += _ratios(row, condition, board)
    return row, max(ALONE, -int(-ALONE * max(ratios) // 1))


def _ratios(row: CostRow, condition: Condition, board: Board) -> list[float]:
    modes = {mode.name: mode for mode in board.power_modes}
    if row.power_mode not in modes or condition.power_mode not in modes:
        raise _unknown("the power mode", condition)
    old, new = modes[row.power_mode or ""], modes[condition.power_mode or ""]
    sms = _ratio(old.gpu_sms, new.gpu_sms, "the GPU", condition)
    return [
        sms * _ratio(old.gpu_mhz, new.gpu_mhz, "the GPU", condition),
        _ratio(old.cpu_mhz, new.cpu_mhz, "the CPU", condition),
        _ratio(old.dla_mhz, new.dla_mhz, "the DLA", condition),
    ]


def _ratio(old: float | None, new: float | None, unit: str, condition: Condition) -> float:
    if old and not new:
        raise _unknown(unit, condition)
    return old / new if old and new else 1.0


def _unknown(unit: str, condition: Condition) -> ProfileMissing:
    return ProfileMissing(
        f"nothing was measured in power mode {condition.power_mode} with the memory at {condition.memory_mhz} MHz, and "
        f"how fast {unit} is then is not known; run `premotor profile` in that state"
    )


def with_costs(task_set: TaskSet, row: CostRow, factor_milli: int, condition: Condition, board: Board) -> TaskSet:
    """`task_set` with the costs of `row` times the factor and the condition's slowdown of each lane's device.

    Raises ProfileMissing for a segment that the row does not have.
    """
    devices = {lane.name: lane.device for lane in board.lanes}

    def cost(name: str, lane: str) -> int:
        if (name, lane) not in row.costs_ns:
            raise ProfileMissing(
                f"{name} was not measured on lane {lane} in power mode {row.power_mode}; run `premotor profile` there"
            )
        slow = -(-factor_milli * condition.slowdown_milli(devices.get(lane, "cpu")) // ALONE)
        return inflated(row.costs_ns[name, lane], max(ALONE, slow))

    tasks = tuple(_task(task, cost) for task in task_set.tasks)
    return replace(task_set, tasks=tasks, streams=tuple(_stream(stream, cost) for stream in task_set.streams))


def _task(task: Task, cost: _Cost) -> Task:
    routes = tuple(Route(tuple(_stage(stage, cost) for stage in route.stages)) for route in task.routes)
    smaller = _task(task.smaller, cost) if task.smaller else None
    return replace(task, routes=routes, smaller=smaller, stage_deadlines_ns=())


def _stage(stage: Stage, cost: _Cost) -> Stage:
    segments: tuple[Segment, ...] = tuple(replace(each, cost_ns=cost(each.name, stage.lane)) for each in stage.segments)
    return replace(stage, segments=segments)


def _stream(stream: Stream, cost: _Cost) -> Stream:
    longest = cost(stream.name, stream.lane_name)
    shortest = min(longest, -(-stream.shortest_ns * longest // stream.longest_ns))
    return replace(stream, longest_ns=longest, shortest_ns=shortest)
