"""How far a run is, where somebody watches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import Progress


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal's stderr, nothing elsewhere; call what is given with a word on each of `total` advances."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("Measuring", total=total)
        yield lambda name: bar.update(task, advance=1, description=f"Measured {name}")
