"""The board that reflex, brain and supervisor share. Each slot has one writer: only that one may ask for its end."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Protocol, TypeVar

from premotor_runtime.processes.forecasts import ForecastReader, ForecastWriter
from premotor_runtime.processes.heartbeats import HeartbeatReader, HeartbeatWriter
from premotor_runtime.processes.in_flight import StepReader, StepWriter
from premotor_runtime.processes.layout import BoardLayout, header, read_header
from premotor_runtime.processes.memory import OwnedMemory, attach
from premotor_runtime.processes.plan_mailbox import PlanSender, PlanTaker


class _End(Protocol):
    def release(self) -> None: ...


EndT = TypeVar("EndT", bound=_End)
BoardT = TypeVar("BoardT", bound="Board")


class Board:
    """An attached board. Hand out ends with the methods, then `close`; the ends must not be used after that."""

    def __init__(self, name: str) -> None:
        """Attach to the board of that name. Raises BoardError, with a sentence, for one that cannot be used."""
        self.name = name
        self._map = attach(name)
        self._view = memoryview(self._map)
        try:
            self.layout = read_header(name, self._view)
        except Exception:
            self._view.release()
            self._map.close()
            raise
        self._ends: list[_End] = []

    def forecast_writer(self, lane: str) -> ForecastWriter:
        """The reflex's, of one lane; raises UnknownLane."""
        return self._keep(ForecastWriter(self._view, self.layout, lane))

    def forecast_reader(self, lane: str) -> ForecastReader:
        """The brain's, of one lane; raises UnknownLane."""
        return self._keep(ForecastReader(self._view, self.layout, lane))

    def heartbeat_writer(self, process: str) -> HeartbeatWriter:
        """Of `reflex` or `brain`, which this process then is."""
        return self._keep(HeartbeatWriter(self._view, self.layout, process, os.getpid()))

    def heartbeat_reader(self, process: str) -> HeartbeatReader:
        """Of `reflex` or `brain`."""
        return self._keep(HeartbeatReader(self._view, self.layout, process))

    def step_writer(self) -> StepWriter:
        """The brain's."""
        return self._keep(StepWriter(self._view, self.layout))

    def step_reader(self) -> StepReader:
        """The reflex's."""
        return self._keep(StepReader(self._view, self.layout))

    def plan_sender(self) -> PlanSender:
        """Of whoever plans."""
        return self._keep(PlanSender(self._view, self.layout))

    def plan_taker(self) -> PlanTaker:
        """Of whoever carries plans out."""
        return self._keep(PlanTaker(self._view, self.layout))

    def close(self) -> None:
        """Let go of the memory and all ends. Does nothing the second time."""
        for end in self._ends:
            end.release()
        self._ends.clear()
        self._view.release()
        self._map.close()

    def __enter__(self: BoardT) -> BoardT:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _keep(self, end: EndT) -> EndT:
        self._ends.append(end)
        return end


class OwnedBoard(Board):
    """A new board, empty; `name` is what others attach to. `close` ends it."""

    def __init__(self, layout: BoardLayout) -> None:
        """Raises BoardError where there is no room for it."""
        self._memory = OwnedMemory(layout.size)
        self._memory.map[: layout.header_bytes] = header(layout).ljust(layout.header_bytes, b"\0")
        try:
            super().__init__(self._memory.name)
        except Exception:
            self._memory.close()
            raise

    def close(self) -> None:
        """Let go, and unlink the name."""
        super().close()
        self._memory.close()
