from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from premotor_runtime.scheduler import recording
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.errors import BadRecord
from premotor_runtime.scheduler.live import LiveJob
from premotor_runtime.scheduler.perfetto import drawn, perfetto
from premotor_runtime.scheduler.plan import plan_of
from premotor_runtime.scheduler.record_file import Recording, dump, load
from premotor_runtime.scheduler.recording import RECORD, Kind, Ring
from premotor_runtime.scheduler.replay import first_difference, replay
from premotor_runtime.scheduler.study.random_sets import random_set
from premotor_runtime.scheduler.task import Stream, Task
from premotor_runtime.scheduler.task_set import LaneSpec, TaskSet
from premotor_runtime.scheduler.virtual_engine import EngineCosts, VirtualEngine
from premotor_runtime.scheduler.virtual_time import VirtualExecutor, worst_case

MS = 1_000_000
COSTS = EngineCosts(MS, 50_000, 100_000)
Make = Callable[..., Task]


def recorded(task_set: TaskSet, until_ns: int, seed: int = 0, pages: int = 4) -> bytes:
    """A run that overruns now and then, so that every miss policy has something to do."""
    draw = random.Random(seed)

    def durations(job: LiveJob, stage: int, segment: int) -> int:
        return int(worst_case(job, stage, segment) * draw.choice((0.5, 1.0, 1.0, 3.0)))

    dispatcher = Dispatcher([plan_of(task_set)], Ring(pages))
    executor = VirtualExecutor(
        dispatcher, durations, lambda task, job: draw.randrange(MS), [VirtualEngine(COSTS) for _ in task_set.streams]
    )
    executor.run_until(until_ns // 2)
    dispatcher.clock_went_back(executor.now_ns, 5)
    slower = replace(task_set, tasks=tuple(replace(task, period_ns=2 * task.period_ns) for task in task_set.tasks))
    executor.submit(dispatcher.switch(executor.now_ns, dispatcher.add_plan(plan_of(slower))))
    executor.run_until(until_ns)
    return dump(dispatcher)


@pytest.mark.parametrize("seed", range(12))
def test_a_record_replays_to_the_same_decisions_byte_for_byte(seed: int) -> None:
    recording = load(recorded(random_set(random.Random(seed), 0.7), 300 * MS, seed))
    assert len(recording.records()) > 100
    assert replay(recording) == recording.data
    assert first_difference(recording) is None


def test_a_ring_that_has_turned_replays_from_its_oldest_page(task: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_FULL", 500 * RECORD.size)
    steps = Stream("llm", ("gpu",), 30 * MS, MS)
    tasks = (task("a", (2, 3), 20), task("b", (1, 1, 1), 10, lane="dla0"))
    task_set = TaskSet((LaneSpec("gpu"), LaneSpec("dla0", 2)), tasks, (steps,))
    again = load(recorded(task_set, 4000 * MS, pages=3))
    assert len(again.pages) == 3 and again.pages[0].state["now_ns"] > 0
    assert len(again.records()) < 3 * 600
    assert replay(again) == again.data


def test_the_same_run_gives_the_same_bytes(task: Make) -> None:
    task_set = random_set(random.Random(3), 0.8)
    assert recorded(task_set, 200 * MS, 5) == recorded(task_set, 200 * MS, 5)


def test_a_changed_decision_is_found(task: Make) -> None:
    recording = load(recorded(TaskSet((LaneSpec("gpu"),), (task("a", 5, 20), task("b", 5, 40))), 200 * MS))
    assert first_difference(recording) is None
    urgent = replace(
        recording.task_sets[0], tasks=tuple(replace(t, offset_ns=MS) for t in recording.task_sets[0].tasks)
    )
    other = Recording((urgent, *recording.task_sets[1:]), recording.ladder, 0, recording.pages)
    state = dict(recording.pages[0].state, next_arrival_ns=[MS, MS])
    moved = replace(other, pages=(replace(recording.pages[0], state=state), *recording.pages[1:]))
    difference = first_difference(moved)
    assert difference is not None and difference[1] != difference[2]


def test_what_is_no_record_is_refused(task: Make) -> None:
    good = recorded(TaskSet((LaneSpec("gpu"),), (task("a", 5, 20),)), 100 * MS)
    for bad in (b"", b"{}\n", b"\xff\xfe", good[:-7], good.replace(b"premotor.schedule/1", b"premotor.schedule/9"),
                good.replace(b'"period_ns":20000000', b'"period_ns":"soon"', 1)):  # fmt: skip
        with pytest.raises(BadRecord, match="record"):
            load(bad)
    loaded = load(good)
    damaged = replace(loaded, pages=(replace(loaded.pages[0], state={"now_ns": 0}),))
    with pytest.raises(BadRecord, match="damaged"):
        replay(damaged)


def test_the_ring_keeps_the_newest_and_never_grows() -> None:
    ring = Ring(2)
    sizes = {len(page.room) for page in ring._pages}
    for number in range(3 * recording.PAGE_RECORDS):
        if ring.full:
            ring.turn({"at": number})
        ring.add(Kind.WAKE, number)
    assert [json.loads(page.state)["at"] for page in ring.pages()] == [8192, 16384]
    assert {len(page.room) for page in ring._pages} == sizes and ring.lost == 0
    for number in range(2000):
        ring.add(Kind.WAKE, number)
    assert ring.lost == 2000 - 1024


def test_perfetto_shows_a_row_for_each_lane(task: Make) -> None:
    steps = Stream("llm", ("gpu",), 30 * MS, MS)
    tasks = (task("a", (2, 3), 20), task("b", (4, 4), 40, lane="dla0"))
    task_set = TaskSet((LaneSpec("gpu"), LaneSpec("dla0", 2)), tasks, (steps,))
    dispatcher = Dispatcher([plan_of(task_set)], Ring(2))
    VirtualExecutor(dispatcher, models=[VirtualEngine(COSTS)]).run_until(40 * MS - 1)
    records = load(dump(dispatcher)).records()
    events = json.loads(perfetto(task_set, records))["traceEvents"]
    rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert set(rows.values()) == {"scheduler", "gpu", "dla0"}
    spans = [(rows[e["tid"]], e["name"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"]
    assert ("dla0", "b1", 4000.0, 4000.0) in spans, "the second submission begins when the first has ended"
    assert any(name == "llm" for _, name, _, _ in spans)
    for lane in ("gpu", "dla0"):
        own = sorted((start, start + took) for row, _, start, took in spans if row == lane)
        assert all(before[1] <= after[0] for before, after in pairwise(own))
    assert len(drawn(task_set, records)) == len(events) - len(rows)
