from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_accelerators.errors import LaneFull
from premotor_accelerators.lanes import FifoLane


class Echo:
    """Gives back what it was started with; refuses a slot that is in use, and a result that was not started."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.flying: dict[int, float] = {}

    def start(self, inputs: Any, slot: int) -> None:
        assert slot not in self.flying
        self.flying[slot] = float(inputs["x"][0])

    def ready(self, slot: int) -> bool:
        return slot in self.flying

    def finish(self, outputs: Any, slot: int) -> None:
        outputs["y"][0] = self.flying.pop(slot)


@given(st.lists(st.sampled_from(["submit a", "submit b", "take"]), max_size=40), st.integers(1, 3), st.integers(1, 3))
def test_results_come_in_the_order_of_submission_and_never_too_many_fly(steps: Any, depth: int, slots: int) -> None:
    lane, kernels = FifoLane("dla0", depth), {"a": Echo(slots), "b": Echo(slots)}
    expected: list[float] = []
    for number, step in enumerate(steps):
        if step == "take":
            outputs = {"y": np.full(1, -1.0)}
            if expected:
                assert lane.oldest_ready()
                lane.take(outputs)
                assert outputs["y"][0] == expected.pop(0)
            else:
                assert not lane.oldest_ready()
                with pytest.raises(IndexError):
                    lane.take(outputs)
            continue
        kernel = kernels[step[-1]]
        if len(expected) < depth and len(kernel.flying) < slots:
            lane.submit(kernel, {"x": np.full(1, float(number))})
            expected.append(float(number))
        else:
            with pytest.raises(LaneFull, match="take the oldest result first"):
                lane.submit(kernel, {"x": np.zeros(1)})
        assert len(lane) == len(expected) <= depth and lane.free == (len(expected) < depth)


def test_a_failed_start_or_result_leaves_the_lane_usable() -> None:
    class Failing(Echo):
        def start(self, inputs: Any, slot: int) -> None:
            super().start(inputs, slot)
            if inputs["x"][0] < 0:
                del self.flying[slot]
                raise RuntimeError("start")

        def finish(self, outputs: Any, slot: int) -> None:
            super().finish(outputs, slot)
            raise RuntimeError("finish")

    lane, kernel = FifoLane("dla0"), Failing(2)
    with pytest.raises(RuntimeError, match="start"):
        lane.submit(kernel, {"x": np.full(1, -1.0)})
    assert len(lane) == 0
    lane.submit(kernel, {"x": np.ones(1)})
    with pytest.raises(RuntimeError, match="finish"):
        lane.take({"y": np.zeros(1)})
    assert len(lane) == 0 and lane.free


def test_a_lane_takes_at_least_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        FifoLane("dla0", 0)
