"""The mission on the terminal: plan, live progress, control deadlines, files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from premotor_sim.report.result import Control, LaneUse, MissionResult, PlannedStep
from premotor_sim.report.words import outcome_words, step_words


def print_plan(console: Console, plan: Sequence[PlannedStep], origin: str) -> None:
    """The plan's steps, numbered, and where the plan came from."""
    table = Table(title=f"Plan (from: {escape(origin)})", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("#", justify="right", style="dim")
    table.add_column("step")
    for number, step in enumerate(plan, start=1):
        table.add_row(str(number), Text(step_words(step.skill, step.args)))
    console.print(table)


class ProgressLine:
    """One line that is redrawn in place; silent unless the console is a terminal.

    A context manager; `show` may be called at any rate (it redraws at most ten times a second).
    """

    def __init__(self, console: Console) -> None:
        self._live = Live("", console=console, auto_refresh=True, refresh_per_second=10, transient=True)
        self._on = console.is_terminal

    def __enter__(self) -> ProgressLine:
        if self._on:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._on:
            self._live.stop()

    def show(self, step: int, steps: int, words: str, elapsed_s: float, speed_mps: float) -> None:
        """Step number (from 1) of how many, what it is, mission time and speed."""
        if self._on:
            line = f"step {step}/{steps}  {words}   {elapsed_s:5.1f} s   {speed_mps:4.2f} m/s"
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))


def print_control(console: Console, control: Control, lanes: Iterable[LaneUse] = ()) -> None:
    """Deadlines of the control loop, and how busy the lanes were."""
    late = control.lateness_ms
    table = Table(title="Control deadlines", title_justify="left")
    for heading in ("period", "ticks", "misses", "lateness p50", "p99", "p99.9", "max"):
        table.add_column(heading, justify="right")
    misses = Text(str(control.misses), "red" if control.misses else "green")
    table.add_row(
        f"{control.period_ms:g} ms", str(control.ticks), misses,
        *(_ms(value) for value in (late.p50, late.p99, late.p999, late.max)),
    )  # fmt: skip
    console.print(table)
    console.print("[dim]Lateness: from a period's release to its first instruction.[/dim]")
    uses = ", ".join(f"{escape(lane.name)} {lane.utilization:.0%}" for lane in lanes)
    if uses:
        console.print(f"Lanes busy: {uses}")


def print_adaptations(console: Console, sentences: Iterable[str]) -> None:
    """Where less was done for the state of the machine, or more again: a line each."""
    for sentence in sentences:
        console.print(f"Plan changed: {escape(sentence)}", soft_wrap=True)


def print_outcome(console: Console, result: MissionResult) -> None:
    """Whether the mission succeeded, and its key figures, in one line."""
    word = "[green]done[/green]" if result.success else "[red]failed[/red]"
    console.print(f"Mission {word}: {escape(outcome_words(result))}", soft_wrap=True)


def print_files(console: Console, files: Mapping[str, Path]) -> None:
    """Where the files are: what each is for, and its path (never wrapped, so that it can be copied)."""
    width = max((len(purpose) for purpose in files), default=0)
    for purpose, path in files.items():
        console.print(Text(f"{purpose:<{width}}  {path}"), soft_wrap=True)


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f} ms"
