from __future__ import annotations

import time

import numpy as np
import pytest

from premotor_accelerators.errors import CompileRefused
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.motion.state import STOP
from premotor_runtime.app.bench_realtime.control_task import BenchTask, IdleTask
from premotor_runtime.app.bench_realtime.control_work import ControlWork
from premotor_runtime.app.bench_realtime.llm_load import CONCURRENT, LlmLoad, request
from premotor_runtime.app.bench_realtime.scene import BEAMS, LAP_PERIODS, Scene, cast_scene
from premotor_runtime.app.bench_realtime.settings import TIMING
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.executor.clock import PollingClock, VirtualClock
from premotor_runtime.executor.control_loop import ControlLoop
from premotor_runtime.executor.lane import InlineLane
from premotor_runtime.executor.period_log import PeriodLog
from premotor_runtime.models.random_checkpoint import SHAPES, random_checkpoint
from premotor_runtime.models.registry import load_model
from premotor_runtime.scheduler.miss_ladder import MissLadder

T = TIMING.period_s


@pytest.fixture(scope="module")
def scene() -> Scene:
    return cast_scene(T)


@pytest.fixture(scope="module")
def work() -> ControlWork:
    try:
        return ControlWork(T)
    except (BuildError, CompileRefused) as error:
        pytest.skip(str(error))


def test_the_scene_depends_on_the_periods_number_alone(scene: Scene) -> None:
    again = cast_scene(T)
    assert np.array_equal(scene.ranges, again.ranges) and scene.ranges.shape == (LAP_PERIODS, BEAMS)
    assert np.isfinite(scene.ranges).mean() > 0.5 and (scene.ranges > 0.2).all()
    state, lap = scene.state(17), scene.state(17 + LAP_PERIODS)
    assert (state.x, state.y, state.yaw) == pytest.approx((lap.x, lap.y, lap.yaw), abs=1e-9)
    assert np.array_equal(scene.scan(17).ranges_m, scene.scan(17 + LAP_PERIODS).ranges_m)
    moved = scene.state(18)
    assert np.hypot(moved.x - state.x, moved.y - state.y) == pytest.approx(state.v_mps * T, rel=0.05)
    assert 0.3 < state.v_mps < 0.8


def test_the_work_drives_on_and_is_the_same_twice(scene: Scene, work: ControlWork) -> None:
    other = ControlWork(T)
    for number in range(3):
        given = scene.state(number), scene.scan(number), scene.goal(number)
        wanted = work.decide(*given)
        sent = work.guard(wanted, given[1], given[0])
        assert wanted == other.decide(*given)
        assert sent.finite and sent != STOP and 0.0 < sent.v_mps <= 0.8


def test_the_gate_has_the_last_word(scene: Scene, work: ControlWork) -> None:
    state, scan = scene.state(0), scene.scan(0)
    walled = type(scan)(scan.stamp_s, np.full(BEAMS, 0.3, np.float32), scan.range_min_m, scan.range_max_m)
    assert work.guard(work.decide(state, scan, scene.goal(0)), walled, state) == STOP


def test_the_task_runs_in_the_products_loop_for_as_many_releases(scene: Scene, work: ControlWork) -> None:
    clock, log = VirtualClock(5.0), PeriodLog()
    task = BenchTask(work, scene, clock, log)
    for _ in range(2):
        task.begin(6)
        ControlLoop(task, InlineLane(clock), TIMING, MissLadder(), clock, log).run()
    assert (log.ticks, log.misses, task.commands) == (12, 0, 12) and task.sum_v_mps > 0
    idle = IdleTask(log)
    idle.begin(4)
    ControlLoop(idle, InlineLane(clock), TIMING, MissLadder(), clock, log).run()
    assert (log.ticks, idle.commands) == (16, 4)


def test_requests_are_the_same_for_all_and_share_no_beginning() -> None:
    first, again, other = request(3, 500), request(3, 500), request(4, 500)
    assert first == again and len(first.prompt) == 400 and 64 <= first.max_tokens <= 128
    assert first.prompt[:16] != other.prompt[:16] and first.ignore_eos


def test_the_load_never_pauses(tmp_path_factory: pytest.TempPathFactory) -> None:
    from dataclasses import replace

    shape = replace(SHAPES["S"], vocab_size=300, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
                    num_attention_heads=1, num_key_value_heads=1)  # fmt: skip
    model = load_model(random_checkpoint(shape, 1, tmp_path_factory.mktemp("weights")), None, 120, 16)
    engine = Engine(model.runner, model.tokenizer, time.monotonic, model.salt)
    load = LlmLoad(engine, time.monotonic, prompt_tokens=20)
    for _ in range(200):
        load.step(StepBudget(64))
        assert engine.num_requests_running + engine.num_requests_waiting == CONCURRENT
    assert len(load.steps) == 200
    assert sum(step.prompt_tokens for step in load.steps) % 20 == 0
    assert sum(step.prompt_tokens for step in load.steps) > 20 * CONCURRENT  # some ended, and others took their place
    assert all(step.start_s <= step.end_s for step in load.steps)


def test_waiting_awake_ends_at_the_instant_and_is_counted() -> None:
    clock = PollingClock(0.004)
    until = clock.now_ns() + 6_000_000
    clock.sleep_until_ns(until)
    assert clock.now_ns() >= until and clock.polled_ns > 0
    before = clock.polled_ns
    clock.sleep_until(0.0)
    assert clock.polled_ns - before < 1_000_000 and clock.longest_stall_ns > 0
