from __future__ import annotations

import errno
import os
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from premotor_runtime.app.bench_faults.full_disk import FillingDisk
from premotor_runtime.app.child import Child
from premotor_runtime.processes.bounded_log import LEAST_BYTES, BoundedLog
from premotor_runtime.processes.output_pump import PassedOn


def sizes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=5000), max_size=30))
def test_a_log_keeps_the_newest_within_its_limit_and_counts_the_rest(tmp_path: Path, pieces: list[bytes]) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    log = BoundedLog(tmp_path / "brain.log", LEAST_BYTES)
    for piece in pieces:
        log.write(piece)
        assert sizes(tmp_path) <= LEAST_BYTES
    log.close()
    assert log.lost_bytes == sum(max(0, len(piece) - LEAST_BYTES // 2) for piece in pieces)
    newest = (tmp_path / "brain.log").read_bytes() if pieces else b""
    assert b"".join(piece[: LEAST_BYTES // 2] for piece in pieces).endswith(newest)


def test_a_log_goes_on_where_an_earlier_one_ended(tmp_path: Path) -> None:
    for word in (b"one ", b"two "):
        log = BoundedLog(tmp_path / "brain.log", LEAST_BYTES)
        log.write(word)
        log.close()
    assert (tmp_path / "brain.log").read_bytes() == b"one two "


def test_a_full_disk_loses_lines_and_nothing_else(tmp_path: Path) -> None:
    disk = FillingDisk()
    log = BoundedLog(tmp_path / "brain.log", LEAST_BYTES, disk)
    log.write(b"x" * 2000)
    disk.full = True
    for _ in range(10):
        log.write(b"y" * 2000)
    assert log.lost_bytes == 10 * 2000
    disk.full = False
    log.close()
    log.write(b"z")
    assert (tmp_path / "brain.log").read_bytes() == b"z"


def test_a_folder_that_is_gone_or_forbidden_is_no_error(tmp_path: Path) -> None:
    def refuse(path: Path) -> int:
        raise OSError(errno.EACCES, "no")

    for log in (BoundedLog(tmp_path / "no" / "brain.log", 4096), BoundedLog(tmp_path / "a.log", 4096, refuse)):
        log.write(b"lost")
        assert log.lost_bytes == 4
        log.close()


def test_a_log_too_small_for_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 4096"):
        BoundedLog(tmp_path / "brain.log", 100)


class Kept:
    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


def chatter(pipe: Connection) -> None:
    print("from Python", flush=True)  # noqa: T201 - what is tested
    os.write(2, b"from native code\n")
    pipe.recv()


def test_all_that_a_child_prints_goes_to_its_sink() -> None:
    sink = Kept()
    child = Child("chatty", chatter, (), sink)
    child.end()
    assert sink.data == b"from Python\nfrom native code\n"


def test_what_is_passed_on_is_bounded(capfd: pytest.CaptureFixture[str]) -> None:
    sink = PassedOn("brain", most_bytes=10)
    sink.write(b"12345")
    sink.write(b"67890abc")
    sink.write(b"silence")
    assert capfd.readouterr().err == "1234567890\n(the brain process printed more; it is dropped)\n"
