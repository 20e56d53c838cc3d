"""What the processes found, as figures. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from premotor_runtime.app.bench_realtime.llm_rates import LlmFigures, llm_figures, same_work_tok_s
from premotor_runtime.app.bench_realtime.messages import ControlFound, Found, LlmFound, Ready
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.app.bench_realtime.slices import SET_UPS, Measured, SetUp
from premotor_runtime.app.bench_realtime.statistics import (
    ControlFigures,
    Missed,
    answers,
    control_figures,
    missed_releases,
)
from premotor_runtime.executor.period_log import Percentiles
from premotor_runtime.executor.rights import Rights

_DEADLINE_S = TIMING.deadline_ms * 1e-3
Collected = Mapping[Measured, Mapping[str, tuple[Ready, Found]]]


@dataclass(frozen=True)
class SetUpFigures:
    """`alone_tok_s` is the rate of the engine alone over the same work; `cpu_share` control's of one core.

    `cpu_share` is None where control has no process of its own; waiting awake is not counted in it. `stall_ms` is the
    longest time that the reflex, waiting awake, did not run; 0 where it does not wait awake. `missed` are the missed
    releases where a witness was on the core, None where none was.
    """

    control: ControlFigures
    llm: LlmFigures
    alone_tok_s: float
    cpu_share: float | None
    rights: Rights | None
    errors: tuple[str, ...]
    stall_ms: float = 0.0
    missed: tuple[Missed, ...] | None = None

    @property
    def llm_share(self) -> float:
        """Of what the engine alone does."""
        return self.llm.tok_s / self.alone_tok_s if self.alone_tok_s > 0 else 0.0

    def as_json(self) -> dict[str, Any]:
        """Flat, as in the report."""
        control, llm = self.control, self.llm
        return {
            "periods": control.periods, "misses": control.misses, "longest_run": control.longest_run,
            "lateness_ms": asdict(control.lateness_ms), "response_ms": asdict(control.response_ms),
            "llm_tok_s": llm.tok_s, "llm_output_tok_s": llm.output_tok_s, "llm_tokens": llm.tokens,
            "llm_alone_same_work_tok_s": self.alone_tok_s, "llm_share_of_alone": self.llm_share,
            "llm_bounded_steps": llm.bounded_steps, "llm_steps_past_release": llm.steps_past_release,
            "control_cpu_share": self.cpu_share, "rights": None if self.rights is None else asdict(self.rights),
            "longest_stall_ms": self.stall_ms, "errors": list(self.errors),
            "missed": None if self.missed is None else [asdict(each) for each in self.missed],
        }  # fmt: skip


@dataclass(frozen=True)
class Figures:
    """Of a whole run."""

    set_ups: Mapping[SetUp, SetUpFigures]
    idle_lateness_ms: Percentiles
    idle_stall_ms: float
    alone: LlmFigures
    runner: str


def figures(collected: Collected) -> Figures:
    """`collected` holds the bases and any set-ups."""
    alone = llm_of(collected, "llm_alone")
    found = {name: _set_up(collected, name, alone) for name in SET_UPS if name in collected}
    ready = next(iter(collected["llm_alone"].values()))[0]
    idle = control_of(collected, "idle")
    return Figures(found, _control(idle).lateness_ms, idle.stall_s * 1e3, llm_figures(alone), ready.runner)


def control_of(collected: Collected, name: Measured) -> ControlFound:
    """Of the process that has the control loop. Raises KeyError where none has."""
    for _, found in collected[name].values():
        if found.control is not None:
            return found.control
    raise KeyError(name)


def llm_of(collected: Collected, name: Measured) -> LlmFound:
    """Of the process that has the engine. Raises KeyError where none has."""
    for _, found in collected[name].values():
        if found.llm is not None:
            return found.llm
    raise KeyError(name)


def _set_up(collected: Collected, name: SetUp, alone: LlmFound) -> SetUpFigures:
    control, llm = control_of(collected, name), llm_figures(llm_of(collected, name))
    reflex = collected[name].get("reflex")
    share = None if reflex is None or control.wall_s <= 0 else control.cpu_s / control.wall_s
    rights = None if reflex is None else reflex[0].rights
    alone_tok_s = same_work_tok_s(alone, llm.tokens)
    return SetUpFigures(
        _control(control), llm, alone_tok_s, share, rights, control.errors, control.stall_s * 1e3,
        _missed(control, collected[name].get("witness")),
    )  # fmt: skip


def _control(found: ControlFound) -> ControlFigures:
    return control_figures([answers(grid, found.periods, _DEADLINE_S) for grid in found.grids])


def _missed(control: ControlFound, witness: tuple[Ready, Found] | None) -> tuple[Missed, ...] | None:
    if witness is None or witness[0].rights is None or not witness[0].rights.sched_fifo:
        return None
    stalls = witness[1].stalls
    return tuple(
        missed
        for grid in control.grids
        for missed in missed_releases(grid, answers(grid, control.periods, _DEADLINE_S), stalls, _DEADLINE_S)
    )
