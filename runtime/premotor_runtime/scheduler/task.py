"""What is to be scheduled: tasks of non-preemptive segments, and endless streams such as the language model's steps.

All times are whole nanoseconds, so that nothing drifts and a replay is exact. The descriptions are frozen and can be
read from YAML (`premotor_foundation.strict_yaml`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from premotor_runtime.executor.job import Criticality
from premotor_runtime.scheduler.errors import BadTask

RANKS: dict[Criticality, int] = {"hard": 0, "firm": 1, "soft": 2, "best_effort": 3}
"""The lower goes first; deadlines are compared only within a rank."""


@dataclass(frozen=True)
class Segment:
    """Work that nothing interrupts once submitted: a kernel, a DLA slice, a prefill chunk.

    `cost_ns` is its worst case alone on the board, `demand_mbps` the memory bandwidth (MB/s) that it draws then. It can
    be cut into at most `parts` equal ones, each of which takes `cut_ns` more.
    """

    name: str
    cost_ns: int
    demand_mbps: int = 0
    parts: int = 1
    cut_ns: int = 0

    def __post_init__(self) -> None:
        if self.cost_ns < 1 or self.demand_mbps < 0 or self.parts < 1 or self.cut_ns < 0:
            raise BadTask(
                f"segment {self.name}: cost_ns and parts must be at least 1, demand_mbps and cut_ns at least 0; "
                f"given {self.cost_ns}, {self.parts}, {self.demand_mbps}, {self.cut_ns}"
            )

    def cut(self, parts: int) -> tuple[Segment, ...]:
        """As `parts` shorter ones in a row."""
        cost = -(-self.cost_ns // parts) + self.cut_ns
        return (replace(self, cost_ns=cost, parts=self.parts // parts),) * parts


@dataclass(frozen=True)
class Stage:
    """Segments in a row on one lane."""

    lane: str
    segments: tuple[Segment, ...]

    def __post_init__(self) -> None:
        if not self.segments:
            raise BadTask(f"a stage on lane {self.lane} has no segments; give at least one, or leave the stage out")

    @property
    def cost_ns(self) -> int:
        """Worst case alone."""
        return sum(segment.cost_ns for segment in self.segments)


@dataclass(frozen=True)
class Route:
    """One way to do the work: stages in order, each begun when the one before has ended."""

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        if not self.stages:
            raise BadTask("a route has no stages; give at least one")

    @property
    def cost_ns(self) -> int:
        """Worst case alone."""
        return sum(stage.cost_ns for stage in self.stages)


@dataclass(frozen=True)
class Task:
    """A periodic task. Its k-th job arrives at `offset_ns + k * period_ns` and must be done `deadline_ns` after that.

    With `jitter_ns` the job waits for an input that comes at most so long after the arrival; without, for the clock.
    A firm task keeps at least `m` of any `k` successive deadlines. `routes` are in order of preference, `route` the one
    taken. `slowest_period_ns` is how rarely it may run at worst, `smaller` the same task done with less work (fewer
    rollouts, a smaller model): both are what admission may propose and degradation takes. `stage_deadlines_ns`, from
    the arrival, are filled in by the admission; while empty, stages share the slack equally.
    """

    name: str
    criticality: Criticality
    period_ns: int
    deadline_ns: int
    routes: tuple[Route, ...]
    offset_ns: int = 0
    jitter_ns: int = 0
    m: int = 1
    k: int = 1
    memory_bytes: int = 0
    route: int = 0
    slowest_period_ns: int | None = None
    smaller: Task | None = None
    stage_deadlines_ns: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.routes or not 0 <= self.route < len(self.routes):
            raise BadTask(f"task {self.name}: route {self.route} of {len(self.routes)}; give at least one and pick one")
        if not 0 <= self.jitter_ns < self.deadline_ns <= self.period_ns or self.offset_ns < 0 or self.memory_bytes < 0:
            raise BadTask(
                f"task {self.name}: 0 <= jitter < deadline <= period and offset, memory >= 0 must hold; given jitter "
                f"{self.jitter_ns}, deadline {self.deadline_ns}, period {self.period_ns}, offset {self.offset_ns} ns"
            )
        if not 1 <= self.m <= self.k or (self.k > 1 and self.criticality != "firm"):
            raise BadTask(
                f"task {self.name} ({self.criticality}): {self.m} of {self.k} deadlines; 1 <= m <= k must hold, and "
                "k above 1 is for firm tasks"
            )
        if self.smaller is not None and self.smaller.name != self.name:
            raise BadTask(f"task {self.name}: its smaller version is called {self.smaller.name}; give it the same name")
        due = (self.jitter_ns, *self.stage_deadlines_ns, self.deadline_ns)
        if self.stage_deadlines_ns and (len(due) != len(self.stages) + 2 or list(due) != sorted(due)):
            raise BadTask(
                f"task {self.name}: stage deadlines {self.stage_deadlines_ns}; give one for each stage, rising, from "
                "the jitter to the deadline, or none"
            )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of the route taken."""
        return self.routes[self.route].stages

    def mandatory(self, index: int) -> bool:
        """Whether job `index` must be in time: evenly m of each k, exactly m in every k successive jobs."""
        return (index * self.m) % self.k < self.m


def fastest_first(task: Task) -> Task:
    """The lane by profile: routes in order of their cost, the cheapest taken; of equal ones the order stays."""
    routes = tuple(sorted(task.routes, key=lambda route: route.cost_ns))
    return replace(task, routes=routes, route=0, stage_deadlines_ns=())


@dataclass(frozen=True)
class Stream:
    """Endless work without a deadline, one step at a time: the language model. `lanes` in order of preference.

    A step takes at most `longest_ns` and at least `shortest_ns`, alone. A `bounded` one gets a time budget that ends
    before the next release on its lane, or up to `tolerance_ns` after it; it may overrun that by `overrun_ns`, what
    the engine's cost model is allowed to err. Unbounded steps take what they take. `finest_ns` is how short the longest
    step may be made.
    """

    name: str
    lanes: tuple[str, ...]
    longest_ns: int
    shortest_ns: int = 1
    demand_mbps: int = 0
    bounded: bool = True
    margin_ns: int = 0
    tolerance_ns: int = 0
    overrun_ns: int = 0
    memory_bytes: int = 0
    lane: int = 0
    finest_ns: int | None = None
    smaller: Stream | None = None

    def __post_init__(self) -> None:
        if not self.lanes or not 0 <= self.lane < len(self.lanes):
            raise BadTask(f"stream {self.name}: lane {self.lane} of {len(self.lanes)}; give at least one and pick one")
        sizes = (self.demand_mbps, self.margin_ns, self.tolerance_ns, self.overrun_ns, self.memory_bytes)
        if not 1 <= self.shortest_ns <= self.longest_ns or min(sizes) < 0:
            raise BadTask(
                f"stream {self.name}: 1 <= shortest_ns <= longest_ns must hold and nothing be negative; given "
                f"{self.shortest_ns} and {self.longest_ns}, others {sizes}"
            )

    @property
    def lane_name(self) -> str:
        """The lane taken."""
        return self.lanes[self.lane]
