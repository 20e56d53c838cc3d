"""Our engine and its opponent on one model: started, warmed up, measured in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from premotor_runtime.bench.case import Case, Contestant, Samples
from premotor_runtime.bench.entrant import Entrant, Launch
from premotor_runtime.bench.errors import NotInstalled, WorkerFailed
from premotor_runtime.bench.interleave import interleave

_WARM_STEPS = 8


@dataclass(frozen=True)
class Absence:
    """Why a contestant has no figures, or fewer rounds than the others."""

    contestant: Contestant
    model: str
    installed: bool
    reason: str


@dataclass
class Contest:
    """Figures of one model. `details`, `start_s` and `memory` (bytes) are by contestant."""

    model: str
    samples: Samples = field(default_factory=Samples)
    entered: list[Contestant] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    details: dict[Contestant, dict[str, Any]] = field(default_factory=dict)
    start_s: dict[Contestant, float] = field(default_factory=dict)
    memory: dict[Contestant, dict[str, int]] = field(default_factory=dict)

    def note(self, contestant: Contestant, error: WorkerFailed) -> None:
        """Report a contestant that fails."""
        self.absences.append(Absence(contestant, self.model, not isinstance(error, NotInstalled), str(error)))


def run_contest(
    model: str,
    vocabulary: int,
    launches: Sequence[Launch],
    cases: Sequence[Case],
    rounds: int,
    steps: int,
    advance: Callable[[], None] = lambda: None,
) -> Contest:
    """Measure every case of every contestant that can be started. `advance` is called after each measurement."""
    contest = Contest(model)
    with ExitStack() as stack:
        entrants = _entrants(contest, launches, vocabulary, stack)
        _warm(contest, entrants, cases)

        def measure(contestant: Contestant, case: Case) -> float:
            try:
                return entrants[contestant].measure(case, steps)
            finally:
                advance()

        def failed(contestant: Contestant, reason: str) -> None:
            contest.absences.append(Absence(contestant, model, True, reason))

        contest.entered = list(entrants)
        contest.samples = interleave(contest.entered, cases, rounds, measure, failed)
        for contestant, entrant in entrants.items():
            _describe(contest, contestant, entrant)
    return contest


def _entrants(
    contest: Contest, launches: Sequence[Launch], vocabulary: int, stack: ExitStack
) -> dict[Contestant, Entrant]:
    """Those that start. Started twice: the first start compiles and converts, the second is the one that is timed."""
    entrants: dict[Contestant, Entrant] = {}
    for launch in launches:
        try:
            Entrant(launch, vocabulary).__exit__()
            entrant = stack.enter_context(Entrant(launch, vocabulary))
        except WorkerFailed as error:
            contest.note(launch.contestant, error)
            continue
        entrants[launch.contestant] = entrant
        contest.start_s[launch.contestant] = entrant.start_s
    return entrants


def _warm(contest: Contest, entrants: dict[Contestant, Entrant], cases: Sequence[Case]) -> None:
    """Every case once, unmeasured; memory is read before peers try out their other ways."""
    for contestant, entrant in list(entrants.items()):
        try:
            contest.memory[contestant] = entrant.ask("memory")
            for case in cases:
                entrant.measure(case, _WARM_STEPS)
        except WorkerFailed as error:
            contest.note(contestant, error)
            del entrants[contestant]


def _describe(contest: Contest, contestant: Contestant, entrant: Entrant) -> None:
    try:
        contest.details[contestant] = entrant.ask("describe")
    except WorkerFailed:
        return  # it has died, which was reported when it did
