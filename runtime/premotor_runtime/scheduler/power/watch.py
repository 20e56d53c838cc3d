"""Watches the state of the machine and finds the plan that holds in it, away from the control loop's thread."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from premotor_accelerators.board_state import read_board_state
from premotor_accelerators.boards import Board
from premotor_runtime.scheduler.admission import Admitted, Refused
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.errors import NotSchedulable, ProfileUnusable
from premotor_runtime.scheduler.live import Submission
from premotor_runtime.scheduler.plan import Plan
from premotor_runtime.scheduler.power.adapting import Adaptation, adapt, in_condition
from premotor_runtime.scheduler.power.condition import Condition, HeatLimits, condition_of
from premotor_runtime.scheduler.power.cost_rows import CostRow
from premotor_runtime.scheduler.power.temperatures import read_heat
from premotor_runtime.scheduler.task_set import TaskSet

ANY_CONDITION = Condition(None, None)
Read = Callable[[Condition | None], Condition]
"""The condition now, from the last one (None: there was none). May take milliseconds; must not raise."""
Costs = Callable[[TaskSet, Condition], TaskSet]
"""What was wanted, as it runs in a condition. May raise ProfileUnusable."""


def read_board(board: Board, root: Path = Path("/"), limits: HeatLimits | None = None) -> Read:
    """Reads the system's files under `root`."""
    found = limits or HeatLimits()
    return lambda before: condition_of(board, read_board_state(root), read_heat(root), found, before)


def measured_on(board: Board, rows: tuple[CostRow, ...]) -> Costs:
    """Costs by the rows measured on `board`."""
    return lambda wanted, condition: in_condition(wanted, rows, condition, board)


class _Found(NamedTuple):
    """`plan` None: the one there is stays, and nothing may move, for the reason `halted`."""

    plan: Plan | None
    halted: str
    news: str


class PlanWatch:
    """`look` belongs to one thread (see `watch_thread`), the rest to the loop's; neither ever waits for the other.

    Without `read` and `costs` only lanes that hang are watched. A lane that works again is used from the second look
    after that on. `news` are sentences about what was changed, newest last.
    """

    def __init__(self, wanted: TaskSet, read: Read | None = None, costs: Costs | None = None) -> None:
        self.wanted = wanted
        self.halted = ""
        self.news: deque[str] = deque(maxlen=100)
        self._read: Read = read or (lambda before: ANY_CONDITION)
        self._costs: Costs = costs or (lambda wanted, condition: wanted)
        self._condition: Condition | None = None
        self._stuck: tuple[str, ...] = ()
        self._known: tuple[Condition, frozenset[str]] | None = None
        self._told: SimpleQueue[tuple[str, ...]] = SimpleQueue()
        self._found: deque[_Found] = deque(maxlen=1)

    def first_plan(self) -> Plan:
        """The plan to start with, degraded if the machine is in no better state.

        Raises ProfileUnusable and NotSchedulable.
        """
        self._condition = self._read(None)
        self._known = self._condition, frozenset()
        adaptation = adapt(self._costs(self.wanted, self._condition))
        if isinstance(adaptation.admission, Refused):
            raise NotSchedulable(adaptation.admission.sentence())
        if adaptation.degraded:
            self.news.append(_sentence(self._condition, frozenset(), adaptation))
        return adaptation.admission.plan

    def lanes_stuck(self, names: tuple[str, ...]) -> None:
        """These lanes hang now; see `realtime.PlanChanges`."""
        self._told.put(names)

    def look(self, told: tuple[str, ...] | None = None) -> None:
        """Read the state of the machine; where it is another one, find the plan for it. `told`: as `lanes_stuck`."""
        stuck = set(self._stuck)
        for names in ([] if told is None else [told], self._drained()):
            for each in names:
                self._stuck = each
                stuck.update(each)
        self._condition = self._read(self._condition)
        state = self._condition, frozenset(stuck)
        if state != self._known:
            self._known = state
            self._found.append(self._find(*state))

    def wait(self, seconds: float) -> None:
        """Look after `seconds`, or as soon as a lane hangs."""
        told = None
        with contextlib.suppress(Empty):
            told = self._told.get(timeout=seconds)
        self.look(told)

    def carry_out(self, dispatcher: Dispatcher, now_ns: int) -> list[Submission]:
        """See `realtime.PlanChanges`."""
        if not self._found:
            return []
        found = self._found.pop()
        other = found.plan is not None and found.plan.task_set != dispatcher.plan.task_set
        if other or found.halted != self.halted:
            self.news.append(found.news)
        if bool(found.halted) != bool(self.halted):
            dispatcher.halt(now_ns, bool(found.halted))
        self.halted = found.halted
        return [] if found.plan is None else _switch(dispatcher, now_ns, found.plan)

    def _drained(self) -> list[tuple[str, ...]]:
        names = []
        with contextlib.suppress(Empty):
            while True:
                names.append(self._told.get_nowait())
        return names

    def _find(self, condition: Condition, stuck: frozenset[str]) -> _Found:
        try:
            adaptation = adapt(self._costs(self.wanted, condition), tuple(sorted(stuck)))
        except ProfileUnusable as error:
            return _Found(None, str(error), str(error))
        news = _sentence(condition, stuck, adaptation)
        if isinstance(adaptation.admission, Admitted):
            return _Found(adaptation.admission.plan, "", news)
        return _Found(None, news, news)


def _switch(dispatcher: Dispatcher, now_ns: int, plan: Plan) -> list[Submission]:
    """To one of the plans there are, if it is the same: a state that comes back costs no memory."""
    plans = dispatcher.plans
    known = next((number for number, each in enumerate(plans) if each.task_set == plan.task_set), None)
    number = dispatcher.add_plan(plan) if known is None else known
    return [] if number == dispatcher.plan_number else dispatcher.switch(now_ns, number)


def _sentence(condition: Condition, stuck: frozenset[str], adaptation: Adaptation) -> str:
    where = [f"lane {name} hangs" for name in sorted(stuck)]
    where += [f"power mode {condition.power_mode}"] if condition.power_mode else []
    where += ["hot"] if condition.hot else []
    parts = [change.text for change in adaptation.changes]
    parts += [f"no way around for {name}" for name in adaptation.stranded]
    if isinstance(adaptation.admission, Refused):
        parts.append(adaptation.admission.sentence())
    return f"{', '.join(where) or 'as at first'}: {'; '.join(parts) or 'everything runs'}"
