from __future__ import annotations

import multiprocessing as mp
import os
import signal
import struct
import time
from array import array
from collections.abc import Iterator
from multiprocessing.connection import Connection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.processes.board import Board, OwnedBoard
from premotor_runtime.processes.layout import BoardLayout, Place, slot_bytes
from premotor_runtime.processes.seqlock import ATTEMPTS, SlotReader, SlotWriter

WORDS = 32
PLACE = Place(0, WORDS * 8)
HALVES = struct.Struct(f"={WORDS}Q")


def slot() -> memoryview:
    return memoryview(bytearray(slot_bytes(PLACE.payload_bytes)))


def words(value: int) -> memoryview:
    return memoryview(array("Q", [value] * WORDS))


@pytest.fixture
def board() -> Iterator[OwnedBoard]:
    with OwnedBoard(BoardLayout(("core",))) as made:
        yield made


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_what_was_written_last_is_read(values: list[int]) -> None:
    memory = slot()
    writer, reader = SlotWriter(memory, PLACE), SlotReader(memory, PLACE)
    for number, value in enumerate(values, 1):
        writer.write(words(value))
        payload, sequence, fresh = reader.read()
        assert (HALVES.unpack(payload), sequence, fresh) == ((value,) * WORDS, 2 * number, True)
    assert reader.torn == reader.given_up == 0


def test_nothing_written_is_all_zero_with_sequence_zero() -> None:
    assert SlotReader(slot(), PLACE).read() == (bytes(WORDS * 8), 0, True)


@given(st.integers(16, slot_bytes(PLACE.payload_bytes) - 1), st.integers(1, 255))
def test_any_byte_that_does_not_belong_to_its_sequence_is_refused(at: int, difference: int) -> None:
    memory = slot()
    writer, reader = SlotWriter(memory, PLACE), SlotReader(memory, PLACE)
    writer.write(words(1))
    reader.read()
    writer.write(words(2))
    memory[at] ^= difference
    inside = at < 16 + WORDS * 8
    payload, sequence, fresh = reader.read()
    assert fresh is not inside
    assert sequence == (2 if inside else 4)
    assert HALVES.unpack(payload)[0] == (1 if inside else 2)
    assert reader.torn == (ATTEMPTS if inside else 0)


def test_a_payload_of_the_sequence_before_is_refused_as_on_a_machine_that_reorders_stores() -> None:
    memory = slot()
    writer, reader = SlotWriter(memory, PLACE), SlotReader(memory, PLACE)
    writer.write(words(1))
    early = bytes(memory)
    writer.write(words(2))
    memory[:8], late = memory[:8], bytes(memory)
    memory[8:] = early[8:]
    assert not reader.read().fresh
    memory[:] = late
    assert reader.read().fresh


def test_a_writer_killed_in_the_middle_leaves_the_last_good_value_and_its_successor_goes_on() -> None:
    memory = slot()
    writer, reader = SlotWriter(memory, PLACE), SlotReader(memory, PLACE)
    writer.write(words(1))
    assert reader.read().fresh
    odd = memory[:8].cast("Q")
    odd[0] += 1
    memory[16:32] = bytes(16)
    payload, sequence, fresh = reader.read()
    assert (HALVES.unpack(payload)[0], sequence, fresh) == (1, 2, False)
    assert reader.given_up == 1
    SlotWriter(memory, PLACE).write(words(3))
    assert HALVES.unpack(reader.read().payload)[0] == 3
    assert reader.read().fresh


def write_for_ever(name: str, ready: Connection) -> None:
    board = Board(name)
    sender = board.plan_sender()
    ready.send("writing")
    number = 0
    while True:
        number += 1
        sender.send(bytes([number % 251]) * (1 + number * 37 % 4000))


def read_for_a_while(name: str, seconds: float, found: Connection) -> None:
    taker = Board(name).plan_taker()
    letters = wrong = latest = back = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        letter = taker.take(1)
        if letter is None:
            continue
        letters += 1
        wrong += letter.content != bytes([letter.number % 251]) * (1 + letter.number * 37 % 4000)
        back += letter.number <= latest
        latest = letter.number
    found.send((letters, wrong, back))


def test_two_processes_never_see_a_torn_plan_and_a_killed_writer_hangs_nobody(board: OwnedBoard) -> None:
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe()
    writer = context.Process(target=write_for_ever, args=(board.name, theirs), daemon=True)
    reader = context.Process(target=read_for_a_while, args=(board.name, 2.0, theirs), daemon=True)
    writer.start()
    assert ours.recv() == "writing"
    reader.start()
    letters, wrong, back = ours.recv()
    assert letters > 0
    assert (wrong, back) == (0, 0)
    os.kill(writer.pid or 0, signal.SIGKILL)
    writer.join()
    reader.join()
    late = board.plan_taker()
    late.take(1)
    board.plan_sender().send(b"the next writer")
    letter = late.take(1)
    assert letter is not None
    assert letter.content == b"the next writer"
