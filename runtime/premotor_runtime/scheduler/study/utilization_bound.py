"""What people use instead of response times: a bound on utilization, here Baker's for EDF with blocking (1991)."""

from __future__ import annotations

from premotor_runtime.scheduler.admission import blockers_on, loads_on
from premotor_runtime.scheduler.plan import Plan


def within_bound(plan: Plan) -> bool:
    """Whether for every hard stage the densities of what is due no later, and its blocking, add up to at most 1.

    Judges hard tasks only, with the same inflated costs and stage deadlines as the admission.
    """
    return all(_lane_within(plan, lane) for lane in range(len(plan.task_set.lanes)))


def _lane_within(plan: Plan, lane: int) -> bool:
    loads = loads_on(plan, lane)
    hard = [load for load in loads if load.rank == 0]
    more = plan.task_set.lanes[lane].in_flight - 1
    steps = [blocker.longest for blocker in blockers_on(plan, lane)]
    for load in hard:
        lower = max([*steps, *(o.longest for o in loads if o.rank > 0 or o.deadline > load.deadline)], default=0)
        behind = more * max([*steps, *(o.longest for o in loads if o is not load)], default=0)
        density = sum((o.cost + behind) / (o.deadline - o.jitter) for o in hard if o.deadline <= load.deadline)
        if density + (more + 1) * lower / (load.deadline - load.jitter) > 1.0:
            return False
    return True
