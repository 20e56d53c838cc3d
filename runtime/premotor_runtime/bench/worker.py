"""The parent's side of a measurement: an engine's process, one order at a time (see `workers/loop.py`)."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from premotor_runtime.bench.errors import NotInstalled, WorkerFailed

WORKERS = Path(__file__).parent / "workers"
_STOP_S = 5.0
_LAST_WORDS = 300


class Worker:
    """A running engine; leaving the context ends its process, whatever state that is in."""

    def __init__(self, name: str, python: Path, engine_file: Path, environment: Mapping[str, str]) -> None:
        """Start `python loop.py engine_file`. Raises NotInstalled where there is no such Python."""
        if not python.is_file():
            raise NotInstalled(f"{name} is not installed: there is no {python}")
        self.name = name
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(  # noqa: S603 - our own script under a Python that the caller chose
            _command(python, engine_file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
            env=_environment(environment),
        )  # fmt: skip
        self._answers = _Lines(_pipe(self._process.stdout))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            _pipe(self._process.stdin).close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
        _pipe(self._process.stdout).close()
        self._said.close()

    def kill(self) -> None:
        """End the process now."""
        self._process.kill()
        self._process.wait()

    def ask(self, do: str, timeout_s: float, **arguments: object) -> Any:
        """Have one order carried out. Raises WorkerFailed when it fails, dies, or takes longer; NotInstalled."""
        order = json.dumps({"do": do, "with": arguments}).encode() + b"\n"
        try:
            pipe = _pipe(self._process.stdin)
            pipe.write(order)
            pipe.flush()
            answer = self._answers.next(time.monotonic() + timeout_s)
        except TimeoutError as error:
            self.kill()
            raise WorkerFailed(f"{self.name}: `{do}` took more than {timeout_s:g} s; its process was ended") from error
        except (OSError, EOFError) as error:
            raise self._died(do) from error
        return self._value(do, json.loads(answer))

    def _value(self, do: str, answer: dict[str, Any]) -> Any:
        if "ok" in answer:
            return answer["ok"]
        if do == "open" and answer.get("missing"):
            raise NotInstalled(f"{self.name} is not installed: no module {answer['missing']}")
        raise WorkerFailed(f"{self.name}: `{do}` failed: {answer['error']}")

    def _died(self, do: str) -> WorkerFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_S)
        self._said.seek(0)
        words = " ".join(self._said.read().decode(errors="replace").split())[-_LAST_WORDS:]
        code = self._process.poll()
        return WorkerFailed(f"{self.name} ended during `{do}` (exit code {code}){f': {words}' if words else ''}")


class _Lines:
    """Lines of a pipe, each waited for until an instant of the monotonic clock."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._number = pipe.fileno()
        self._rest = b""

    def next(self, until: float) -> bytes:
        """Raises TimeoutError, and EOFError when the pipe ends."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._number, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise TimeoutError
                if not (more := os.read(self._number, 1 << 16)):
                    raise EOFError
                self._rest += more
        line, self._rest = self._rest.split(b"\n", 1)
        return line


def _command(python: Path, engine_file: Path) -> Sequence[str]:
    return [str(python), "-s", str(WORKERS / "loop.py"), str(engine_file)]


def _environment(added: Mapping[str, str]) -> dict[str, str]:
    # another venv's Python must not find this one's packages
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    return {**kept, **added}


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise EOFError
    return pipe
