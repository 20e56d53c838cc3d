from __future__ import annotations

import multiprocessing as mp
import os
import signal
import stat
import struct
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from premotor_foundation.errors import EXIT_USAGE
from premotor_runtime.processes.board import Board, OwnedBoard
from premotor_runtime.processes.errors import BoardError
from premotor_runtime.processes.heartbeats import Beat, Phase
from premotor_runtime.processes.in_flight import StepInFlight
from premotor_runtime.processes.layout import VERSION, BoardLayout, header, read_header
from premotor_runtime.processes.memory import PREFIX, folder
from premotor_runtime.processes.plan_mailbox import Letter
from premotor_runtime.scheduler.errors import UnknownLane
from premotor_runtime.scheduler.forecast import LaneForecast

LAYOUT = BoardLayout(("gpu", "dla0"))
NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=7)


@given(st.lists(NAMES, min_size=1, max_size=64, unique=True), st.integers(1, 2048))
def test_a_header_says_its_layout_and_slots_do_not_overlap(lanes: list[str], words: int) -> None:
    layout = BoardLayout(tuple(lanes), words * 8)
    assert read_header("b", header(layout).ljust(layout.size, b"\0")) == layout
    places = [*(layout.forecast(lane) for lane in lanes), layout.beat("reflex"), layout.beat("brain"), layout.step,
              layout.receipt, layout.plan]  # fmt: skip
    ends = [layout.header_bytes, *(place.offset + 16 + place.payload_bytes for place in places)]
    assert all(place.offset % 64 == 0 and place.offset >= end for place, end in zip(places, ends, strict=False))
    assert ends[-1] <= layout.size


@pytest.mark.parametrize(
    ("lanes", "plan_bytes", "says"),
    [
        ((), 64, "1 to 64 lanes"),
        (("a", "a"), 64, "different names"),
        (("a" * 32,), 64, "1 to 31 bytes"),
        (("",), 64, "1 to 31 bytes"),
        (("a",), 7, "multiple of 8"),
        (("a",), 1 << 21, "multiple of 8"),
    ],
)
def test_a_layout_that_no_header_can_say_is_refused(lanes: tuple[str, ...], plan_bytes: int, says: str) -> None:
    with pytest.raises(BoardError, match=says):
        BoardLayout(lanes, plan_bytes)


def test_the_memory_is_the_owners_alone_and_gone_at_the_end() -> None:
    with OwnedBoard(LAYOUT) as board:
        status = Path(board.name).stat()
        assert stat.S_IMODE(status.st_mode) == 0o600
        assert status.st_size == LAYOUT.size
        attached = Board(board.name)
    assert not Path(board.name).exists()
    assert attached.layout == LAYOUT
    attached.close()
    attached.close()
    with pytest.raises(BoardError, match="no board at"):
        Board(board.name)


def own_a_board_and_hang(pipe: Connection) -> None:
    board = OwnedBoard(LAYOUT)
    pipe.send(board.name)
    pipe.recv()


def test_what_a_killed_owner_left_is_removed_by_the_next_and_a_living_ones_is_not() -> None:
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe()
    owner = context.Process(target=own_a_board_and_hang, args=(theirs,), daemon=True)
    owner.start()
    left = Path(ours.recv())
    with OwnedBoard(LAYOUT):
        assert left.exists()
    os.kill(owner.pid or 0, signal.SIGKILL)
    owner.join()
    assert left.exists()
    with OwnedBoard(LAYOUT) as board:
        assert not left.exists()
        assert Path(board.name).exists()


@pytest.fixture
def path() -> Path:
    with OwnedBoard(LAYOUT) as board:
        content = Path(board.name).read_bytes()
    path = folder() / f"{PREFIX}test-{os.getpid()}"
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def changed(path: Path, at: int, new: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[at : at + len(new)] = new
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("at", "new", "says"),
    [
        (0, b"SOMETHIN", "is no board: it begins with"),
        (8, struct.pack("<Q", VERSION + 1), f"is a board of version {VERSION + 1}, this is version {VERSION}"),
        (16, struct.pack("<Q", 1 << 40), "cut short"),
        (24, struct.pack("<Q", 1 << 60), "header .* is damaged"),
        (48, b"cpu", "header .* is damaged"),
    ],
)
def test_a_board_of_another_kind_or_version_is_refused(path: Path, at: int, new: bytes, says: str) -> None:
    changed(path, at, new)
    with pytest.raises(BoardError, match=says) as caught:
        Board(str(path))
    assert caught.value.exit_code == EXIT_USAGE
    path.unlink()


