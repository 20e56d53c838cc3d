from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from premotor_planners.planning.search_map import UNIT_FACTOR, SearchMap, Unfound
from premotor_planners.planning.stopping import UNLIMITED, Allowance, Cancel

CHECKED_EVERY = 256
"""Cells a search looks around from before it asks whether to go on, at most."""


@pytest.fixture(scope="module", params=["jumps", "weighed"])
def search(request: pytest.FixtureRequest) -> SearchMap:
    free = np.random.default_rng(1).random((400, 400)) >= 0.3
    free[0, 0] = free[399, 399] = True
    free[0, :] = free[:, 399] = True
    return SearchMap(free, None if request.param == "jumps" else np.full(free.shape, UNIT_FACTOR, np.int32))


def test_no_time_is_a_timeout_before_anything_is_searched(search: SearchMap) -> None:
    assert search.search((0, 0), (399, 399), Allowance(0.0)) is Unfound.TIMEOUT
    assert search.expanded == 0


def test_a_search_stops_at_the_first_check_after_its_time(search: SearchMap) -> None:
    free = search.search((0, 0), (399, 399), Allowance(math.inf))
    assert not isinstance(free, Unfound) and search.expanded > 3 * CHECKED_EVERY
    found = search.search((0, 0), (399, 399), Allowance(2e-5))
    assert found is Unfound.TIMEOUT


def test_a_cancelled_search_ends_at_once_and_the_next_is_whole(search: SearchMap) -> None:
    cancel = Cancel()
    cancel.set()
    assert cancel.is_set
    assert search.search((0, 0), (399, 399), Allowance(cancel=cancel)) is Unfound.CANCELLED
    assert search.expanded == 0
    assert not isinstance(search.search((0, 0), (399, 399), Allowance(cancel=Cancel())), Unfound)


def test_another_thread_may_cancel_while_a_search_runs(search: SearchMap) -> None:
    cancel = Cancel()
    timer = threading.Timer(0.02, cancel.set)
    timer.start()
    seen = [search.search((0, 0), (399, 399), Allowance(cancel=cancel)) for _ in iter(lambda: cancel.is_set, True)]
    timer.join()
    last = search.search((0, 0), (399, 399), Allowance(cancel=cancel))
    assert last is Unfound.CANCELLED
    assert all(found is Unfound.CANCELLED or not isinstance(found, Unfound) for found in seen)


def test_what_is_left_of_a_budget() -> None:
    assert Allowance().left_ns == UNLIMITED and Allowance().mark is None
    assert 0 < Allowance(5.0).left_ns <= 5_000_000_000
    assert Allowance(1.0, None, 0).left_ns == 0
    for budget in (-1.0, math.nan):
        with pytest.raises(ValueError, match="budget_s"):
            Allowance(budget)


def test_more_searches_than_their_counter_holds_are_all_right() -> None:
    search = SearchMap(np.ones((3, 4), np.bool_))
    assert {search.search((0, 0), (2, 3)).cost for _ in range(66_000)} == {1 + 2 * math.sqrt(2)}  # type: ignore[union-attr]
