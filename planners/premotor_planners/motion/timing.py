"""Whether a control loop's period suits the steps that a controller looks ahead in."""

from __future__ import annotations

import logging

_SLACK = 0.05
_log = logging.getLogger(__name__)


def check_period(period_s: float, dt_s: float) -> None:
    """Raises ValueError for a period that is longer than a step of `dt_s` by more than 5 %, or not above 0.

    What is sent would be older than the step it was meant for.
    """
    if not 0 < period_s <= (1 + _SLACK) * dt_s:
        raise ValueError(
            f"the loop's period is {period_s:g} s, a step of the controller {dt_s:g} s; the period must be above 0 and "
            "no longer than a step: raise the loop's rate, or lengthen the step"
        )


def steps_per_period(period_s: float, dt_s: float) -> float:
    """How many of the controller's steps of `dt_s` pass from one period to the next; 1 within a slack of 5 %.

    A shorter period is allowed, with a warning. Raises ValueError as `check_period` does.
    """
    check_period(period_s, dt_s)
    if period_s >= (1 - _SLACK) * dt_s:
        return 1.0
    _log.warning(
        "the loop's period is %g s, a step of the controller %g s: make them equal, so that the warm start is exact",
        period_s, dt_s,
    )  # fmt: skip
    return period_s / dt_s
