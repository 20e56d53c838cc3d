from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from premotor_accelerators.dla.partition import Groups, partition


def test_a_branch_over_the_gpu_cuts_what_it_returns_to() -> None:
    # 0 dla -> 1 gpu -> 2 dla, and 0 -> 2 directly: 2 cannot be in 0's subgraph
    assert partition([[], [0], [0, 1]], ["dla", "gpu", "dla"]) == [[0], [1], [2]]


def test_parallel_branches_on_dla_meet_in_one_subgraph() -> None:
    assert partition([[], [0], [0], [1, 2]], ["dla"] * 4) == [[0, 1, 2, 3]]


def test_neighbours_of_unequal_levels_are_joined_where_no_path_leaves_them() -> None:
    # 2 and 3 run on dla; 3 also reads a gpu node that needs nothing: levels differ, a circle there is none
    assert partition([[], [0], [], [1, 2]], ["dla", "dla", "gpu", "dla"]) == [[0, 1, 3], [2]]


def test_two_batches_are_two_subgraphs() -> None:
    assert partition([[], [0], [1]], [1, 4, 4]) == [[0], [1, 2]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[str]]:
    count = draw(st.integers(1, 24))
    before = [sorted(draw(st.sets(st.integers(0, index - 1), max_size=3))) if index else [] for index in range(count)]
    return before, draw(st.lists(st.sampled_from(["dla", "gpu"]), min_size=count, max_size=count))


@given(graphs())
def test_subgraphs_are_convex_of_one_kind_and_cover_every_node_once(case: tuple[list[list[int]], list[str]]) -> None:
    before, kinds = case
    groups = partition(before, kinds)
    assert sorted(index for group in groups for index in group) == list(range(len(before)))
    assert all(len({kinds[index] for index in group}) == 1 for group in groups)
    assert _runs_in_some_order(before, groups)


def _runs_in_some_order(before: Sequence[Sequence[int]], groups: Groups) -> bool:
    """Whether the subgraphs can run one after the other: true exactly where none waits for itself."""
    home = {index: number for number, group in enumerate(groups) for index in group}
    waits = {
        number: {home[maker] for index in group for maker in before[index]} - {number}
        for number, group in enumerate(groups)
    }
    while waits:
        ready = [number for number, others in waits.items() if not others & waits.keys()]
        if not ready:
            return False
        for number in ready:
            del waits[number]
    return True
