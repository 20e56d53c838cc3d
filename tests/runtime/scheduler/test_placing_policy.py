from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.scheduler.policy import Choice, place
from premotor_runtime.scheduler.slack import FREE, Offer


@dataclass(frozen=True)
class Waiting:
    lane: int
    rank: int
    due_ns: int
    number: int
    index: int = 0


@dataclass(frozen=True)
class Open:
    number: int
    room: bool = True
    offers: tuple[Offer, ...] = ()
    free_at_ns: int = 0
    next_release_ns: int | None = None
    unused: list[int] = field(default_factory=list)


STEPS = Offer(0, True, shortest_ns=2, longest_ns=50, margin_ns=1, tolerance_ns=0)
jobs = st.lists(
    st.builds(Waiting, st.integers(0, 2), st.integers(0, 3), st.integers(0, 9), st.integers(0, 5)), max_size=12
)
lanes = st.lists(st.builds(Open, st.integers(0, 2), st.booleans()), max_size=3, unique_by=lambda lane: lane.number)


@given(jobs, lanes, st.integers(0, 100))
def test_no_lane_gets_a_job_while_a_more_urgent_one_waits_for_it(
    waiting: list[Waiting], open_lanes: list[Open], now: int
) -> None:
    before = list(waiting)
    choices = place(waiting, open_lanes, now)
    assert waiting == before
    taken = {choice.lane: choice.job for choice in choices}
    for lane in open_lanes:
        own = [job for job in waiting if job.lane == lane.number]
        if not own or not lane.room:
            assert lane.number not in taken
            continue
        job = taken[lane.number]
        assert job is not None
        chosen = waiting[job]
        assert chosen.lane == lane.number
        assert all((chosen.rank, chosen.due_ns) <= (job.rank, job.due_ns) for job in own)


def test_a_stream_gets_a_lane_only_when_no_job_waits_for_it() -> None:
    lane = Open(0, offers=(STEPS,), next_release_ns=30)
    assert place([], [lane], 10) == [Choice(0, None, 0, 19)]
    assert place([Waiting(0, 3, 99, 0)], [lane], 10) == [Choice(0, 0)]
    assert place([Waiting(1, 0, 99, 0)], [lane], 10) == [Choice(0, None, 0, 19)]
    assert place([], [Open(0, offers=(STEPS,))], 10) == [Choice(0, None, 0, FREE)]
    assert place([], [Open(0, room=False, offers=(STEPS,))], 10) == []


def test_of_two_streams_the_first_that_fits_goes() -> None:
    long = STEPS._replace(stream=1, shortest_ns=25)
    short = STEPS._replace(stream=2)
    assert place([], [Open(0, offers=(long, short), next_release_ns=30)], 10) == [Choice(0, None, 2, 19)]
