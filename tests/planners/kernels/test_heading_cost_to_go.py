from __future__ import annotations

import numpy as np
import pytest

from premotor_accelerators.devices.cpu import CpuDevice
from premotor_foundation.native_code.compiler import find_compiler
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.errors import MapError
from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo


def inputs(kernel: HeadingCostToGo, seed: int, share: float = 0.8) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    shape = kernel.inputs[0].shape
    reach = np.zeros(shape, np.float32)
    reach[0, :, 3, 4] = kernel.limit
    return {"reach": reach, "free_at": (random.random(shape) < share).astype(np.float32)}


def run(kernel: HeadingCostToGo, implementation: str, given: dict[str, np.ndarray]) -> np.ndarray:
    outputs = {"reach_next": kernel.outputs[0].zeros()}
    CpuDevice(implementation=implementation).compile(kernel).run(given, outputs)
    return outputs["reach_next"]


@pytest.mark.parametrize("implementation", ["native", "onnxruntime"])
@pytest.mark.parametrize(("headings", "seed"), [(16, 0), (16, 1), (8, 2), (4, 3)])
def test_all_implementations_give_the_same_bits(implementation: str, headings: int, seed: int) -> None:
    if implementation == "native":
        try:
            find_compiler()
        except BuildError as error:
            pytest.skip(str(error))
    kernel = HeadingCostToGo(19, 23, headings, sweeps=30)
    given = inputs(kernel, seed)
    assert np.array_equal(run(kernel, implementation, given), kernel.reference(given)["reach_next"])


def test_a_robot_backs_up_at_a_price_and_turns_at_another() -> None:
    kernel = HeadingCostToGo(12, 12, 16, sweeps=20)
    given = {"reach": kernel.inputs[0].zeros(), "free_at": np.ones(kernel.inputs[1].shape, np.float32)}
    given["reach"][0, 0, 6, 6] = kernel.limit  # looking along the columns
    cost = kernel.limit - kernel.reference(given)["reach_next"][0]
    assert cost[0, 6, 4] == 10  # two cells ahead
    assert cost[0, 6, 8] == 2 * (5 + kernel.reverse)  # two cells back
    assert cost[1, 6, 6] == kernel.turn and cost[15, 6, 6] == kernel.turn
    assert cost[8, 6, 6] == 8 * kernel.turn


def test_moves_are_those_of_a_turned_quarter() -> None:
    moves = HeadingCostToGo().moves
    assert len(moves) == 16 and moves[0] == (0, 1, 5) and moves[4] == (1, 0, 5) and moves[8] == (0, -1, 5)
    for heading, (row, col, _) in enumerate(moves):
        apart = np.angle(np.exp(1j * (np.arctan2(row, col) - 2 * np.pi * heading / 16)))
        assert abs(apart) < np.radians(5)


def test_what_is_no_map_is_refused() -> None:
    kernel = HeadingCostToGo(8, 8, 4, sweeps=2)
    given = inputs(kernel, 0)
    given["free_at"][0, 0, 0, 0] = 0.5
    with pytest.raises(MapError, match="free"):
        kernel.reference(given)
    with pytest.raises(ValueError, match="headings"):
        HeadingCostToGo(headings=5)
