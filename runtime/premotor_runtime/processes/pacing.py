"""Around each of the brain's steps: wait for its grant, beat the heart, say what is in flight."""

from __future__ import annotations

from collections.abc import Callable

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.processes.forecasts import ForecastReader
from premotor_runtime.processes.heartbeats import HeartbeatWriter, Phase
from premotor_runtime.processes.in_flight import StepWriter
from premotor_runtime.processes.sharing import budget_until
from premotor_runtime.scheduler.slack import Offer

SHARED_STEP = Offer(
    stream=0, bounded=True, shortest_ns=300_000, longest_ns=1_000_000_000, margin_ns=500_000, tolerance_ns=0
)
"""Of an engine's steps on a core that the reflex uses: nothing shorter than 0.3 ms, done half a millisecond early."""


class StepPacer:
    """`begin` before a step, `end` after it. `forecasts` None: a lane of one's own, every step is free."""

    def __init__(
        self,
        forecasts: ForecastReader | None,
        heartbeat: HeartbeatWriter,
        steps: StepWriter,
        now_ns: Callable[[], int],
        sleep_s: Callable[[float], None],
        offer: Offer = SHARED_STEP,
    ) -> None:
        self._forecasts, self._heartbeat, self._steps = forecasts, heartbeat, steps
        self._now_ns, self._sleep_s, self._offer = now_ns, sleep_s, offer
        self.waited_ns = 0

    def beat(self, phase: Phase = Phase.SERVING) -> None:
        """A sign of life while there is nothing to step."""
        self._heartbeat.beat(self._now_ns(), phase)

    def begin(self, template: StepBudget) -> StepBudget:
        """Return the budget of a step that begins now, as soon as the reflex leaves room for one.

        It waits while the reflex is at work or too near, at most until `sharing.STALE_NS` after a release that nobody
        answers; the heart beats meanwhile.
        """
        began = self._now_ns()
        budget = self._granted(template)
        while budget is None:
            budget = self._granted(template)
        now = self._now_ns()
        self.waited_ns += now - began
        self._steps.begin(now, budget.time_budget_s)
        return budget

    def end(self) -> None:
        """The step has returned."""
        self._steps.end()

    def _granted(self, template: StepBudget) -> StepBudget | None:
        now = self._now_ns()
        self._heartbeat.beat(now)
        if self._forecasts is None:
            return template
        grant = budget_until(self._forecasts, self._offer, template, now)
        if grant.budget is None:
            self._sleep_s(max(0, grant.again_at_ns - now) / 1e9)
        return grant.budget
