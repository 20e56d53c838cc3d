from __future__ import annotations

from collections.abc import Callable

from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.forecast import LaneForecast, forecast
from premotor_runtime.scheduler.plan import plan_of
from premotor_runtime.scheduler.recording import Ring
from premotor_runtime.scheduler.slack import Offer, step_ns
from premotor_runtime.scheduler.task import Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet

MS = 1_000_000


def test_another_process_can_size_its_steps_by_the_forecast(task: Callable[..., Task]) -> None:
    lanes = (LaneSpec("cpu0"), LaneSpec("cpu1"))
    task_set = TaskSet(lanes, (task("a", 4, 20, lane="cpu0"), task("b", 2, 40, lane="cpu0")))
    reflex = Dispatcher([plan_of(task_set)], Ring(2))
    reflex.wake(0)
    assert forecast(reflex)[0] == LaneForecast("cpu0", 4 * MS, 20 * MS, 4 * MS + 2 * MS), "b waits, a comes next"
    reflex.ended(4 * MS, 0)
    shared, free = forecast(reflex)
    assert shared == LaneForecast("cpu0", 6 * MS, 20 * MS, 4 * MS) and free.next_release_ns is None
    steps = Offer(0, True, MS, 50 * MS, 0, 0)
    assert step_ns(steps, 5 * MS, shared.free_at_ns, shared.next_release_ns) == 14 * MS
    assert step_ns(steps, 5 * MS, free.free_at_ns, free.next_release_ns) == -1
