"""Whether a task set may run: memory first, then the response time of every stage of every hard and firm task."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from premotor_runtime.scheduler.errors import DeadlineTooShort, NotSchedulable
from premotor_runtime.scheduler.plan import Plan, PlannedTask, deadlines_by, plan_of
from premotor_runtime.scheduler.response_time import Blocker, Load, utilization, worst_response
from premotor_runtime.scheduler.task import RANKS
from premotor_runtime.scheduler.task_set import TaskSet, ms, too_short

GUARANTEED = RANKS["firm"]


@dataclass(frozen=True)
class Response:
    """A stage's bound, from the job's arrival; `late_ns` above 0 is by how much it would miss (infinite: unbounded)."""

    task: str
    lane: str
    response_ns: float
    deadline_ns: int

    @property
    def late_ns(self) -> float:
        """Beyond the deadline; at most 0 when it is kept."""
        return self.response_ns - self.deadline_ns


@dataclass(frozen=True)
class Admitted:
    """Every hard and firm task keeps its deadlines, whatever the offsets."""

    plan: Plan
    responses: tuple[Response, ...]


@dataclass(frozen=True)
class Refused:
    """`task` would miss by `late_ns` (infinite: without bound; of memory: 0). `remedy` is empty where none helps.

    `alone`: not even alone on the board would it be in time.
    """

    task: str
    late_ns: float
    reason: str
    remedy: str = ""
    alone: bool = False

    def sentence(self) -> str:
        """For people."""
        way_out = f"it would fit with {self.remedy}" if self.remedy else "nothing on the ladder helps: ask for less"
        return f"not admitted: {self.reason}; {way_out}"


Admission = Admitted | Refused


SPLITS = 4
"""How often the deadlines of chained stages are divided anew before a set counts as not admitted."""


def admit(task_set: TaskSet) -> Admission:
    """Judge `task_set` as a whole. See `remedies.admit_or_advise` for the way out.

    Stages of a chain first share their slack equally; where that fails, time goes to the stages that need it.
    """
    short = _short_of_memory(task_set) or _short_of_time(task_set)
    if short is not None:
        return short
    plan = plan_of(task_set)
    first = admission = _judge(plan)
    for _ in range(SPLITS):
        divided = None if isinstance(admission, Admitted) else _divided_anew(plan)
        if divided is None:
            break
        plan = plan_of(divided)
        admission = _judge(plan)
    return admission if isinstance(admission, Admitted) else first


def _divided_anew(plan: Plan) -> TaskSet | None:
    """With stage deadlines by the response times found; None where nothing is chained or no bound exists."""
    bounds: dict[tuple[int, int], float] = {}
    for lane, spec in enumerate(plan.task_set.lanes):
        loads, blockers = loads_on(plan, lane), blockers_on(plan, lane)
        for load in loads:
            if load.rank <= GUARANTEED:
                bounds[load.owner, load.deadline] = worst_response(load, loads, blockers, spec.in_flight)
    if any(map(math.isinf, bounds.values())) or all(len(planned.stages) == 1 for planned in plan.tasks):
        return None
    tasks = []
    for planned in plan.tasks:
        ends = [int(bounds.get((planned.number, s.deadline_ns), s.deadline_ns)) for s in planned.stages]
        needs = [end - stage.latest_ready_ns for end, stage in zip(ends, planned.stages, strict=True)]
        tasks.append(replace(planned.task, stage_deadlines_ns=deadlines_by(planned.task, needs)))
    return replace(plan.task_set, tasks=tuple(tasks))


def admit_or_raise(task_set: TaskSet) -> Plan:
    """The plan to run by. Raises NotSchedulable (or, of these, DeadlineTooShort) with the first remedy."""
    from premotor_runtime.scheduler.remedies import admit_or_advise

    admission = admit_or_advise(task_set)
    if isinstance(admission, Refused):
        raise (DeadlineTooShort if admission.alone else NotSchedulable)(admission.sentence())
    return admission.plan


def _short_of_memory(task_set: TaskSet) -> Refused | None:
    largest = max(task_set.members, key=lambda each: each.memory_bytes, default=None)
    if task_set.memory_bytes is None or largest is None:
        return None
    wanted = sum(each.memory_bytes for each in task_set.members)
    if wanted <= task_set.memory_bytes:
        return None
    excess, taken = (wanted - task_set.memory_bytes) / 2**20, largest.memory_bytes / 2**20
    return Refused(largest.name, 0.0, f"memory is short of {excess:.1f} MiB ({largest.name} takes {taken:.1f})")


def _short_of_time(task_set: TaskSet) -> Refused | None:
    """A hard or firm task that could not be in time even alone."""
    for task in task_set.tasks:
        reason = too_short(task) if RANKS[task.criticality] <= GUARANTEED else ""
        if reason:
            fastest = min(route.cost_ns for route in task.routes)
            return Refused(task.name, fastest + task.jitter_ns - task.deadline_ns, reason, alone=True)
    return None


def _judge(plan: Plan) -> Admission:
    responses = tuple(response for lane in range(len(plan.task_set.lanes)) for response in _responses(plan, lane))
    worst = max(responses, key=lambda each: each.late_ns, default=None)
    if worst is None or worst.late_ns <= 0:
        return _busy(plan) or Admitted(plan, responses)
    if math.isinf(worst.late_ns):
        return Refused(worst.task, worst.late_ns, f"no bound for {worst.task}: lane {worst.lane} is (nearly) full")
    by = ms(int(worst.late_ns))
    return Refused(worst.task, worst.late_ns, f"{worst.task} would miss by {by} on lane {worst.lane}")


def _busy(plan: Plan) -> Refused | None:
    """A lane whose soft and best-effort tasks would never catch up."""
    for number, lane in enumerate(plan.task_set.lanes):
        share = utilization(loads_on(plan, number))
        if share > 1.0:
            least = max(loads_on(plan, number), key=lambda load: load.rank)
            name = plan.tasks[least.owner].task.name
            reason = f"lane {lane.name} is asked for {share:.0%} of its time, last of all by {name}"
            return Refused(name, math.inf, reason)
    return None


def _responses(plan: Plan, lane: int) -> Iterator[Response]:
    loads, blockers = loads_on(plan, lane), blockers_on(plan, lane)
    spec = plan.task_set.lanes[lane]
    for load in loads:
        if load.rank <= GUARANTEED:
            bound = worst_response(load, loads, blockers, spec.in_flight)
            yield Response(plan.tasks[load.owner].task.name, spec.name, bound, load.deadline)


def loads_on(plan: Plan, lane: int) -> list[Load]:
    """What the tasks ask of a lane, a load for each stage."""
    return [load for planned in plan.tasks for load in _loads(planned, lane)]


def blockers_on(plan: Plan, lane: int) -> list[Blocker]:
    """What may be in the way on a lane: steps of streams, and firm jobs that are let go (they rank as soft)."""
    lowest, optional = RANKS["best_effort"] + 1, RANKS["soft"]
    steps = [Blocker(lowest, stream.blocking_ns) for stream in plan.streams if stream.lane == lane]
    skippable = [load for load in loads_on(plan, lane) if load.m < load.k]
    return steps + [Blocker(optional, load.longest) for load in skippable]


def _loads(planned: PlannedTask, lane: int) -> Iterator[Load]:
    task = planned.task
    for stage in planned.stages:
        if stage.lane == lane:
            costs = stage.costs_ns
            yield Load(
                planned.number, planned.rank, task.period_ns, stage.deadline_ns, stage.latest_ready_ns, stage.cost_ns,
                costs[-1], max(costs), task.m, task.k,
            )  # fmt: skip


def tolerated_blocking_ns(task_set: TaskSet, stream: str, most_ns: int = 1_000_000_000) -> int:
    """How far a bounded step of `stream` may reach beyond the next release with every task in time; -1: not at all.

    That is what the tightest admitted deadline leaves; found by bisection, exact to a microsecond.
    """
    if isinstance(admit(_tolerating(task_set, stream, 0)), Refused):
        return -1
    low, high = 0, most_ns
    while high - low > 1000:
        middle = (low + high) // 2
        fits = isinstance(admit(_tolerating(task_set, stream, middle)), Admitted)
        low, high = (middle, high) if fits else (low, middle)
    return low


def _tolerating(task_set: TaskSet, name: str, tolerance_ns: int) -> TaskSet:
    streams = tuple(
        replace(each, tolerance_ns=tolerance_ns) if each.name == name else each for each in task_set.streams
    )
    return replace(task_set, streams=streams)
