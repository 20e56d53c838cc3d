from __future__ import annotations

import math

from premotor_runtime.scheduler.response_time import Blocker, Load, utilization, worst_response

LOWEST = 4


def load(owner: int, cost: int, period: int, deadline: int = 0, rank: int = 0, **rest: int) -> Load:
    fields = {"jitter": 0, "last": cost, "longest": cost, "m": 1, "k": 1, **rest}
    return Load(owner, rank, period, deadline or period, cost=cost, **fields)


def test_alone_a_segment_takes_its_cost() -> None:
    alone = load(0, 3, 10)
    assert worst_response(alone, [alone], []) == 3


def test_it_waits_for_one_longer_segment_begun_before_it() -> None:
    short, long = load(0, 2, 10), load(1, 7, 40)
    assert worst_response(short, [short, long], []) == 9
    assert worst_response(long, [short, long], []) == 9
    assert worst_response(short, [short, long], [Blocker(LOWEST, 8)]) == 10


def test_a_long_job_in_short_segments_blocks_by_one_of_them_only() -> None:
    short, cut = load(0, 2, 10), load(1, 7, 40, last=1, longest=2)
    assert worst_response(short, [short, cut], []) == 4
    assert worst_response(cut, [short, cut], []) == 9, "it may be preempted before its last segment begins"


def test_jitter_counts_from_the_arrival() -> None:
    late, other = load(0, 2, 10, jitter=3), load(1, 2, 10)
    assert worst_response(late, [late, other], []) == 3 + 2 + 2
    assert worst_response(other, [late, other], []) == 4


def test_two_in_flight_block_twice_and_queue_behind_each_job() -> None:
    short, peer, low = load(0, 1, 20, 10), load(1, 1, 20, 10), load(2, 3, 60, rank=2)
    assert worst_response(short, [short, peer, low], [], in_flight=1) == 3 + 1 + 1
    assert worst_response(short, [short, peer, low], [], in_flight=2) == 2 * 3 + (1 + 3) + 1


def test_a_full_lane_has_no_bound() -> None:
    lane = [load(0, 5, 10), load(1, 10, 20)]
    assert worst_response(lane[0], lane, []) == math.inf
    assert utilization(lane) == 1.0


def test_only_mandatory_firm_jobs_stand_in_the_way() -> None:
    often, rare = (load(0, 3, 4, 4, rank=1, m=m, k=k) for m, k in ((1, 1), (1, 2)))
    low = load(1, 2, 8, rank=1)
    assert worst_response(low, [often, low], []) == math.inf, "together they ask for all the time there is"
    assert worst_response(low, [rare, low], []) == 5, "one mandatory job, and it starts before the next can come"
    assert rare.jobs(3) == 2 and often.jobs(3) == 3


def test_the_higher_rank_is_not_delayed_by_the_lower_but_for_one_segment() -> None:
    hard = load(0, 2, 10, rank=0)
    firms = [load(n, 3, 30, 10, rank=1) for n in range(1, 4)]
    assert worst_response(hard, [hard, *firms], []) == 5
    assert worst_response(firms[0], [hard, *firms], []) == 9 + 2
