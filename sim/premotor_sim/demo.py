"""One mission in simulation, from words to files."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from premotor_foundation.atomic_write import write_atomically
from premotor_foundation.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_REFUSED
from premotor_planners.task.decomposition import Decomposition
from premotor_planners.task.plan import Plan, step_args
from premotor_runtime.app.messages import BrainReady, Progress, ReflexReady
from premotor_runtime.app.mission import Mission, MissionSpec, run_mission
from premotor_runtime.app.motion_kit import Surroundings, read_surroundings
from premotor_runtime.app.settings import RuntimeSettings
from premotor_sim.house_plant import HousePlant
from premotor_sim.report.mission_files import adaptations_of, picture_of, result_of, schedule_of, timeline_of
from premotor_sim.report.mission_png import write_mission_png
from premotor_sim.report.result import PlannedStep, write_result
from premotor_sim.report.terminal import (
    ProgressLine,
    print_adaptations,
    print_control,
    print_files,
    print_outcome,
    print_plan,
)
from premotor_sim.report.timeline import write_timeline
from premotor_sim.report.words import step_words


@dataclass(frozen=True)
class DemoSpec:
    """What the command line asked for."""

    task: str
    world: Path
    settings: RuntimeSettings
    seed: int
    out: Path


def run_demo(spec: DemoSpec, console: Console) -> int:
    """Run the mission and write its files; returns the exit code of the command.

    Raises PremotorError for wrong configuration (exit 2) and for a process that fails (exit 1).
    """
    surroundings = read_surroundings(spec.world, spec.settings)
    plant = HousePlant(surroundings.world, surroundings.robot, spec.seed)
    with ProgressLine(console) as line:
        events = _Narrator(console, line)
        mission = run_mission(MissionSpec(spec.task, spec.world, spec.settings, plant, spec.seed), events)
    if mission.report is None:
        return EXIT_REFUSED
    return _report(spec, surroundings, mission, console)


def _report(spec: DemoSpec, surroundings: Surroundings, mission: Mission, console: Console) -> int:
    result = result_of(spec.task, spec.seed, spec.settings, mission)
    files = {name: spec.out / name for name in ("result.json", "mission.png", "timeline.json", "schedule.json")}
    write_result(files["result.json"], result)
    write_timeline(files["timeline.json"], timeline_of(mission))
    write_mission_png(files["mission.png"], picture_of(surroundings, result, mission))
    if (schedule := schedule_of(mission)) is not None:
        write_atomically(files["schedule.json"], schedule)
    print_control(console, result.control, result.lanes)
    print_adaptations(console, adaptations_of(mission))
    print_outcome(console, result)
    purposes = {"result": "result.json", "picture": "mission.png", "timeline (ui.perfetto.dev)": "timeline.json"}
    print_files(console, {purpose: files[name] for purpose, name in purposes.items()})
    if mission.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_DONE if result.success else EXIT_FAILED


class _Narrator:
    """Tells the mission on the terminal."""

    def __init__(self, console: Console, line: ProgressLine) -> None:
        self._console, self._line = console, line
        self._started_s = time.monotonic()

    def starting(self) -> None:
        self._console.print("Starting brain (language model) and reflex (control loop) …")

    def ready(self, brain: BrainReady, reflex: ReflexReady) -> None:
        rights = reflex.rights
        granted = [
            *(["memory locked"] if rights.memory_locked else []),
            *(["SCHED_FIFO"] if rights.sched_fifo else []),
            *([f"pinned to core {rights.core}"] if rights.core is not None else []),
        ]
        self._console.print(f"Brain: {brain.model} on the runner {brain.runner}, ready after {brain.load_s:.1f} s.")
        if brain.notice:
            self._console.print(f"[yellow]Note:[/yellow] {brain.notice}.")
        self._console.print(f"Reflex: control loop running ({', '.join(granted) or 'no real-time rights granted'}).")

    def planned(self, decomposition: Decomposition) -> None:
        self._started_s = time.monotonic()
        if decomposition.plan is None:
            self._console.print(decomposition.message, markup=False)
        else:
            plan = decomposition.plan
            print_plan(self._console, [PlannedStep(s.skill, step_args(s)) for s in plan.steps], plan.origin)

    def progress(self, plan: Plan, progress: Progress) -> None:
        index = max(0, min(progress.step, len(plan.steps) - 1))
        step = plan.steps[index]
        words = step_words(step.skill, step_args(step))
        elapsed = time.monotonic() - self._started_s
        self._line.show(index + 1, len(plan.steps), words, elapsed, progress.speed_mps)
