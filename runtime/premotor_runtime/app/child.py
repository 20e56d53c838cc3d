"""A child process, the pipe to it, and the certainty that it ends with its parent's interest in it."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from premotor_foundation.errors import EXIT_FAILED, PremotorError
from premotor_runtime.app.messages import Failed, Shutdown
from premotor_runtime.processes.output_pump import OutputPump, Sink, print_into

STOP_TIMEOUT_S = 10.0


class ProcessFailed(PremotorError):
    """A child process ended, hung, or reported that it cannot go on."""

    def __init__(self, message: str, exit_code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class ProcessEnded(ProcessFailed):
    """It is gone without a word."""


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A process started here ignores Ctrl-C from its first instruction on: the parent alone decides what it means."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Child:
    """A spawned process running `main(pipe, *args)`; leaving the context ends it. To be used from the main thread.

    With a `sink`, what it prints goes there. `last_words` are found when it is ended and had failed before.
    """

    def __init__(self, name: str, main: Callable[..., None], args: tuple[Any, ...], sink: Sink | None = None) -> None:
        self.name = name
        self.last_words: Failed | None = None
        self._pump = None if sink is None else OutputPump(sink)
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        self._pipe: Connection = ours
        run = (main, theirs, *args) if self._pump is None else (_printing, self._pump.end, main, theirs, *args)
        self._process = context.Process(target=run[0], args=run[1:], name=name, daemon=True)
        with _interrupts_ignored():
            self._process.start()
        theirs.close()
        if self._pump is not None:
            self._pump.started()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid or 0

    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def end(self) -> None:
        """Ask it to end, and end it when it does not."""
        with contextlib.suppress(ProcessFailed):
            self.send(Shutdown())
        self._process.join(STOP_TIMEOUT_S)
        self.kill()

    def kill(self) -> None:
        """End it at once, also when it is stopped, and reap it."""
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._listen_once_more()
        self._pipe.close()
        if self._pump is not None:
            self._pump.join(timeout_s=1.0)

    def send(self, message: object) -> None:
        """Send one picklable message; raises ProcessFailed when the process is gone."""
        try:
            self._pipe.send(message)
        except OSError as error:
            raise self._died() from error

    def receive(self, timeout_s: float) -> object | None:
        """The next message, or None after `timeout_s`.

        Raises ProcessFailed when it says that it failed, ProcessEnded when it is gone.
        """
        ready = wait([self._pipe, self._process.sentinel], timeout=max(0.0, timeout_s))
        if self._pipe not in ready and not self._pipe.poll(0):
            if ready:
                raise self._died()
            return None
        try:
            message: object = self._pipe.recv()
        except EOFError as error:
            raise self._died() from error
        if isinstance(message, Failed):
            raise ProcessFailed(message.message, message.exit_code)
        return message

    def expect(self, kind: type[Any], timeout_s: float) -> Any:
        """Wait for a message of `kind`, skipping others."""
        give_up = time.monotonic() + timeout_s
        while True:
            message = self.receive(give_up - time.monotonic())
            if isinstance(message, kind):
                return message
            if message is None:
                raise ProcessFailed(f"the {self.name} process said nothing for {timeout_s:g} s; is the machine busy?")

    def _listen_once_more(self) -> None:
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while self._pipe.poll(0):
                message = self._pipe.recv()
                self.last_words = message if isinstance(message, Failed) else self.last_words

    def _died(self) -> ProcessEnded:
        self._process.join(1.0)
        code = self._process.exitcode
        return ProcessEnded(f"the {self.name} process ended unexpectedly (exit code {code}); see the messages above")


def _printing(end: Connection, main: Callable[..., None], *args: Any) -> None:
    print_into(end)
    main(*args)
