"""The commands of the runtime. What they need is imported when they run, so that `premotor --help` starts fast."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from premotor_foundation.errors import EXIT_REFUSED, UsageError
from premotor_runtime.app.kernels import commands as kernel_commands

if TYPE_CHECKING:
    from premotor_runtime.app.settings import RuntimeSettings

GENERATED = ("names", "wording")
World = Annotated[str, typer.Option(help="A world of configs/worlds, or a .yaml file.")]
Config = Annotated[str, typer.Option(help="A configuration of configs, or a .yaml file.")]
Model = Annotated[str | None, typer.Option(help="gemma3-270m, embedded, rules, a checkpoint folder or a .gguf file.")]


def register(app: typer.Typer) -> None:
    """Add `plan`, `eval plans`, `train-planner`, and the kernels' commands."""
    kernel_commands.register(app)
    app.command()(plan)
    group = typer.Typer(help="Measure the quality of plans.", no_args_is_help=True)
    group.command("plans")(eval_plans)
    group.callback()(_group)
    app.add_typer(group, name="eval")
    app.command("train-planner")(train_planner)


def plan(
    text: Annotated[str, typer.Argument(help="What the robot should do, in words.")],
    world: World = "house",
    config: Config = "laptop",
    model: Model = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything that led to the plan, as JSON.")] = False,
) -> None:
    """Plan only, nothing moves. Exit code 0: a valid plan; 3: a question, or refused with a reason."""
    from rich.console import Console

    from premotor_foundation.locations import named_config
    from premotor_planners.errors import TaskRefused
    from premotor_planners.task.normalize import normalize
    from premotor_planners.task.outcome import Refusal
    from premotor_runtime.app.plan_json import plan_json
    from premotor_runtime.app.plan_text import plan_text
    from premotor_runtime.app.planning import load_catalogue, load_planning

    settings = _settings(config, model)
    catalogue = load_catalogue(named_config("worlds", world), settings)
    early = normalize(text)
    if isinstance(early, Refusal) and not as_json:
        raise TaskRefused(early.reason)
    kit = load_planning(settings)
    if kit.notice:
        Console(stderr=True).print(f"Note: {kit.notice}.", markup=False, highlight=False)
    outcome = kit.decomposer.decompose(text, catalogue)
    typer.echo(json.dumps(plan_json(outcome), indent=2) if as_json else plan_text(outcome))
    if outcome.plan is None:
        raise typer.Exit(EXIT_REFUSED)


def eval_plans(
    cases: Annotated[str, typer.Argument(help="An instructions.yaml; or `names` or `wording`: generated, held out.")],
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
    config: Config = "laptop",
    model: Model = None,
    count: Annotated[int, typer.Option(min=1, max=5000, help="How many generated cases.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the generated cases.")] = 1,
) -> None:
    """Plan every instruction, simulate the plan's effects, and hold them against what was asked."""
    from rich.console import Console

    from premotor_foundation.atomic_write import write_atomically
    from premotor_planners.corpus.examination import generated_exams
    from premotor_planners.task.exams.evaluation import summarize
    from premotor_runtime.app.eval_json import eval_json
    from premotor_runtime.app.eval_text import eval_text
    from premotor_runtime.app.evaluating import run_exams
    from premotor_runtime.app.planning import load_planning
    from premotor_runtime.app.written_exam import written_exam
    from premotor_runtime.executor.clock import MonotonicClock

    settings = _settings(config, model)
    exams = generated_exams(cases, count, seed) if cases in GENERATED else (written_exam(Path(cases), settings),)
    kit = load_planning(settings)
    timed = run_exams(kit.decomposer, exams, MonotonicClock(), Console(stderr=True))
    name = kit.decomposer.model.name if kit.decomposer.model else "rules"
    figures = eval_json(cases, name, summarize(timed.results), timed.seconds)
    if json_file is not None:
        write_atomically(json_file, json.dumps(figures, indent=2) + "\n")
    typer.echo(eval_text(figures))


def train_planner(
    out: Annotated[Path, typer.Option(help="Folder for the adapter or checkpoint, its state and its log.")],
    minutes: Annotated[float, typer.Option(min=0.1, max=10_000.0, help="Wall time to train for.")] = 85.0,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Workers of one thread each.")] = 2,
    embedded: Annotated[bool, typer.Option(help="Train the small embedded model from scratch instead.")] = False,
) -> None:
    """Train the LoRA adapter of the pretrained planner (extra `torch`)."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise UsageError("training needs PyTorch, which is not installed; run ./premotor setup --torch")
    if embedded:
        from premotor_runtime.app.train_embedded import train_embedded

        train_embedded(out, minutes, seed, typer.echo)
        return
    from premotor_runtime.app.train_planner import train_planner as train

    train(out, minutes, seed, threads)


def _group() -> None:
    """Measure the quality of plans."""


def _settings(config: str, model: str | None) -> RuntimeSettings:
    from premotor_foundation.locations import named_config
    from premotor_runtime.app.settings import load_settings

    settings = load_settings(named_config("", config))
    return settings if model is None else replace(settings, planner=replace(settings.planner, model=model))