@pytest.mark.parametrize("size", [0, 1, 47, 48, LAYOUT.size - 1])
def test_a_board_that_was_cut_short_is_refused(path: Path, size: int) -> None:
    os.truncate(path, size)
    with pytest.raises(BoardError, match=r"cut short|is no board"):
        Board(str(path))
    path.unlink()


def test_a_board_that_others_may_write_to_is_refused(path: Path) -> None:
    path.chmod(0o622)
    with pytest.raises(BoardError, match="not this user's alone"):
        Board(str(path))
    path.unlink()


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_board_or_refused(content: bytes) -> None:
    with pytest.raises(BoardError):
        read_header("b", content)


def test_a_lane_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with OwnedBoard(LAYOUT) as board:
        with pytest.raises(UnknownLane, match="no lane `npu`; it has gpu, dla0"):
            board.forecast_reader("npu")
        with pytest.raises(UnknownLane):
            board.forecast_writer("npu")


def test_forecasts_arrive_by_lane_and_a_clock_that_goes_back_stands_still() -> None:
    with OwnedBoard(LAYOUT) as board:
        writer, reader = board.forecast_writer("dla0"), board.forecast_reader("dla0")
        assert reader.read() == (None, 0, True)
        writer.publish(5, 90, 7, now_ns=50)
        assert reader.read() == (LaneForecast("dla0", 5, 90, 7), 50, True)
        writer.publish(-3, None, -1, now_ns=20)
        assert reader.read() == (LaneForecast("dla0", 0, None, 0), 50, True)
        assert writer.went_back == 1
        writer.publish_all([LaneForecast("gpu", 1, 1, 1), LaneForecast("dla0", 2, 3, 4)], 60)
        assert reader.read().lane == LaneForecast("dla0", 2, 3, 4)
        assert board.forecast_reader("gpu").read().lane is None


def test_heartbeats_and_the_step_in_flight() -> None:
    with OwnedBoard(LAYOUT) as board:
        heart, watcher = board.heartbeat_writer("brain"), board.heartbeat_reader("brain")
        assert watcher.read() == Beat(0, 0, 0, Phase.STARTING)
        heart.beat(10, Phase.STARTING)
        heart.beat(20)
        assert watcher.read() == Beat(2, 20, os.getpid(), Phase.SERVING)
        assert board.heartbeat_reader("reflex").read().counter == 0
        steps, seen = board.step_writer(), board.step_reader()
        assert seen.read() is None
        steps.begin(30, 0.004)
        assert seen.read() == StepInFlight(1, 30, 4_000_000)
        steps.begin(31, None)
        assert seen.read() == StepInFlight(2, 31, None)
        steps.end()
        assert seen.read() is None


@given(st.lists(st.binary(max_size=64), min_size=1, max_size=6))
def test_of_plans_the_newest_wins_once_and_is_acknowledged(contents: list[bytes]) -> None:
    with OwnedBoard(BoardLayout(("core",), 64)) as board:
        sender, taker = board.plan_sender(), board.plan_taker()
        assert taker.take(1) is None
        for content in contents:
            number = sender.send(content)
        assert sender.acknowledged == 0
        assert taker.take(1) == Letter(number, contents[-1])
        assert taker.take(1) is None
        assert sender.acknowledged == number == len(contents)
        restarted_taker, restarted_sender = board.plan_taker(), board.plan_sender()
        assert restarted_taker.take(1) is None
        assert restarted_sender.send(b"x") == number + 1
        assert restarted_taker.take(1) == Letter(number + 1, b"x")


def test_a_plan_that_has_no_room_is_refused_and_the_one_before_stays() -> None:
    with OwnedBoard(BoardLayout(("core",), 64)) as board:
        sender = board.plan_sender()
        sender.send(b"short")
        with pytest.raises(BoardError, match="has 65 bytes, the board has room for 64"):
            sender.send(bytes(65))
        assert board.plan_taker().take(1) == Letter(1, b"short")
