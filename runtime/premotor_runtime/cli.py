"""The `premotor` command, assembled from the entry points of group `premotor.commands`."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points

import typer

from premotor_foundation.errors import EXIT_DONE, EXIT_INTERRUPTED, PremotorError


def build() -> typer.Typer:
    """The command line with every installed folder's commands registered on it."""
    app = typer.Typer(
        name="premotor",
        help="A task in words becomes safe motion, with deadlines.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for entry in sorted(entry_points(group="premotor.commands"), key=lambda e: e.name):
        entry.load()(app)
    return app


def _root() -> None:
    """A task in words becomes safe motion, with deadlines."""


def main() -> None:
    """Run the command line; every failure ends as one line on stderr and a documented exit code."""
    # One BLAS thread unless told otherwise: a second one only waits where a core is shared with the control loop.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 usage, 3 refused, 130 interrupted."""
    try:
        typer.main.get_command(build()).main(args=arguments, prog_name="premotor", standalone_mode=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_DONE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except PremotorError as error:
        print(f"premotor: {error}", file=sys.stderr)  # noqa: T201 - the one place where failures meet the user
        return error.exit_code
    return EXIT_DONE
