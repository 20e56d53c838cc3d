"""Takes what a process prints, at a bounded rate, so that no amount of it disturbs others or fills a disk."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Protocol

_PIECE = 16_384
_RATE_BYTES_S = 1 << 20
"""A process that prints more has to wait: its own time, nobody else's."""
_TAIL = 4096


class Sink(Protocol):
    """Where output goes."""

    def write(self, data: bytes) -> None:
        """Take it or drop it; never raises."""
        ...


class PassedOn:
    """A sink: this process's own standard error, up to `most_bytes`, then one line that says so, then silence."""

    def __init__(self, name: str, most_bytes: int = 1 << 16) -> None:
        self._name, self._left = name, most_bytes

    def write(self, data: bytes) -> None:
        """See `Sink.write`."""
        shown = data[: max(0, self._left)]
        if self._left > 0 and len(data) > self._left:
            shown += f"\n(the {self._name} process printed more; it is dropped)\n".encode()
        self._left -= len(data)
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), shown)


class OutputPump:
    """A thread that reads a pipe until all its writers are gone. Give `end` to the process, then call `started`."""

    def __init__(self, sink: Sink) -> None:
        self._ours, self.end = mp.Pipe(duplex=False)
        self._sink = sink
        self._tail = b""
        self._thread = threading.Thread(target=self._run, name="output", daemon=True)

    def started(self) -> None:
        """The process has its copy of `end`: begin to read."""
        self.end.close()
        self._thread.start()

    def tail(self) -> str:
        """The last lines."""
        return self._tail.decode(errors="replace").strip()

    def join(self, timeout_s: float) -> None:
        """Wait for the rest; a grandchild that lives on may hold the pipe open, so not for ever."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._ours.fileno(), _PIECE):
                self._tail = (self._tail + data)[-_TAIL:]
                self._sink.write(data)
                time.sleep(len(data) / _RATE_BYTES_S)
        self._ours.close()


def print_into(end: Connection) -> None:
    """Let this process's standard output and error go into the pipe, whoever writes to them: Python or native code."""
    sys.stdout.flush()
    sys.stderr.flush()
    for target in (1, 2):
        os.dup2(end.fileno(), target)
    end.close()
