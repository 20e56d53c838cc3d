"""The command group `premotor bench`, to which each folder adds its own measurements."""

from __future__ import annotations

import typer

_NAME = "bench"


def bench_group(app: typer.Typer) -> typer.Typer:
    """The group on `app`, made by whoever asks first."""
    for known in app.registered_groups:
        if known.name == _NAME and known.typer_instance is not None:
            return known.typer_instance
    group = typer.Typer(help=_bench.__doc__, no_args_is_help=True)
    group.callback()(_bench)
    app.add_typer(group, name=_NAME)
    return group


def _bench() -> None:
    """Measure speed, side by side with peers where they are installed."""
