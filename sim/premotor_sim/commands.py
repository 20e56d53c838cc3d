"""The commands of the simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from premotor_sim.barn import commands as barn_commands

DEMO_TASK = "take the red mug from the kitchen to the study desk"


def register(app: typer.Typer) -> None:
    """Add `demo` and `bench barn`. Imports of the simulation wait until they run, so that other commands start fast."""
    app.command()(demo)
    barn_commands.register(app)


def demo(
    task: Annotated[str, typer.Option(help="What the robot should do, in words.")] = DEMO_TASK,
    world: Annotated[str, typer.Option(help="A world of configs/worlds, or a .yaml file.")] = "house",
    config: Annotated[str, typer.Option(help="A configuration of configs, or a .yaml file.")] = "laptop",
    seed: Annotated[int, typer.Option(min=0, help="Start pose, objects, wheel grip, sensor and rollout noise.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for result.json, mission.png and timeline.json.")] = Path(
        "out/demo"
    ),
) -> None:
    """One mission in a simulated house, from words to safe motion, in real time."""
    from rich.console import Console

    from premotor_foundation.locations import named_config
    from premotor_planners.errors import TaskRefused
    from premotor_planners.task.normalize import normalize
    from premotor_planners.task.outcome import Refusal
    from premotor_runtime.app.settings import load_settings
    from premotor_sim.demo import DemoSpec, run_demo

    console = Console()
    settings = load_settings(named_config("", config))
    text = normalize(task)
    if isinstance(text, Refusal):
        raise TaskRefused(text.reason)
    raise typer.Exit(run_demo(DemoSpec(text, named_config("worlds", world), settings, seed, out), console))
