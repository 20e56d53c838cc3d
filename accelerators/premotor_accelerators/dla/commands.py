"""`premotor check-dla`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_foundation.errors import UsageError

if TYPE_CHECKING:
    from premotor_accelerators.dla.report import Report
    from premotor_accelerators.dla.rewriting import Rewritten
    from premotor_accelerators.dla.target import Target


def register(app: typer.Typer) -> None:
    """Add `check-dla`."""
    app.command("check-dla")(check_dla)


def check_dla(
    model: Annotated[Path, typer.Argument(help="An ONNX file.")],
    board: Annotated[str, typer.Option(help="A Jetson module, such as agx_orin_64 or orin_nx_16.")] = "agx_orin_64",
    precision: Annotated[str, typer.Option(help="fp16 or int8.")] = "fp16",
    tensorrt: Annotated[str, typer.Option(help="The TensorRT version that will build the engine.")] = "10.3",
    as_json: Annotated[bool, typer.Option("--json", help="Every node and rule, as JSON.")] = False,
    rewrite: Annotated[Path | None, typer.Option(help="Write the model with the safe rewrites applied here.")] = None,
    shape: Annotated[
        list[str] | None, typer.Option(help="Sizes of an input, as NAME=1,3,224,224; may be repeated.")
    ] = None,
) -> None:
    """Which nodes run on a DLA core, and why not. Exit 0: reported; 3: nothing can be built for DLA there at all."""
    from premotor_accelerators.dla.target import make_target

    shapes = _shapes(shape or [])
    try:
        target = make_target(board, precision, tensorrt)
        with _waiting(f"Checking {model.name}"):
            found, extra = _check(model, target, shapes, rewrite)
    except DlaUnavailable as error:
        if as_json:
            _echo_json(_refusal(error, model.name, board, precision, tensorrt))
        raise
    if as_json:
        _echo_json({**found.json(), **({"rewritten": _rewritten(rewrite, *extra)} if extra else {})})
    else:
        _echo_text(found, extra)


_Extra = tuple["Rewritten", "Report"]


def _check(
    model: Path, target: Target, shapes: dict[str, tuple[int, ...]], out: Path | None
) -> tuple[Report, _Extra | None]:
    from premotor_accelerators.dla.checker import check_file, check_model

    report = check_file(model, target, shapes)
    if out is None:
        return report, None
    from premotor_accelerators.dla.rewriting import rewrite_file

    rewritten = rewrite_file(model, out, shapes)
    return report, (rewritten, check_model(rewritten.model, target, out.name))


def _waiting(text: str) -> AbstractContextManager[object]:
    """A sign of life on the terminal for as long as it takes; nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    return console.status(text) if console.is_terminal else nullcontext()


def _shapes(given: list[str]) -> dict[str, tuple[int, ...]]:
    found = {}
    for text in given:
        name, _, sizes = text.rpartition("=")
        parts = sizes.split(",")
        if not name or not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise UsageError(f"--shape {text}: give it as NAME=1,3,224,224")
        found[name] = tuple(map(int, parts))
    return found


def _echo_json(document: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(document, indent=2))


def _echo_text(report: Report, extra: _Extra | None) -> None:
    from premotor_accelerators.dla.showing import lines, rewrite_lines

    typer.echo("\n".join(lines(report)))
    if extra:
        typer.echo("\n".join(rewrite_lines(extra[0], report, extra[1])))


def _rewritten(out: Path | None, rewritten: Rewritten, after: Report) -> dict[str, Any]:
    return {
        "file": str(out) if rewritten.applied else None,
        "applied": {name: list(nodes) for name, nodes in rewritten.applied.items()},
        "taken_back": list(rewritten.taken_back),
        "largest_difference": rewritten.difference.largest,
        "share_on_dla": after.share_on_dla,
        "subgraphs": len(after.subgraphs),
        "transitions": after.transitions,
    }


def _refusal(error: DlaUnavailable, model: str, board: str, precision: str, tensorrt: str) -> dict[str, Any]:
    from premotor_accelerators.dla.report import header

    problem = {"severity": "error", "rule": error.rule, "message": error.message, "remedy": error.remedy}
    return {
        **header(model, board, precision, tensorrt),
        "nodes": [],
        "share_on_dla": 0.0,
        "subgraphs": [],
        "transitions": 0,
        "problems": [{**problem, "source": error.source}],
    }
