from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace

from premotor_runtime.app.awake_core import AwakeCore, spin_until
from premotor_runtime.app.core_sharing import core_to_keep_awake
from premotor_runtime.app.settings import Cores

BOTH = frozenset((0, 1))


def test_a_core_is_kept_awake_where_that_is_wanted_and_nobody_shares_it() -> None:
    wanted = Cores(reflex=1, brain=0, keep_awake=True)
    assert core_to_keep_awake(wanted, BOTH) == 1
    assert core_to_keep_awake(replace(wanted, keep_awake=False), BOTH) is None
    assert core_to_keep_awake(replace(wanted, brain=1), BOTH) is None
    assert core_to_keep_awake(wanted, frozenset((0,))) is None
    assert core_to_keep_awake(replace(wanted, reflex=None), BOTH) is None


def test_what_keeps_it_awake_has_only_what_nobody_else_wants_and_ends_with_the_context() -> None:
    core = max(os.sched_getaffinity(0))
    with AwakeCore(core):
        (child,) = multiprocessing.active_children()
        assert child.pid is not None
        assert os.sched_getscheduler(child.pid) == os.SCHED_IDLE
        assert os.sched_getaffinity(child.pid) == {core}
    assert not child.is_alive()
    with AwakeCore(None):
        assert not multiprocessing.active_children()


def test_it_computes_until_it_is_over() -> None:
    asked: list[bool] = []
    spin_until(lambda: len(asked) == 3 or asked.append(True) is not None)
    assert len(asked) == 3
