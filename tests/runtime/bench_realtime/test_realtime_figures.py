from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_foundation.errors import UsageError
from premotor_runtime.app.bench_realtime.bars import bars
from premotor_runtime.app.bench_realtime.figures import Collected, figures
from premotor_runtime.app.bench_realtime.llm_load import LlmStep
from premotor_runtime.app.bench_realtime.llm_rates import llm_figures, same_work_tok_s
from premotor_runtime.app.bench_realtime.messages import LlmFound
from premotor_runtime.app.bench_realtime.settings import check_cores, chosen_set_ups
from premotor_runtime.app.bench_realtime.slices import BASES, SET_UPS, slices
from premotor_runtime.app.bench_realtime.statistics import Grid, answers, control_figures, missed_releases
from premotor_runtime.app.core_witness import Stall
from premotor_runtime.executor.period_log import Period

T = 0.02


def _period(release: float, started: float, acted: float, missed: bool = False) -> Period:
    return Period(release, started, started, acted, acted, missed)


def test_a_release_that_passed_unseen_waits_for_the_next_command() -> None:
    grid = Grid(1.0, 5, T)
    periods = [_period(1.0, 1.001, 1.01), _period(1.06, 1.065, 1.075), _period(1.08, 1.081, 1.09)]
    found = answers(grid, periods, T)
    assert found.missed.tolist() == [False, True, True, False, False]
    assert found.response_s == pytest.approx([0.01, 0.055, 0.035, 0.015, 0.01])
    assert found.lateness_s == pytest.approx([0.001, 0.045, 0.025, 0.005, 0.001])


def test_a_command_after_the_deadline_is_a_miss_whatever_the_loop_says() -> None:
    periods = [_period(1.0, 1.0, 1.021), _period(1.02, 1.021, 1.03, missed=True), _period(1.04, 1.04, 1.05)]
    assert answers(Grid(1.0, 3, T), periods, T).missed.tolist() == [True, True, False]


def test_periods_of_other_slices_answer_nothing() -> None:
    found = answers(Grid(1.0, 2, T), [_period(0.99, 0.99, 0.995), _period(5.0, 5.0, 5.01)], T)
    assert found.missed.all() and found.response_s == pytest.approx([4.01, 3.99])


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_counts_are_of_releases(ran: list[bool]) -> None:
    grid = Grid(3.0, len(ran), T)
    periods = [_period(at, at, at + 0.01) for at, yes in zip(grid.releases_s.tolist(), ran, strict=True) if yes]
    found = control_figures([answers(grid, [*periods, _period(9.0, 9.0, 9.01)], T)])
    runs = "".join(".x"[not yes] for yes in ran).split(".")
    assert (found.periods, found.misses) == (len(ran), ran.count(False))
    assert found.longest_run == max(map(len, runs))
    assert found.response_ms.max >= 10.0 - 1e-6


def test_a_missed_release_tells_what_was_withheld_of_its_time() -> None:
    grid = Grid(1.0, 3, T)
    periods = [_period(1.0, 1.0, 1.01), _period(1.02, 1.021, 1.045), _period(1.06, 1.06, 1.07)]
    stalls = [Stall(0.99, 1.005), Stall(1.015, 1.024), Stall(1.03, 1.037), Stall(1.039, 1.09)]
    found = missed_releases(grid, answers(grid, periods, T), stalls, T)
    assert [each.release_s for each in found] == pytest.approx([1.02, 1.04])
    assert [each.response_ms for each in found] == pytest.approx([25.0, 5.0])
    assert [each.withheld_ms for each in found] == pytest.approx([4.0 + 7.0 + 1.0, 20.0])
    assert [each.withheld_ms for each in missed_releases(grid, answers(grid, periods, T), [], T)] == [0.0, 0.0]


