"""Admitted shares over utilization, and the proof by exhaustion: no admitted hard task ever misses."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from premotor_runtime.scheduler.admission import Admitted, admit, blockers_on, loads_on
from premotor_runtime.scheduler.plan import Plan, plan_of
from premotor_runtime.scheduler.response_time import worst_response
from premotor_runtime.scheduler.study.random_sets import random_set
from premotor_runtime.scheduler.study.simulating import SCENES, first_come_first_served, simulate
from premotor_runtime.scheduler.study.utilization_bound import within_bound

UTILIZATIONS = tuple(round(0.05 * step, 2) for step in range(1, 21))


@dataclass
class Row:
    """Sets drawn at one utilization, how many each test admits, how many miss nothing in simulation.

    `admitted` judges hard and firm tasks, `hard_proved` (by the same analysis), `utilization_bound`, `fifo` and
    `policy` the hard ones only; the last two count sets without a miss in any scene: upper limits, not proofs.
    """

    utilization: float
    sets: int = 0
    admitted: int = 0
    hard_proved: int = 0
    utilization_bound: int = 0
    fifo: int = 0
    policy: int = 0


@dataclass(frozen=True)
class Study:
    """`failures` are the seeds of admitted sets in which a hard deadline (or a firm task's m of k) was missed."""

    rows: tuple[Row, ...]
    simulated: int
    jobs: int
    failures: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Schema premotor.bench.admission/1."""
        return {"schema": "premotor.bench.admission/1", **asdict(self)}


def study(sets: int, seed: int = 0, advance: Callable[[str], None] = lambda name: None) -> Study:
    """Draw `sets` task sets, utilizations in turn; judge all, simulate the admitted ones in every scene."""
    rows = {utilization: Row(utilization) for utilization in UTILIZATIONS}
    failures, simulated, jobs = [], 0, 0
    for number in range(sets):
        row = rows[UTILIZATIONS[number % len(UTILIZATIONS)]]
        ran, ok = _one(row, seed + number)
        simulated += ran > 0
        jobs += ran
        if not ok:
            failures.append(seed + number)
        advance(f"set {number + 1}")
    return Study(tuple(rows.values()), simulated, jobs, tuple(failures))


def _one(row: Row, seed: int) -> tuple[int, bool]:
    """Jobs simulated of the set if it was admitted, and whether it kept its word."""
    draw = random.Random(seed)  # noqa: S311 - task sets, not secrets
    task_set = random_set(draw, row.utilization)
    admission = admit(task_set)
    plan = admission.plan if isinstance(admission, Admitted) else plan_of(task_set)
    row.sets += 1
    row.admitted += isinstance(admission, Admitted)
    row.hard_proved += isinstance(admission, Admitted) or _hard_proved(plan)
    row.utilization_bound += within_bound(plan)
    in_order = first_come_first_served(task_set)
    row.fifo += all(simulate(in_order, scene, draw).hard == 0 for scene in SCENES)
    if not isinstance(admission, Admitted):
        row.policy += all(simulate(plan, scene, draw).hard == 0 for scene in SCENES)
        return 0, True
    found = [simulate(plan, scene, draw) for scene in SCENES]
    missed = any(each.hard for each in found)
    row.policy += not missed
    return sum(each.jobs for each in found), not missed and not any(each.firm_windows for each in found)


def _hard_proved(plan: Plan) -> bool:
    for lane, spec in enumerate(plan.task_set.lanes):
        loads, blockers = loads_on(plan, lane), blockers_on(plan, lane)
        hard = (load for load in loads if load.rank == 0)
        if any(worst_response(load, loads, blockers, spec.in_flight) > load.deadline for load in hard):
            return False
    return True
