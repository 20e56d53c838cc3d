from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from premotor_sim.report.result import Control, LaneUse, Lateness, PlannedStep
from premotor_sim.report.terminal import ProgressLine, print_control, print_files, print_plan
from premotor_sim.report.words import step_words


def console(terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=100, force_terminal=terminal, color_system=None)


def text(of: Console) -> str:
    assert isinstance(of.file, io.StringIO)
    return of.file.getvalue()


@pytest.mark.parametrize(
    ("skill", "args", "words"),
    [
        ("navigate_to", {"target": "sofa"}, "go to sofa"),
        ("place", {"object": "red mug", "place": "sink"}, "place red mug on sink"),
        ("handover", {"object": "red mug", "person": "Anna"}, "give red mug to Anna"),
        ("say", {"text": "hi [bold]"}, 'say "hi [bold]"'),
        ("wait", {"duration_s": 90.0}, "wait 90 s"),
        ("dock", {}, "dock"),
        ("whistle", {"tune": "a"}, "whistle tune=a"),
    ],
)
def test_steps_in_words(skill: str, args: dict[str, str | float], words: str) -> None:
    assert step_words(skill, args) == words


def test_the_plan_lists_its_steps_and_its_origin_and_takes_markup_literally() -> None:
    out = console()
    print_plan(out, [PlannedStep("pick", {"object": "red mug"}), PlannedStep("say", {"text": "[red]hi"})], "llm")
    assert "Plan (from: llm)" in text(out)
    assert "1  pick red mug" in text(out)
    assert '2  say "[red]hi"' in text(out)


def test_the_deadline_table_has_every_figure() -> None:
    out = console()
    print_control(out, Control(50.0, 600, 2, Lateness(-30.25, -10.5, 1.25, None)), [LaneUse("cpu0", 0.42)])
    for figure in ("50 ms", "600", "2", "-30.25 ms", "-10.50 ms", "1.25 ms", "none", "cpu0 42%"):
        assert figure in text(out)


def test_progress_is_silent_off_a_terminal_and_shown_on_one() -> None:
    quiet, loud = console(), console(terminal=True)
    for out in (quiet, loud):
        with ProgressLine(out) as line:
            line.show(1, 4, "go to sofa", 3.2, 0.45)
    assert text(quiet) == ""
    assert "step 1/4  go to sofa" in text(loud)


def test_paths_are_not_broken() -> None:
    out, path = console(), Path("/a" * 90) / "result.json"
    print_files(out, {"figures": path, "picture": Path("mission.png")})
    assert f"figures  {path}" in text(out).splitlines()