def test_slices_share_out_the_releases_and_take_turns() -> None:
    order = slices(60.0, [*SET_UPS, *BASES], T)
    settling, order = order[:6], order[6:]
    assert all(not each.counted and each.releases == 200 for each in settling) and all(each.counted for each in order)
    assert {each.measured for each in settling} == {*SET_UPS, *BASES}
    totals: Counter[str] = Counter()
    for each in order:
        totals[each.measured] += each.releases
    assert set(totals.values()) == {3000} and set(totals) == {*SET_UPS, *BASES}
    rounds = [order[at : at + 6] for at in range(0, len(order), 6)]
    assert all({each.measured for each in part} == set(totals) for part in rounds) and len(rounds) == 5
    assert len({tuple(each.measured for each in part) for part in rounds}) > 1
    assert order == slices(60.0, [*SET_UPS, *BASES], T)[6:]
    assert [each.releases for each in slices(1.0, ["idle"], T)] == [50, 50]
    assert sum(each.releases for each in slices(2.5, ["idle"], T) if each.counted) == 125


def test_rates_are_compared_over_the_same_work() -> None:
    steps = (LlmStep(0, 1, 100, 0), LlmStep(1, 2, 100, 0), LlmStep(5, 6, 0, 20), LlmStep(6, 7, 0, 20))
    alone = LlmFound(steps, ((0, 2), (5, 7)))
    assert llm_figures(alone).tok_s == pytest.approx(60.0) and llm_figures(alone).output_tok_s == pytest.approx(10.0)
    assert same_work_tok_s(alone, 100) == pytest.approx(100.0)
    assert same_work_tok_s(alone, 200) == pytest.approx(100.0)
    assert same_work_tok_s(alone, 220) == pytest.approx(220 / 3)
    assert same_work_tok_s(alone, 10**6) == pytest.approx(60.0)
    assert same_work_tok_s(LlmFound((), ()), 5) == llm_figures(LlmFound((), ())).tok_s == 0.0


def test_bars_are_met_and_missed(collected: Collected) -> None:
    met = {line.measure.split(",")[0]: line for line in bars(figures(collected))}
    assert [line.met for line in met.values()] == [True] * 6
    assert met["own lane: deadlines missed"].result == "0 of 100"
    assert "response" in list(met)[-1]
    naive = figures(collected).set_ups["naive"]
    assert (naive.control.misses, naive.control.longest_run, naive.cpu_share) == (59, 59, None)
    shared = figures(collected).set_ups["shared_lane"]
    assert shared.cpu_share == pytest.approx(0.4) and shared.llm_share == pytest.approx(0.1 / 0.18)
    assert (shared.llm.bounded_steps, shared.llm.steps_past_release) == (3, 1)


def test_the_idle_loop_excuses_lateness_that_is_the_machines(collected: Collected) -> None:
    found = figures(collected)
    own = found.set_ups["own_lane"]
    late = replace(own, control=replace(own.control, lateness_ms=replace(own.control.lateness_ms, p999=2.9)))
    jittery = replace(found, set_ups={"own_lane": late}, idle_lateness_ms=replace(found.idle_lateness_ms, p999=2.0))
    quiet = replace(jittery, idle_lateness_ms=replace(found.idle_lateness_ms, p999=0.4))
    assert [bars(each)[1].met for each in (jittery, quiet)] == [True, False]
    assert len(bars(replace(found, set_ups={}))) == 0


def test_wrong_usage_is_refused_with_the_remedy() -> None:
    assert chosen_set_ups(["shared_lane", "naive"]) == ("naive", "shared_lane") and chosen_set_ups([]) == SET_UPS
    with pytest.raises(UsageError, match=r"no set-up `gpu`; known: naive, threads, own_lane, shared_lane"):
        chosen_set_ups(["gpu"])
    check_cores({0, 1, 5})
    with pytest.raises(UsageError, match=r"cores 0 and 1, and may use 1 here"):
        check_cores({1})


def test_releases_lie_on_a_grid() -> None:
    assert np.diff(Grid(7.0, 4, T).releases_s) == pytest.approx([T] * 3)
