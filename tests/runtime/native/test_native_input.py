"""What a caller may get wrong is an error of Python's, never one of memory."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import numpy as np
import pytest

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.runners.native.runner import NativeRunner
from premotor_runtime.runners.protocol import Chunk

Make = Callable[..., Checkpoint]


@pytest.fixture
def runner(checkpoint: Make) -> NativeRunner:
    return NativeRunner(checkpoint("llama"), 4, 16, precision="f32", threads=2)


@pytest.mark.parametrize(
    "chunk",
    [
        Chunk([1003], 0, [0]),
        Chunk([-1], 0, [0]),
        Chunk([1] * 17, 0, [0]),
        Chunk([1], 16, [0]),
        Chunk([1], 0, [4]),
        Chunk([1], 0, [-1]),
        Chunk([1], 0, []),
        Chunk([1], -1, [0]),
        Chunk([], 0, [0]),
        Chunk([1], 0, [0], [1]),
        Chunk([1], 0, [0], [-1]),
        Chunk([1], 0, [0], (), "greedy", np.array([0, 1003])),
        Chunk([1], 0, [0], (), "logits", np.array([-5])),
    ],
)
def test_what_does_not_exist_is_refused_and_the_runner_goes_on(runner: NativeRunner, chunk: Chunk) -> None:
    sound = Chunk([1, 2], 0, [1], [1], "greedy")
    (before,) = runner.step([sound])
    with pytest.raises(IndexError):
        runner.step([sound, chunk])
    (after,) = runner.step([sound])
    assert np.array_equal(after.hidden, before.hidden)


def test_other_misuse(runner: NativeRunner) -> None:
    assert runner.step([]) == []
    with pytest.raises(IndexError):
        runner.logits(np.zeros((1, 64), np.float32), np.array([1003]))
    with pytest.raises(ValueError, match="64"):
        runner.logits(np.zeros((1, 63), np.float32))
    runner.close()
    runner.close()
    with pytest.raises(ValueError, match="closed"):
        runner.step([Chunk([1], 0, [0])])


def test_many_runners_come_and_go(checkpoint: Make) -> None:
    """Their threads end with them."""
    made = checkpoint("llama")
    before = len(list(_threads()))
    for _ in range(20):
        runner = NativeRunner(made, 4, 16, precision="int8", threads=4)
        runner.step([Chunk([1, 2, 3], 0, [0])])
        del runner
    gc.collect()
    assert len(list(_threads())) == before


def test_two_runners_in_two_threads(checkpoint: Make) -> None:
    made = checkpoint("llama")
    tokens = list(range(1, 30))
    runners = [NativeRunner(made, 4, 16, precision="int8", threads=2) for _ in range(2)]
    (expected,) = runners[0].step([Chunk(tokens, 0, [0, 1], [28])])
    seen: list[bool] = []

    def work(runner: NativeRunner) -> None:
        for _ in range(30):
            (out,) = runner.step([Chunk(tokens, 0, [0, 1], [28])])
            seen.append(np.array_equal(out.hidden, expected.hidden))

    threads = [threading.Thread(target=work, args=(runner,)) for runner in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 60


def _threads() -> list[str]:
    from pathlib import Path

    return [path.name for path in Path("/proc/self/task").iterdir()] if Path("/proc/self/task").is_dir() else []
