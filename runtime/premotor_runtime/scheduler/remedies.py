"""The ladder of remedies: smaller chunk, lower rate, other lane, smaller model. Pure: task sets in, task sets out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from premotor_runtime.scheduler.admission import Admission, Admitted, Refused, admit
from premotor_runtime.scheduler.task import RANKS, Route, Stage, Stream, Task
from premotor_runtime.scheduler.task_set import TaskSet, ms


@dataclass(frozen=True)
class Change:
    """One step down: the name of what changes, and how, as the end of a sentence."""

    name: str
    text: str
    task_set: TaskSet


Versions = Callable[[Task], Iterator[tuple[str, Task]]]
StreamVersions = Callable[[Stream], Iterator[tuple[str, Stream]]]


def admit_or_advise(task_set: TaskSet) -> Admission:
    """As `admit`; a refusal names the first change on the ladder that would do, else the changes that together do."""
    admission = admit(task_set)
    if isinstance(admission, Admitted):
        return admission
    for change in ladder(task_set):
        if isinstance(admit(change.task_set), Admitted):
            return replace(admission, remedy=change.text)
    changes, after = step_down(task_set)
    if isinstance(after, Admitted):
        return replace(admission, remedy=" and ".join(change.text for change in changes))
    return admission


def step_down(task_set: TaskSet) -> tuple[tuple[Change, ...], Admission]:
    """Changes taken one after the other down the ladder until the set is admitted, and the verdict at the end.

    Of one rung, what matters least changes first; each goes to its end before the next begins.
    """
    taken: list[Change] = []
    admission = admit(task_set)
    for streams, tasks in _RUNGS:
        for name in _by_importance(task_set):
            while isinstance(admission, Refused):
                change = next(_of(task_set, name, streams, tasks), None)
                if change is None:
                    break
                taken.append(change)
                task_set = change.task_set
                admission = admit(task_set)
    return tuple(taken), admission


def ladder(task_set: TaskSet) -> Iterator[Change]:
    """Every single change, rung by rung; within one, what matters least first, and its mildest change first."""
    for streams, tasks in _RUNGS:
        for name in _by_importance(task_set):
            yield from _of(task_set, name, streams, tasks)


def _by_importance(task_set: TaskSet) -> list[str]:
    """What matters least first."""
    tasks = sorted(task_set.tasks, key=lambda task: -RANKS[task.criticality])
    return [*(stream.name for stream in task_set.streams), *(task.name for task in tasks)]


def _of(task_set: TaskSet, name: str, streams: StreamVersions, tasks: Versions) -> Iterator[Change]:
    for number, stream in enumerate(task_set.streams):
        if stream.name == name:
            for text, version in streams(stream):
                changed = (*task_set.streams[:number], version, *task_set.streams[number + 1 :])
                yield Change(name, f"{text} for {name}", replace(task_set, streams=changed))
    for number, task in enumerate(task_set.tasks):
        if task.name == name:
            yield from _with_task(task_set, number, tasks)


def _with_task(task_set: TaskSet, number: int, tasks: Versions) -> Iterator[Change]:
    task = task_set.tasks[number]
    for text, version in tasks(task):
        changed = (*task_set.tasks[:number], version, *task_set.tasks[number + 1 :])
        yield Change(task.name, f"{text} for {task.name}", replace(task_set, tasks=changed))


def _shorter_steps(stream: Stream) -> Iterator[tuple[str, Stream]]:
    if not stream.bounded:
        finest = stream.finest_ns or stream.longest_ns
        longest = stream.longest_ns // 2
        while longest >= max(finest, stream.shortest_ns):
            yield f"a smaller chunk (steps of {ms(longest)})", replace(stream, longest_ns=longest)
            longest //= 2
    elif stream.tolerance_ns:
        yield "a smaller chunk (steps that end before the next release)", replace(stream, tolerance_ns=0)


def _smaller_chunks(task: Task) -> Iterator[tuple[str, Task]]:
    most = max(segment.parts for stage in task.stages for segment in stage.segments)
    for parts in range(2, most + 1):
        stages = tuple(_cut(stage, parts) for stage in task.stages)
        routes = (*task.routes[: task.route], Route(stages), *task.routes[task.route + 1 :])
        yield f"a smaller chunk (a {_ordinal(parts)} of each that can be cut)", replace(task, routes=routes)


def _cut(stage: Stage, parts: int) -> Stage:
    pieces = [segment.cut(min(parts, segment.parts)) for segment in stage.segments]
    return Stage(stage.lane, tuple(piece for each in pieces for piece in each))


def _ordinal(parts: int) -> str:
    return {2: "half", 3: "third", 4: "quarter"}.get(parts, f"{parts}th")


def _lower_rates(task: Task) -> Iterator[tuple[str, Task]]:
    period = 2 * task.period_ns
    while task.slowest_period_ns is not None and period <= task.slowest_period_ns:
        yield f"a lower rate (every {ms(period)})", replace(task, period_ns=period)
        period *= 2


def _same_rate(stream: Stream) -> Iterator[tuple[str, Stream]]:
    """A stream has no rate."""
    yield from ()


def _other_routes(task: Task) -> Iterator[tuple[str, Task]]:
    for number in range(task.route + 1, len(task.routes)):
        lanes = ", ".join(dict.fromkeys(stage.lane for stage in task.routes[number].stages))
        yield f"another lane ({lanes})", replace(task, route=number)


def _other_lanes(stream: Stream) -> Iterator[tuple[str, Stream]]:
    for number in range(stream.lane + 1, len(stream.lanes)):
        yield f"another lane ({stream.lanes[number]})", replace(stream, lane=number)


def _smaller_tasks(task: Task) -> Iterator[tuple[str, Task]]:
    smaller, depth = task.smaller, 1
    while smaller is not None:
        yield f"a smaller model (version {depth})", smaller
        smaller, depth = smaller.smaller, depth + 1


def _smaller_streams(stream: Stream) -> Iterator[tuple[str, Stream]]:
    smaller, depth = stream.smaller, 1
    while smaller is not None:
        yield f"a smaller model (version {depth})", smaller
        smaller, depth = smaller.smaller, depth + 1


_RUNGS: tuple[tuple[StreamVersions, Versions], ...] = (
    (_shorter_steps, _smaller_chunks),
    (_same_rate, _lower_rates),
    (_other_lanes, _other_routes),
    (_smaller_streams, _smaller_tasks),
)
