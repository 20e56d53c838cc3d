from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from premotor_runtime.bench.errors import NotInstalled, WorkerFailed
from premotor_runtime.bench.worker import Worker

FAKE = Path(__file__).parent / "fake_engine.py"
TIMEOUT_S = 60.0


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker("fake", Path(sys.executable), FAKE, {}) as started:
        yield started


def test_orders_are_answered_whatever_libraries_print(worker: Worker) -> None:
    assert worker.ask("open", TIMEOUT_S, speed=50.0) is None
    assert worker.ask("first", TIMEOUT_S, prompt=[1, 2])["tokens"] == 1
    assert worker.ask("decode", TIMEOUT_S, prompts=[[1], [2]], steps=5) == {"seconds": 0.2, "tokens": 10}
    assert worker.ask("memory", TIMEOUT_S).get("resident", 1) > 0


def test_an_order_that_fails_says_why_and_the_next_one_is_answered(worker: Worker) -> None:
    worker.ask("open", TIMEOUT_S, trouble="raise", after=0)
    with pytest.raises(WorkerFailed, match="fake: `decode` failed: ValueError: no such thing"):
        worker.ask("decode", TIMEOUT_S, prompts=[[1]], steps=1)
    with pytest.raises(WorkerFailed, match="`dance` failed"):
        worker.ask("dance", TIMEOUT_S)
    assert worker.ask("describe", TIMEOUT_S)["version"] == "1.2.3"


def test_a_process_that_dies_is_reported_with_its_last_words(worker: Worker) -> None:
    worker.ask("open", TIMEOUT_S, trouble="die")
    with pytest.raises(WorkerFailed, match=r"ended during `prefill` \(exit code 7\).*something broke inside"):
        worker.ask("prefill", TIMEOUT_S, prompt=[1])
    with pytest.raises(WorkerFailed, match="ended during"):
        worker.ask("prefill", TIMEOUT_S, prompt=[1])


def test_a_process_that_hangs_is_ended(worker: Worker) -> None:
    worker.ask("open", TIMEOUT_S, trouble="hang")
    with pytest.raises(WorkerFailed, match=r"took more than 0.2 s"):
        worker.ask("prefill", 0.2, prompt=[1])


def test_a_missing_module_and_a_missing_python_are_a_missing_engine(worker: Worker, tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match="fake is not installed: no module no_such_engine"):
        worker.ask("open", TIMEOUT_S, module="no_such_engine")
    with pytest.raises(NotInstalled, match="there is no "):
        Worker("fake", tmp_path / "python", FAKE, {})


def test_a_peer_sees_neither_this_environments_modules_nor_the_workers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spy = tmp_path / "spy.py"
    spy.write_text(
        "import sys\nclass Spy:\n    def path(self):\n        return sys.path\ndef open_engine():\n    return Spy()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "elsewhere"))
    with Worker("spy", Path(sys.executable), spy, {}) as worker:
        worker.ask("open", TIMEOUT_S)
        seen = worker.ask("path", TIMEOUT_S)
    assert str(tmp_path / "elsewhere") not in seen
    assert not [entry for entry in seen if entry.endswith("workers")]
