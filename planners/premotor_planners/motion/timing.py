"""Whether a control loop's period suits the steps that a controller looks ahead in."""

from __future__ import annotations

import logging

_SLACK = 0.05
_log = logging.getLogger(__name__)


def steps_per_period(period_s: float, dt_s: float) -> float:
    """How many of the controller's steps of `dt_s` pass from one period to the next; 1 within a slack of 5 %.

    A shorter period is allowed, with a warning. Raises ValueError for a longer one (what is sent would be older than
    the step it was meant for) and for one that is not above 0.
    """
    if not 0 < period_s <= (1 + _SLACK) * dt_s:
        raise ValueError(
            f"the loop's period is {period_s:g} s, a step of the controller {dt_s:g} s; the period must be above 0 and "
            "no longer than a step: raise the loop's rate, or lengthen the step"
        )
    if period_s >= (1 - _SLACK) * dt_s:
        return 1.0
    _log.warning(
        "the loop's period is %g s, a step of the controller %g s: make them equal, so that the warm start is exact",
        period_s, dt_s,
    )  # fmt: skip
    return period_s / dt_s
