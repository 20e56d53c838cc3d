"""A finished mission as the content of its files."""

from __future__ import annotations

import platform
from importlib.metadata import version

from premotor_planners.task.plan import step_args
from premotor_planners.world.model import Pose
from premotor_runtime.app.executive import StepRecord
from premotor_runtime.app.messages import ReflexReport
from premotor_runtime.app.mission import Mission
from premotor_runtime.app.motion_kit import Surroundings
from premotor_runtime.app.settings import RuntimeSettings
from premotor_runtime.executor.control_loop import schedule_json
from premotor_runtime.executor.records import Record, Span
from premotor_runtime.executor.robot import GroundTruth
from premotor_sim.report.mission_png import MissionPicture
from premotor_sim.report.result import (
    Control,
    LaneUse,
    Lateness,
    Llm,
    MissionResult,
    PlannedStep,
    StepResult,
)
from premotor_sim.report.route import Station
from premotor_sim.report.words import outcome_words, step_words

_STATUS = {"done": "succeeded", "failed": "failed", "skipped": "not_started", "pending": "not_started"}
_PACKAGES = ("premotor", "numpy", "mujoco", "onnxruntime", "llguidance")


def result_of(task: str, seed: int, settings: RuntimeSettings, mission: Mission) -> MissionResult:
    """The content of `result.json`."""
    report = _report(mission)
    late = report.lateness_ms
    success = report.succeeded and not report.collisions and not mission.interrupted
    return MissionResult(
        task=task,
        plan=tuple(PlannedStep(record.step.skill, step_args(record.step)) for record in report.steps),
        plan_origin=_origin(mission),
        success=success,
        mission_time_s=round(report.mission_time_s, 3),
        steps=tuple(_step(record) for record in report.steps),
        collisions=len(report.collisions),
        path_length_m=round(report.path_length_m, 3),
        control=Control(
            settings.control.period_s * 1e3,
            report.ticks,
            report.misses,
            Lateness(*(round(value, 4) for value in (late.p50, late.p99, late.p999, late.max))),
        ),
        llm=_llm(mission),
        lanes=_lanes(mission, report),
        seed=seed,
        versions={"python": platform.python_version(), "planner": _planner(mission), **_versions()},
    )


def timeline_of(mission: Mission) -> tuple[Record, ...]:
    """The records of both processes; they share one clock."""
    return (*_report(mission).records, *(mission.planned.records if mission.planned else ()))


def adaptations_of(mission: Mission) -> tuple[str, ...]:
    """Which plans were changed for the state of the machine, a sentence each."""
    return _report(mission).adaptations


def schedule_of(mission: Mission) -> str | None:
    """Every release, start, finish and miss of the control loop as Perfetto's JSON; None where nothing was recorded."""
    recording = _report(mission).recording
    return schedule_json(recording) if recording else None


def picture_of(surroundings: Surroundings, result: MissionResult, mission: Mission) -> MissionPicture:
    """The content of `mission.png`."""
    report = _report(mission)
    before, after = report.truth if report.truth is not None else (GroundTruth({}, {}, {}), GroundTruth({}, {}, {}))
    return MissionPicture(
        world=surroundings.world,
        task=result.task,
        result=outcome_words(result),
        success=result.success,
        start=_start(report, surroundings.world.start),
        stations=tuple(_station(index, record, report) for index, record in enumerate(report.steps)),
        objects_before=before.object_positions,
        objects_after=after.object_positions,
        people=after.people_positions,
    )


def _report(mission: Mission) -> ReflexReport:
    if mission.report is None:
        raise ValueError("a mission that was not executed has no files")
    return mission.report


def _origin(mission: Mission) -> str:
    plan = mission.planned.decomposition.plan if mission.planned else None
    return "none" if plan is None else plan.origin


def _planner(mission: Mission) -> str:
    return mission.brain.model if mission.brain else "not loaded"


def _step(record: StepRecord) -> StepResult:
    return StepResult(record.step.skill, step_args(record.step), _status(record), round(record.duration_s, 3))


def _status(record: StepRecord) -> str:
    if record.state == "failed" and record.reason == "interrupted":
        return "cancelled"
    return _STATUS.get(record.state, record.state)


def _llm(mission: Mission) -> Llm:
    runs = mission.planned.decomposition.generations if mission.planned else ()
    decoded = sum(run.output_tokens - 1 for run in runs)
    decode_s = sum(run.decode_s for run in runs)
    return Llm(
        requests=len(runs),
        prompt_tokens=sum(run.prompt_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        forced_tokens=sum(run.forced_tokens for run in runs),
        ttft_ms=round(runs[0].ttft_s * 1e3, 3) if runs else None,
        decode_tok_s=round(decoded / decode_s, 3) if decode_s > 0 else None,
    )


def _lanes(mission: Mission, report: ReflexReport) -> tuple[LaneUse, ...]:
    spans = [record for record in timeline_of(mission) if isinstance(record, Span)]
    length = max(span.end_s for span in spans) - min(span.start_s for span in spans) if spans else 1.0
    names = list(dict.fromkeys(span.lane for span in spans))
    busy = {name: sum(s.end_s - s.start_s for s in spans if s.lane == name) for name in names}
    return tuple(LaneUse(name, round(min(1.0, busy[name] / max(length, 1e-9)), 4)) for name in names)


def _versions() -> dict[str, str]:
    return {name: version(name) for name in _PACKAGES}


def _start(report: ReflexReport, planned: Pose) -> Pose:
    return (report.driven[0][1], report.driven[0][2], planned[2]) if report.driven else planned


def _station(index: int, record: StepRecord, report: ReflexReport) -> Station:
    driven = tuple((x, y) for step, x, y in report.driven if step == index)
    earlier = [(x, y) for step, x, y in report.driven if step <= index]
    at = earlier[-1] if earlier else (report.driven[0][1:] if report.driven else (0.0, 0.0))
    return Station(
        words=step_words(record.step.skill, step_args(record.step)),
        status=_status(record),
        duration_s=record.duration_s,
        at=(at[0], at[1]),
        planned=report.planned.get(index, ()),
        driven=driven,
        reason=record.reason,
    )
