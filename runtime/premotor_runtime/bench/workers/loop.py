"""The child's side of a measurement: one engine in a process of its own, one JSON line an order, one an answer.

Run as a script, `python loop.py ENGINE.py`, by the engine's own Python: neither file may need this project there.
ENGINE.py defines `open_engine(**options)`; the public methods of what it returns are the orders. An order is
`{"do": name, "with": {arguments}}`, the answer `{"ok": value}`, or `{"error": text, "missing": module or null}`.
Nothing runs between orders, so that a waiting engine takes no time from the one being measured.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO


def main(engine_file: str) -> None:
    """Answer orders until the pipe is closed."""
    with _private_answers() as answers:
        session = Session(_opener(Path(engine_file)))
        for line in sys.stdin:
            answers.write(json.dumps(session.answer(json.loads(line))) + "\n")
            answers.flush()


class Session:
    """An engine that is opened by the first order, `open`."""

    def __init__(self, opener: Callable[..., Any]) -> None:
        self._opener = opener
        self._engine: Any = None

    def answer(self, order: dict[str, Any]) -> dict[str, Any]:
        """Carry out one order; every failure becomes an answer."""
        try:
            return {"ok": self._carry_out(order["do"], order.get("with", {}))}
        except ModuleNotFoundError as error:
            return {"error": f"{error}", "missing": error.name}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}", "missing": None}

    def _carry_out(self, do: str, arguments: dict[str, Any]) -> Any:
        if do == "open":
            self._engine = self._opener(**arguments)
            return None
        if do == "memory":
            return memory()
        return getattr(self._engine, do)(**arguments)


def memory() -> dict[str, int]:
    """Bytes of this process that are in memory now, and at most so far (Linux; empty elsewhere)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {"resident": "VmRSS", "peak": "VmHWM"}
    return {name: int(fields[field].split()[0]) * 1024 for name, field in names.items() if field in fields}


def _private_answers() -> TextIO:
    """The pipe to the parent; whatever libraries print goes to stderr from here on."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _opener(path: Path) -> Callable[..., Any]:
    # the script's folder comes off the path: its file names must not hide installed modules
    sys.path[:] = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    spec = importlib.util.spec_from_file_location("measured_engine", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    opener: Callable[..., Any] = module.open_engine
    return opener


if __name__ == "__main__":
    main(sys.argv[1])
