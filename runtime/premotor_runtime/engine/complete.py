"""One request, start to end, for callers that have nothing else to do meanwhile (commands, tests)."""

from __future__ import annotations

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request, RequestOutput


def complete(engine: Engine, request: Request, budget: StepBudget) -> RequestOutput:
    """Add `request` and step until it is finished; outputs of other requests that end meanwhile are lost.

    Raises what `Engine.add` raises.
    """
    engine.add(request)
    while True:
        for output in engine.step(budget).finished:
            if output.request_id == request.request_id:
                return output
