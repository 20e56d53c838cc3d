"""The dispatcher's state as plain data, so that a replay may begin at any page of the ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from premotor_runtime.scheduler.live import LaneState, LiveJob, Submission
from premotor_runtime.scheduler.miss_ladder import MissState

if TYPE_CHECKING:
    from premotor_runtime.scheduler.dispatcher import Dispatcher


def snapshot(of: Dispatcher) -> dict[str, Any]:
    """As JSON takes it."""
    known = list(of.jobs)
    for lane in of.lanes:
        known += [each.job for each in lane.flying if each.job is not None and each.job not in known]
    return {
        "now_ns": of.now_ns,
        "plan": of.plan_number,
        "next_arrival_ns": list(of.next_arrival_ns),
        "next_index": list(of.next_index),
        "early": list(of.early),
        "miss_states": [list(state) for state in of.misses.states],
        "jobs": [_job(of, job) for job in known],
        "live": len(of.jobs),
        "ready": [known.index(job) for job in of.ready],
        "lanes": [_lane(lane, known) for lane in of.lanes],
        "offering": sorted(of.offering),
        "asleep": sorted(of.asleep),
    }


def restore(into: Dispatcher, state: dict[str, Any]) -> None:
    """The reverse of `snapshot`. Raises KeyError, IndexError or TypeError for what is none of this plan."""
    into.now_ns, into.plan_number = state["now_ns"], state["plan"]
    into.next_arrival_ns, into.next_index = list(state["next_arrival_ns"]), list(state["next_index"])
    into.early = list(state["early"])
    into.misses.states = [MissState(*each) for each in state["miss_states"]]
    known = [_live_job(into, each) for each in state["jobs"]]
    into.jobs = known[: state["live"]]
    into.ready = [known[at] for at in state["ready"]]
    for lane, each in zip(into.lanes, state["lanes"], strict=True):
        _restore_lane(lane, each, known)
    into.offering, into.asleep = set(state["offering"]), set(state["asleep"])


def _job(of: Dispatcher, job: LiveJob) -> list[Any]:
    plan = next(number for number, plan in enumerate(of.plans) if job.planned in plan.versions[job.number])
    version = of.plans[plan].versions[job.number].index(job.planned)
    return [plan, job.number, version, job.index, job.arrival_ns, job.open, job.waiting, job.stage, job.segment]


def _live_job(into: Dispatcher, fields: list[Any]) -> LiveJob:
    plan, number, version, index, arrival, open_, waiting, stage, segment = fields
    job = LiveJob(into.plans[plan].versions[number][version], index, arrival)
    job.enter(stage)
    job.open, job.waiting, job.segment = open_, waiting, segment
    return job


def _lane(lane: LaneState, known: list[LiveJob]) -> list[Any]:
    flying = [
        [-1 if each.job is None else known.index(each.job), each.stage, each.segment, each.stream, each.budget_ns,
         each.worst_ns]
        for each in lane.flying
    ]  # fmt: skip
    return [flying, lane.free_at_ns, lane.limit_ns, lane.stuck]


def _restore_lane(lane: LaneState, fields: list[Any], known: list[LiveJob]) -> None:
    flying, lane.free_at_ns, lane.limit_ns, lane.stuck = fields
    lane.flying = [Submission(lane.number, known[job] if job >= 0 else None, *rest) for job, *rest in flying]
    lane.room = len(lane.flying) < lane.in_flight and not lane.stuck
