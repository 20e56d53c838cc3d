from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.processes.board import OwnedBoard
from premotor_runtime.processes.layout import BoardLayout
from premotor_runtime.processes.pacing import StepPacer
from premotor_runtime.processes.publisher import ForecastPublisher
from premotor_runtime.processes.sharing import POLL_NS, STALE_NS, budget_until, decide
from premotor_runtime.scheduler.forecast import LaneForecast
from premotor_runtime.scheduler.slack import Offer

MS = 1_000_000
OFFER = Offer(0, True, shortest_ns=MS, longest_ns=50 * MS, margin_ns=MS, tolerance_ns=0)
TIMES = st.integers(0, 10**10)


@pytest.fixture
def board() -> Iterator[OwnedBoard]:
    with OwnedBoard(BoardLayout(("core",))) as made:
        yield made


@given(TIMES, TIMES, st.none() | TIMES, st.booleans(), st.integers(MS, 60 * MS), st.integers(0, 5 * MS))
def test_a_bounded_step_ends_before_the_next_release_or_is_not_begun(
    now: int, free_at: int, release: int | None, queues: bool, longest: int, margin: int
) -> None:
    offer = OFFER._replace(longest_ns=longest, margin_ns=margin)
    grant = decide(LaneForecast("core", free_at, release, 0), offer, StepBudget(), now, queues)
    if grant.budget is None:
        assert grant.again_at_ns > now
        assert release is not None
        return
    assert grant.again_at_ns == now
    if grant.budget.time_budget_s is None:
        assert release is None or now - release > STALE_NS
        return
    assert release is not None
    begins = max(now, free_at) if queues else now
    assert begins + grant.budget.time_budget_s * 1e9 <= release - margin + 1
    assert MS <= round(grant.budget.time_budget_s * 1e9) <= longest
    assert queues or free_at <= now


def test_without_a_forecast_or_a_bound_a_step_is_free(board: OwnedBoard) -> None:
    reader = board.forecast_reader("core")
    assert budget_until(reader, OFFER, StepBudget(), 5).budget == StepBudget()
    board.forecast_writer("core").publish(0, 6 * MS, MS, 0)
    assert budget_until(reader, OFFER._replace(bounded=False), StepBudget(), 5).budget == StepBudget()
    bounded = budget_until(reader, OFFER, StepBudget(), 5).budget
    assert bounded is not None
    assert bounded.time_budget_s == pytest.approx(0.005, abs=1e-6)


def test_no_step_while_the_reflex_is_at_work_late_or_about_to_begin(board: OwnedBoard) -> None:
    reader, writer = board.forecast_reader("core"), board.forecast_writer("core")
    writer.publish(8 * MS, 20 * MS, 8 * MS, 0)
    assert budget_until(reader, OFFER, StepBudget(), MS) == (None, MS + POLL_NS)
    writer.publish(8 * MS, 20 * MS, 8 * MS, 8 * MS)
    assert budget_until(reader, OFFER, StepBudget(), 19 * MS) == (None, 20 * MS + POLL_NS)
    assert budget_until(reader, OFFER, StepBudget(), 23 * MS) == (None, 23 * MS + POLL_NS)
    assert budget_until(reader, OFFER, StepBudget(), 20 * MS + STALE_NS + 1).budget == StepBudget()


def test_a_clock_behind_the_forecast_gains_no_time(board: OwnedBoard) -> None:
    board.forecast_writer("core").publish(0, 100 * MS, MS, 90 * MS)
    budget = budget_until(board.forecast_reader("core"), OFFER, StepBudget(), now_ns=0).budget
    assert budget is not None
    assert budget.time_budget_s == pytest.approx(0.009)


def test_the_publisher_says_when_the_lane_is_free_and_remembers_the_longest_period(board: OwnedBoard) -> None:
    publisher = ForecastPublisher([board.forecast_writer("core")], board.heartbeat_writer("reflex"), 3 * MS)
    reader = board.forecast_reader("core")
    publisher.period_begins(1.0, 1.02)
    assert reader.read().lane == LaneForecast("core", 1003 * MS, 1020 * MS, 3 * MS)
    publisher.period_ended(1.006, 1.02)
    assert reader.read().lane == LaneForecast("core", 1006 * MS, 1020 * MS, 6 * MS)
    for number in range(1, 300):
        publisher.period_begins(1 + number * 0.02, 1.02 + number * 0.02)
        publisher.period_ended(1.001 + number * 0.02, 1.02 + number * 0.02)
    assert MS <= publisher.expected_ns <= 1.1 * MS
    assert board.heartbeat_reader("reflex").read().counter == 600
    publisher.withdraw(10_000 * MS)
    assert reader.read().lane == LaneForecast("core", 10_000 * MS, None, 0)


def test_the_pacer_waits_for_its_grant_and_says_what_is_in_flight(board: OwnedBoard) -> None:
    now = [19 * MS]

    def sleep(seconds: float) -> None:
        now[0] += round(seconds * 1e9)
        if now[0] >= 20 * MS:
            writer.publish(now[0], 40 * MS, MS, now[0])

    writer = board.forecast_writer("core")
    writer.publish(0, 20 * MS, MS, 0)
    heart = board.heartbeat_writer("brain")
    pacer = StepPacer(board.forecast_reader("core"), heart, board.step_writer(), lambda: now[0], sleep, OFFER)
    budget = pacer.begin(StepBudget())
    assert now[0] == 20 * MS + POLL_NS
    assert budget.time_budget_s == pytest.approx(0.01875)
    step = board.step_reader().read()
    assert step is not None
    assert (step.started_ns, step.budget_ns) == (now[0], 18_750_000)
    pacer.end()
    assert board.step_reader().read() is None
    assert board.heartbeat_reader("brain").read().counter == 2
    assert pacer.waited_ns == now[0] - 19 * MS


def test_with_a_lane_of_its_own_every_step_is_free(board: OwnedBoard) -> None:
    pacer = StepPacer(None, board.heartbeat_writer("brain"), board.step_writer(), lambda: 1, lambda _: None)
    assert pacer.begin(StepBudget()) == StepBudget()
