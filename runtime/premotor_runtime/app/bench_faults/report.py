"""The figures, as JSON (schema premotor.bench.faults/1) and as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from premotor_runtime.app.bench_faults.settings import FAULTS, INJECT_AFTER_S, LOG_BYTES, TIMING, FaultSettings
from premotor_runtime.app.bench_faults.trial import Trial
from premotor_runtime.app.core_witness import Stall, withheld_s
from premotor_runtime.app.messages import ReflexReport

SCHEMA = "premotor.bench.faults/1"
MOST_START_UP_RATIO = 1.5


def report(machine: dict[str, Any], settings: FaultSettings, trials: list[Trial]) -> dict[str, Any]:
    """Everything that was measured. A bar that does not apply to a fault is null."""
    return {
        "schema": SCHEMA,
        "machine": machine,
        "model": settings.model,
        "cores": {"reflex": settings.reflex_core, "brain": settings.brain_core},
        "rate_hz": TIMING.rate_hz,
        "deadline_ms": TIMING.deadline_ms,
        "injected_after_s": INJECT_AFTER_S,
        "faults": {trial.fault: _figures(trial) for trial in trials},
    }


def _figures(trial: Trial) -> dict[str, Any]:
    report, incident = trial.report, trial.incidents[-1] if trial.incidents else None
    recovery = _recovery(trial)
    ratio = None if recovery["start_up_s"] is None else recovery["start_up_s"] / trial.start_up_s
    return {
        "what": FAULTS[trial.fault],
        "seen_as": None if incident is None else incident.fault,
        "reflex": {
            "periods": report.ticks,
            "misses": _misses(report),
            "longest_run": report.longest_run,
            "lateness_ms": asdict(report.lateness_ms),
            "response_ms": asdict(report.response_ms),
            "missed": None if trial.stalls is None else _missed(trial, trial.stalls),
            "page_faults": report.page_faults,
            "busy_share": report.busy_share,
            "rights": asdict(trial.rights),
        },
        "robot": {"speed_mps_at_fault": trial.speed_mps, "did": _what_it_did(trial), "drove_m": report.path_length_m},
        "brain": {
            "first_start_up_s": trial.start_up_s,
            **recovery,
            "start_up_ratio": ratio,
            "available": trial.available,
            "incidents": len(trial.incidents),
            "log_bytes": trial.log_bytes,
            "log_bytes_lost": trial.lost_log_bytes,
        },
        "met": {
            "fault_seen": bool(trial.incidents),
            "no_deadline_missed": _misses(report) == 0,
            "finished_or_stopped_by_policy": _kept_its_policy(trial),
            "served_within_start_up": None if ratio is None else ratio <= MOST_START_UP_RATIO,
            "log_within_limit": trial.log_bytes <= LOG_BYTES,
        },
    }


def _misses(report: ReflexReport) -> int:
    """Releases without a command by the deadline: the loop counts decisions, and releases that passed unseen."""
    return report.misses + sum(not period.missed for period in report.missed)


def _missed(trial: Trial, stalls: tuple[Stall, ...]) -> list[dict[str, float]]:
    """Each missed period: when, seconds after the fault, and how much of its time the machine withheld its core."""
    return [
        {
            "after_s": period.release_s - trial.injected_s,
            "response_ms": period.response_s * 1e3,
            "withheld_ms": 1e3 * withheld_s(stalls, period.release_s, period.release_s + TIMING.deadline_ms * 1e-3),
        }
        for period in trial.report.missed
    ]


def _recovery(trial: Trial) -> dict[str, float | None]:
    """Seconds: until it was seen, until the next brain was started, until that one served, and all together."""
    names = ("seen_after_s", "back_off_s", "start_up_s", "served_after_s")
    if not trial.incidents:
        return dict.fromkeys(names)
    one = trial.incidents[-1]
    restarted, served = one.restarted_s, one.served_s
    return {
        "seen_after_s": one.seen_s - trial.injected_s,
        "back_off_s": None if restarted is None else restarted - one.seen_s,
        "start_up_s": None if restarted is None or served is None else served - restarted,
        "served_after_s": None if served is None else served - trial.injected_s,
    }


def _what_it_did(trial: Trial) -> str:
    if trial.report.succeeded:
        return "finished its drive"
    reasons = [step.reason for step in trial.report.steps if step.reason]
    return f"stopped: {reasons[0]}" if reasons else "stopped"


def _kept_its_policy(trial: Trial) -> bool:
    if trial.fault == "gone":
        return any(step.reason == "the brain is gone" for step in trial.report.steps)
    return trial.report.succeeded


def print_faults_report(figures: dict[str, Any], console: Console) -> None:
    """A row a fault."""
    table = Table(title=f"Control at {figures['rate_hz']:g} Hz while the brain fails")
    for heading in ("fault", "periods", "missed", "late p99.9 ms", "the robot", "seen after", "start-up", "first"):
        table.add_column(heading)
    for name, row in figures["faults"].items():
        reflex, brain = row["reflex"], row["brain"]
        table.add_row(
            name, str(reflex["periods"]), str(reflex["misses"]), f"{reflex['lateness_ms']['p999']:.2f}",
            row["robot"]["did"], _seconds(brain["seen_after_s"]), _seconds(brain["start_up_s"]),
            _seconds(brain["first_start_up_s"]),
        )  # fmt: skip
    console.print(table)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"
