from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_accelerators.boards import load_board
from premotor_runtime.scheduler.contention import ALONE, Contention, Sensitivity, contention_of
from premotor_runtime.scheduler.errors import BadTask

BOARDS = Path(__file__).parents[3] / "configs/boards"
GPU, DLA = 0.60, 0.19
"""Shares of the bandwidth that NVIDIA/TensorRT#2745's networks are taken to draw alone."""


@pytest.mark.parametrize(
    ("lane", "own", "others", "published"),
    [
        ("gpu", GPU, DLA, (1.13, 1.13)),
        ("gpu", GPU, 2 * DLA, (1.31, 1.31)),
        ("dla0", DLA, GPU, (1.17, 1.22)),
        ("dla0", DLA, GPU + DLA, (1.23, 1.28)),
        ("dla0", DLA, DLA, (1.0, 1.067)),
    ],
)
def test_published_slowdowns_of_gpu_and_dla_together(
    lane: str, own: float, others: float, published: tuple[float, float]
) -> None:
    orin = contention_of(load_board(BOARDS / "agx_orin_64.yaml"))
    demands = (int(share * orin.capacity_mbps) for share in (own, others))
    predicted = orin.slowdown_milli(lane, *demands) / 1000
    assert 0.95 * published[0] <= predicted <= 1.05 * published[1]


def test_power_mode_and_memory_clock_move_the_capacity() -> None:
    board = load_board(BOARDS / "agx_orin_64.yaml")
    full = contention_of(board).capacity_mbps
    assert full == 204_800
    assert contention_of(board, board.power_mode("MODE_15W")).capacity_mbps == int(204_800 * 2133 / 3199)
    assert contention_of(board, board.power_mode("MAXN"), 2133).capacity_mbps == int(204_800 * 2133 / 3199)
    assert contention_of(load_board(BOARDS / "laptop.yaml")) == Contention()


@given(st.integers(0, 200_000), st.integers(0, 200_000), st.integers(0, 50_000), st.integers(0, 3000))
def test_more_demand_beside_it_never_makes_a_lane_faster(own: int, others: int, more: int, sensitivity: int) -> None:
    contention = Contention(100_000, (Sensitivity("gpu", sensitivity),))
    before = contention.slowdown_milli("gpu", own, others)
    assert ALONE <= before <= contention.slowdown_milli("gpu", own, others + more)


def test_a_memory_asked_for_more_than_it_has_slows_down_by_as_much() -> None:
    assert Contention(100_000).slowdown_milli("gpu", 80_000, 70_000) == 1500
    assert Contention(100_000).slowdown_milli("gpu", 80_000, 0) == ALONE
    with pytest.raises(BadTask):
        Contention(-1)
