"""Messages out of a control loop: handed over without waiting, sent by a thread, dropped when nobody takes them."""

from __future__ import annotations

import contextlib
import queue
import threading
from multiprocessing.connection import Connection

from premotor_runtime.executor.rights import give_way

CAPACITY = 64


class Outbox:
    """A bounded queue and the thread that empties it into a pipe, from `start` on."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._queue: queue.Queue[object | None] = queue.Queue(CAPACITY)
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        """Begin to send; to be called when the process has taken its rights, for the thread to have its core."""
        self._thread.start()

    def offer(self, message: object) -> None:
        """Send soon; lost when `CAPACITY` messages already wait. Never blocks."""
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(message)

    def close(self, last: object | None = None) -> None:
        """Send what waits, then `last`, and end; for use after the loop."""
        if last is not None:
            self._queue.put(last)
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        give_way(2)
        while (message := self._queue.get()) is not None:
            with contextlib.suppress(OSError):
                self._pipe.send(message)
