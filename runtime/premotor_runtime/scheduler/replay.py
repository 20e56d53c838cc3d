"""From a record's inputs alone, all decisions again."""

from __future__ import annotations

import contextlib

from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.errors import BadRecord
from premotor_runtime.scheduler.plan import plan_of
from premotor_runtime.scheduler.record_file import RecordedPage, Recording
from premotor_runtime.scheduler.recording import LAST_INPUT, RECORD, Kind, Record, Ring


def replay(recording: Recording) -> bytes:
    """The records that the policy makes of the recorded inputs; equal to `recording.data` when nothing has changed.

    Ends early where a decision differs so much that a recorded input cannot follow it. Raises BadRecord for a state
    that does not belong to the plan.
    """
    return b"".join(_replay_page(recording, page) for page in recording.pages)


def first_difference(recording: Recording) -> tuple[int, bytes, bytes] | None:
    """Place, bytes then and bytes now of the first record that would be another one today; None when all are equal."""
    again, before, size = replay(recording), recording.data, RECORD.size
    for at in range(0, max(len(again), len(before)), size):
        if again[at : at + size] != before[at : at + size]:
            return at // size, before[at : at + size], again[at : at + size]
    return None


def _replay_page(recording: Recording, page: RecordedPage) -> bytes:
    ring = Ring(pages=2)
    dispatcher = Dispatcher([plan_of(each) for each in recording.task_sets], ring, recording.ladder, recording.start_ns)
    try:
        dispatcher.restore(page.state)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadRecord(f"the record's state does not fit its plan ({error!r}); it is damaged") from error
    inputs = (record for record in page.records() if record.kind <= LAST_INPUT)
    with contextlib.suppress(IndexError):  # something ends that this policy did not begin
        for record in inputs:
            _feed(dispatcher, record)
    return b"".join(each.data for each in ring.pages())


def _feed(dispatcher: Dispatcher, record: Record) -> None:
    if record.kind == Kind.WAKE:
        dispatcher.wake(record.at_ns)
    elif record.kind == Kind.ARRIVE:
        dispatcher.arrive(record.at_ns, record.who)
    elif record.kind == Kind.ENDED:
        dispatcher.ended(record.at_ns, record.lane, bool(record.value))
    elif record.kind == Kind.OFFER:
        dispatcher.offer(record.at_ns, record.who, bool(record.value))
    elif record.kind == Kind.SWITCH:
        dispatcher.switch(record.at_ns, record.value)
    elif record.kind == Kind.HALT:
        dispatcher.halt(record.at_ns, bool(record.value))
    else:
        dispatcher.clock_went_back(record.at_ns, record.value)
