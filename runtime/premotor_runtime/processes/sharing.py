"""How long the brain's next step may take on a lane that the reflex uses, by what the board says. Pure but for reading.

On a queue (a GPU's stream) a step waits for what was submitted before it and delays what comes after. On a processor
core it would instead take time from what runs: there no step begins while the reflex is at work.
"""

from __future__ import annotations

from typing import NamedTuple

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.processes.forecasts import ForecastReader
from premotor_runtime.scheduler.forecast import LaneForecast
from premotor_runtime.scheduler.slack import FREE, Offer, engine_budget, step_ns

POLL_NS = 250_000
"""How soon to ask again at the latest: the reflex is often done earlier than it said."""
STALE_NS = 500_000_000
"""A release that lies so long in the past was of a reflex that is gone: it keeps nothing back."""


class Grant(NamedTuple):
    """The budget of a step to begin now; or None: no step now, sleep until `again_at_ns` and ask again."""

    budget: StepBudget | None
    again_at_ns: int


def budget_until(
    forecasts: ForecastReader, offer: Offer, template: StepBudget, now_ns: int, queues: bool = False
) -> Grant:
    """What may begin now on the lane of `forecasts`. Never waits, never raises.

    `offer` bounds the step (`shortest_ns`, `longest_ns`) and holds the margin, in which the blocking that is predicted
    beyond the budget must be included. `queues`: see the head of this file. A clock that is behind the time of the
    forecast is taken to stand at it.
    """
    published = forecasts.read()
    if published.lane is None:
        return Grant(engine_budget(template, FREE), now_ns)
    return decide(published.lane, offer, template, max(now_ns, published.published_ns), queues)


def decide(lane: LaneForecast, offer: Offer, template: StepBudget, now_ns: int, queues: bool) -> Grant:
    """The same, of a forecast at hand."""
    release = lane.next_release_ns
    if not offer.bounded or release is None or now_ns - release > STALE_NS:
        return Grant(engine_budget(template, FREE), now_ns)
    if not queues and now_ns < lane.free_at_ns:
        return Grant(None, min(lane.free_at_ns, now_ns + POLL_NS))
    granted = step_ns(offer, now_ns, lane.free_at_ns, release)
    if granted is None:
        return Grant(None, max(now_ns, release) + POLL_NS)
    return Grant(engine_budget(template, granted), now_ns)
