from __future__ import annotations

import pytest

from premotor_runtime.bench.case import Case, Contestant, Samples
from premotor_runtime.bench.errors import WorkerFailed
from premotor_runtime.bench.figures import ratio, speed
from premotor_runtime.bench.interleave import interleave, turns

OURS, PEER = Contestant("premotor", "int4"), Contestant("peer", "Q4_0")
ONE, LONG = Case("decode", 1), Case("prefill", 1)


def test_contestants_take_turns_case_by_case_and_swap_every_round() -> None:
    assert turns([OURS, PEER], [ONE, LONG], 0) == [(OURS, ONE), (PEER, ONE), (OURS, LONG), (PEER, LONG)]
    assert turns([OURS, PEER], [ONE, LONG], 1) == [(PEER, ONE), (OURS, ONE), (PEER, LONG), (OURS, LONG)]


def test_every_round_measures_every_case_of_everyone() -> None:
    seen: list[tuple[Contestant, Case]] = []

    def measure(contestant: Contestant, case: Case) -> float:
        seen.append((contestant, case))
        return float(len(seen))

    samples = interleave([OURS, PEER], [ONE, LONG], 3, measure, lambda *_: None)
    assert seen == [turn for number in range(3) for turn in turns([OURS, PEER], [ONE, LONG], number)]
    assert samples.of(OURS, ONE) == [1.0, 6.0, 9.0]
    assert samples.of(PEER, LONG) == [4.0, 7.0, 12.0]


def test_who_fails_is_reported_once_and_the_others_go_on() -> None:
    reported: list[tuple[Contestant, str]] = []

    def measure(contestant: Contestant, case: Case) -> float:
        if contestant == PEER and case == LONG:
            raise WorkerFailed("it died")
        return 2.0

    samples = interleave([OURS, PEER], [ONE, LONG], 4, measure, lambda *told: reported.append(told))
    assert reported == [(PEER, "it died")]
    assert samples.of(OURS, ONE) == samples.of(OURS, LONG) == [2.0] * 4
    assert samples.of(PEER, ONE) == [2.0, None, None, None]
    assert samples.of(PEER, LONG) == [None] * 4


def test_a_ratio_is_the_median_of_the_rounds_ratios_not_the_ratio_of_medians() -> None:
    samples = Samples()
    for mine, theirs in ((30.0, 10.0), (8.0, 4.0), (50.0, 10.0)):
        samples.add(OURS, ONE, mine)
        samples.add(PEER, ONE, theirs)
    found = ratio(samples, OURS, PEER, ONE)
    assert found is not None
    assert found.rounds == (3.0, 2.0, 5.0)
    assert found.ratio == 3.0
    assert speed(samples.of(OURS, ONE)) == 30.0


@pytest.mark.parametrize("theirs", [[None, None], [0.0, None], []])
def test_no_round_with_both_is_no_ratio(theirs: list[float | None]) -> None:
    samples = Samples()
    for number in range(2):
        samples.add(OURS, ONE, 5.0)
        if theirs:
            samples.add(PEER, ONE, theirs[number])
    assert ratio(samples, OURS, PEER, ONE) is None


def test_rounds_in_which_one_was_missing_are_left_out_of_the_ratio() -> None:
    samples = Samples()
    for mine, theirs in ((10.0, 5.0), (None, 5.0), (12.0, None), (9.0, 3.0)):
        samples.add(OURS, ONE, mine)
        samples.add(PEER, ONE, theirs)
    found = ratio(samples, OURS, PEER, ONE)
    assert found is not None
    assert found.rounds == (2.0, 3.0)
    assert found.ratio == 2.5
    assert speed([None, None]) is None
