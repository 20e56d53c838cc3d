"""Whether a step fits into the time left: the two cost models of an engine, and when a doubtful step may be tried."""

from __future__ import annotations

import math

from premotor_runtime.engine.cost.cost_model import LinearCost
from premotor_runtime.engine.cost.step_load import UNITS, StepLoad

_FIRST_PATIENCE = 4
_LAST_PATIENCE = 1024
_ROWS_UNIT = 256.0


class StepCost:
    """What forward passes and scoring have cost so far.

    Nothing that is expected to overrun is tried, with one exception: after some steps in which nothing fitted, one
    token is, when too little was measured for a verdict or the same has once been fast enough. The wait doubles after a
    trial that failed, and is short after one that did not. Without trials one slow spell could shut a request out for
    ever.
    """

    def __init__(self) -> None:
        self.forward = LinearCost(UNITS)
        self.scoring = LinearCost((1.0, _ROWS_UNIT, _ROWS_UNIT))
        self._refusals = 0
        self._patience = _FIRST_PATIENCE
        self._trial_s: float | None = None

    def fits(self, load: StepLoad, seconds: float) -> bool:
        """Whether a step of `load` ends within `seconds`, as good as certainly."""
        return self.forward.upper(load) <= seconds

    def may_try(self, load: StepLoad, seconds: float) -> bool:
        """Whether a step of `load`, the smallest there is, may be tried although it does not fit."""
        model = self.forward
        new = model.samples == 0 or (math.isinf(model.upper(load)) and model.mean(load) <= seconds)
        self._refusals += 1
        if not new and (self._refusals < self._patience or (model.sure and model.lower(load) > seconds)):
            return False
        self._refusals, self._trial_s = 0, seconds
        return True

    def learn(self, load: StepLoad, seconds: float) -> None:
        """A step of `load` took `seconds`, its scoring not counted."""
        if self._trial_s is not None:
            longer = 2 * self._patience if seconds > self._trial_s else _FIRST_PATIENCE // 2
            self._patience, self._trial_s = min(max(1, longer), _LAST_PATIENCE), None
        self.forward.learn(load, seconds)

    def rows_within(self, rows: int, positions: int, seconds: float) -> int:
        """How many of `rows` rows of the output matrix can be scored for `positions` positions within `seconds`."""
        if seconds <= 0.0:
            return 0
        if self.scoring.samples == 0:
            return min(rows, int(_ROWS_UNIT))
        most = min(rows, int(max(_ROWS_UNIT, 2.0 * self.scoring.largest[1])))
        while most >= 1 and self.scoring.upper(score_features(most, positions)) > seconds:
            most = most * 3 // 4
        return most

    def learn_scoring(self, rows: int, positions: int, seconds: float) -> None:
        """Scoring `rows` rows for `positions` positions took `seconds`."""
        self.scoring.learn(score_features(rows, positions), seconds)


def score_features(rows: int, positions: int) -> tuple[float, float, float]:
    """Features of scoring: constant, rows read, and products of rows and positions."""
    return (1.0, float(rows), float(rows * positions))
