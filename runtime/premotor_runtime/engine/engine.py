"""The engine: requests in, one bounded step at a time, outputs out. It has no loop and no thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from premotor_runtime.engine.admission import Limits, check, check_deadline
from premotor_runtime.engine.answers.decoding import Decoder
from premotor_runtime.engine.answers.scoring_queue import ScoringQueue
from premotor_runtime.engine.batcher import StepBudget, StepPlan, plan_step
from premotor_runtime.engine.chunks import Chunks
from premotor_runtime.engine.cost.calibration import Calibration
from premotor_runtime.engine.cost.forecast import forecast_s
from premotor_runtime.engine.cost.part_time import PartTime
from premotor_runtime.engine.cost.step_cost import StepCost
from premotor_runtime.engine.cost.step_load import NOTHING, AttentionShape, StepLoad
from premotor_runtime.engine.decode_ahead import Ahead, decode_ahead, steps_ahead
from premotor_runtime.engine.forward_pass import ForwardPass
from premotor_runtime.engine.grammars.matcher import GrammarCompiler
from premotor_runtime.engine.kv.forking import BlockCopier, split_off
from premotor_runtime.engine.kv.kv_cache import KVCache
from premotor_runtime.engine.kv.residency import Residency
from premotor_runtime.engine.metrics import EngineMetrics, render
from premotor_runtime.engine.observing import observe_finish, observe_tokens
from premotor_runtime.engine.request import FinishReason, Request, RequestOutput, RequestState
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.engine.step_result import StepResult
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import DecodingRunner, ModelRunner, PausableRunner

__all__ = ["Engine", "StepResult"]

_DRAFTING = 2


@dataclass(frozen=True)
class _Begun:
    """What a step knows of itself before the model runs."""

    started: float
    planned: float
    preempted: list[str] = field(default_factory=list)
    deferred: list[Sequence] = field(default_factory=list)
    rows: int = 0


class Engine:
    """Continuous batching with paged memory, prefix reuse and grammars. `clock` returns seconds, monotonic.

    With `refuse_late`, requests are refused whose deadline the cost model predicts to be missed; off by default, since
    the prediction assumes that every answer takes all its `max_tokens`. Not thread-safe: one owner calls `add`,
    `cancel` and `step`.
    """

    def __init__(
        self,
        runner: ModelRunner,
        tokenizer: Tokenizer,
        clock: Callable[[], float],
        salt: str = "",
        refuse_late: bool = False,
    ) -> None:
        config = runner.config
        self._runner = runner
        self._clock = clock
        self._refuse_late = refuse_late
        self.grammars = GrammarCompiler(tokenizer, config.vocab_size)
        self.kv = KVCache(runner.num_blocks, runner.block_size, salt)
        self.cost = StepCost()
        self.metrics = EngineMetrics()
        self.limits = Limits(
            config.vocab_size,
            config.max_position_embeddings,
            runner.num_blocks,
            runner.block_size,
            frozenset(runner.adapter_names),
        )
        self._shape = AttentionShape.of(config)
        self._decoder = Decoder(tokenizer)
        self._chunks = Chunks(self._decoder, self.kv, runner)
        self._residency = Residency(self.kv)
        self._scoring = ScoringQueue(runner, self.cost, clock)
        self._alive: dict[str, list[Sequence]] = {}
        self._cancelled: list[RequestOutput] = []
        self._arrivals = 0
        self._budget = StepBudget()
        self._unlearned: tuple[StepLoad, float] | None = None
        self._paused: ForwardPass | None = None
        self._before, self._after = PartTime(), PartTime()

    @property
    def max_model_len(self) -> int:
        """The most tokens, prompt and output together, that a request may have."""
        return self.limits.max_model_len

    @property
    def num_requests_waiting(self) -> int:
        """Requests that have no memory yet, or no more; each sample counts."""
        return len(self._residency.waiting)

    @property
    def num_requests_running(self) -> int:
        """Requests that hold memory; each sample counts."""
        return len(self._residency.running)

    @property
    def has_work(self) -> bool:
        """Whether `step` would do or report anything."""
        return bool(self._alive or self._cancelled)

    def metrics_text(self, model_name: str) -> str:
        """The metrics in Prometheus' text format."""
        gauges = {
            "vllm:num_requests_running": self.num_requests_running,
            "vllm:num_requests_waiting": self.num_requests_waiting,
            "vllm:kv_cache_usage_perc": self.kv.pool.num_used / self.kv.pool.num_blocks,
        }
        return render(self.metrics, gauges, {"model_name": model_name, "engine": "0"})

    def calibrate(self, budget: StepBudget, seconds: float = 2.0) -> float:
        """Learn what steps up to the size of `budget` cost, for about `seconds`; returns how long it took.

        Without it the first timed steps are small probes. Cached prefixes may be lost. Raises ValueError while
        requests are being worked on.
        """
        if self.has_work:
            raise ValueError("an engine can be calibrated only while it has no work; do it at start-up")
        return Calibration(self._runner, self.kv.pool, self.cost, self._clock, budget).run(seconds)

    def add(self, request: Request) -> None:
        """Queue a request at its place: priority, then deadline, then arrival.

        Raises RequestError when it could never run (empty, too long, unknown tokens, an id in use), GrammarError when
        its grammar does not compile, and DeadlineError when it would be late (see `refuse_late`).
        """
        check(request, self._alive, self.limits)
        now = self._clock()
        matcher = None if request.grammar is None else self.grammars.matcher(request.grammar)
        random = np.random.default_rng(request.sampling.seed)
        sequence = Sequence(
            request, now, matcher, random, list(request.prompt), number=self._arrivals, twins=request.n - 1
        )
        self._refuse_when_late(sequence)
        self._arrivals += 1
        self._decoder.take_forced(sequence)
        self._alive[request.request_id] = [sequence]
        self._residency.queue(sequence)
        if sequence.finish_reason is not None:
            self._split(sequence)

    def cancel(self, request_id: str) -> bool:
        """End a request now and give its memory back; it is reported by the next step. False for an unknown id."""
        if request_id not in self._alive:
            return False
        if self._paused is not None and any(map(self._paused.concerns, self._alive[request_id])):
            self._paused.abandon()
            self._paused = None
        for sequence in list(self._alive[request_id]):
            self._split(sequence)
        for sequence in list(self._alive[request_id]):
            self._cancelled.append(self._finish(sequence, "cancelled"))
        return True

    def step(self, budget: StepBudget) -> StepResult:
        """Do at most what `budget` allows, and say what was done. A pass that was paused is gone on with first."""
        started = self._clock()
        ends_by = None if budget.time_budget_s is None else started + budget.time_budget_s
        self._budget = budget
        if self._unlearned is not None:
            self.cost.learn(*self._unlearned)
            self._unlearned = None
        if self._paused is not None:
            return self._finish_pass(self._paused, _Begun(started, started), ends_by)
        preempted = self._residency.admit(budget.max_num_seqs, started)
        rows = self._scoring.begin(budget.max_scored_rows, ends_by)
        self._guess()
        planned = self._clock()
        in_parts = budget.may_pause and ends_by is not None and isinstance(self._runner, PausableRunner)
        plan = self._plan(budget, self._left_to_plan(ends_by, planned, in_parts))
        steps = 1 if in_parts else self._steps_ahead(plan, budget, None if ends_by is None else ends_by - self._clock())
        shares = plan.shares if steps == 1 else [(sequence, steps) for sequence, _ in plan.shares]
        batch = self._residency.reserve(shares, preempted)
        once = batch if steps == 1 else [(sequence, 1) for sequence, _ in batch]
        load = plan.load if len(batch) == len(plan.shares) else NOTHING.plus_all(once, self._shape)
        begun = _Begun(started, planned, preempted, plan.deferred, rows)
        if self.kv.copies:
            self._copy_blocks()
        if steps > 1:
            return self._close_step(begun, ends_by, (0, self._decode_ahead(batch, steps)), load, steps)
        if not batch:
            return self._close_step(begun, ends_by, (0, 0), None, 1)
        chunks = [self._chunks.chunk(sequence, count) for sequence, count in batch]
        forward = ForwardPass(self._runner, batch, chunks, load, in_parts)
        if in_parts:
            self._before.note(self._clock() - started)
        return self._finish_pass(forward, begun, ends_by)

    def _refuse_when_late(self, sequence: Sequence) -> None:
        request = sequence.request
        if not self._refuse_late or request.deadline is None:
            return
        inside = [*self._residency.running, *self._residency.waiting]
        ahead = [other for other in inside if other.rank < sequence.rank]
        cached = len(self.kv.index.match(request.prompt, sequence.reusable, sequence.salt)) * self.kv.block_size
        predicted = forecast_s(request, cached, ahead, self.cost.forward, self._budget)
        check_deadline(request.request_id, predicted, request.deadline - sequence.arrived)

    def _left_to_plan(self, ends_by: float | None, now: float, in_parts: bool) -> float | None:
        """Seconds that a pass must fit into; None for a pass of any length."""
        if ends_by is None or (in_parts and ends_by - now > self._before.expected_s):
            return None
        return 0.0 if in_parts else ends_by - now

    def _finish_pass(self, forward: ForwardPass, begun: _Begun, ends_by: float | None) -> StepResult:
        """Compute as far as there is time for, and take what was computed; or say that it is paused."""
        self._paused = None
        counts = _count(forward.batch)
        done = forward.advance(None if ends_by is None else ends_by - self._clock())
        computed = self._clock()
        if not done or (forward.in_parts and ends_by is not None and computed + self._after.expected_s > ends_by):
            return self._pause(forward, begun)
        self._take(forward)
        result = self._close_step(begun, ends_by, counts, None if forward.was_paused else forward.load, 1)
        if forward.in_parts:
            self._after.note(self._clock() - computed)
        return result

    def _pause(self, forward: ForwardPass, begun: _Begun) -> StepResult:
        self._paused, forward.was_paused = forward, True
        seconds = self._clock() - begun.started
        self._count_step(begun.preempted, (), seconds)
        finished, self._cancelled = tuple(self._cancelled), []
        return StepResult(finished, {}, 0, 0, begun.rows, tuple(begun.preempted), duration_s=seconds, paused=True)

    def _close_step(
        self, begun: _Begun, ends_by: float | None, counts: tuple[int, int], load: StepLoad | None, steps: int
    ) -> StepResult:
        """Hand on what there is to tell; `load` is None where the time taken says nothing about it."""
        emitted, text = self._take_fresh()
        self._move_to_scoring()
        rows = begun.rows + self._scoring.advance(self._budget.max_scored_rows - begun.rows, ends_by)
        deferred: tuple[str, ...] = ()
        if ends_by is not None:
            deferred = (*[sequence.key for sequence in begun.deferred], *self._scoring.deferred)
        finished = self._collect()
        seconds = self._clock() - begun.started
        self._count_step(begun.preempted, deferred, seconds)
        if load is not None and any(counts):
            spent = begun.planned - begun.started + self._scoring.spent_s
            self._unlearned = load, (seconds - spent) / steps
        return StepResult(finished, emitted, *counts, rows, tuple(begun.preempted), text, deferred, seconds)

    def _plan(self, budget: StepBudget, left: float | None) -> StepPlan[Sequence]:
        """Who is computed in this step; `left` seconds remain for it."""
        self._residency.adopt()
        pending = [sequence for sequence in self._residency.running if sequence.finish_reason is None]
        if left is None:
            return plan_step(pending, budget, self._shape)
        if left <= 0.0:
            return StepPlan([], pending, NOTHING)
        plan = plan_step(pending, budget, self._shape, lambda load: self.cost.fits(load, left))
        if plan.deferred and not plan.shares:
            first = plan.deferred[0]
            smallest = NOTHING.plus(first, 1, self._shape)
            if self.cost.may_try(smallest, left):
                return StepPlan([(first, 1)], plan.deferred[1:], smallest)
        return plan

    def _steps_ahead(self, plan: StepPlan[Sequence], budget: StepBudget, left: float | None) -> int:
        if not isinstance(self._runner, DecodingRunner):
            return 1

        def fits(steps: int) -> bool:
            last = NOTHING.plus_all(((Ahead(s, steps), 1) for s, _ in plan.shares), self._shape)
            return left is None or self.cost.fits(last, left / steps)

        return steps_ahead(plan.shares, budget, self.kv, self._decoder, fits)

    def _decode_ahead(self, batch: list[tuple[Sequence, int]], steps: int) -> int:
        assert isinstance(self._runner, DecodingRunner)
        taken = decode_ahead(self._runner, self._decoder, self.kv, batch, steps)
        now = self._clock()
        for sequence, _ in batch:
            observe_tokens(self.metrics, sequence, now)
        return taken

    def _guess(self) -> None:
        """Guess ahead while few requests run: with many, the passes are better filled with their own tokens."""
        for sequence in self._residency.running:
            few = len(self._residency.running) <= _DRAFTING and sequence.finish_reason is None
            sequence.draft = self._decoder.draft(sequence) if few else []

    def _take(self, forward: ForwardPass) -> None:
        """Move sequences on by what a pass has computed."""
        assert forward.outputs is not None
        chosen: list[Sequence] = []
        for (sequence, count), chunk, output in zip(forward.batch, forward.chunks, forward.outputs, strict=True):
            due = self._chunks.take(sequence, count, chunk, output)
            if due == "chosen":
                chosen.append(sequence)
            elif due == "choose":
                for each in (sequence, *self._split(sequence)):
                    self._decoder.extend(each, chunk.among, output)
                    chosen.append(each)
        now = self._clock()
        for sequence in chosen:
            observe_tokens(self.metrics, sequence, now)

    def _copy_blocks(self) -> None:
        if not isinstance(self._runner, BlockCopier):
            raise TypeError("blocks are shared only where the runner can copy them")
        self._runner.copy_blocks(self.kv.copies)
        self.kv.copies.clear()

    def _split(self, sequence: Sequence) -> list[Sequence]:
        """Make the further samples of `sequence`, and put them where it is."""
        if not sequence.twins:
            return []
        twins = split_off(sequence, self.kv, self._runner)
        for twin in twins:
            self._alive[twin.request.request_id].append(twin)
            if sequence.state is RequestState.RUNNING:
                self._residency.enter(twin)
            else:
                self._residency.queue(twin)
        return twins

    def _take_fresh(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        emitted, text = {}, {}
        for sequence in self._residency.running:
            if sequence.reported != len(sequence.output):
                emitted[sequence.key] = sequence.take_fresh()
            if sequence.request.stream and (shown := sequence.take_text()):
                text[sequence.key] = shown
        return emitted, text

    def _move_to_scoring(self) -> None:
        for sequence in [s for s in self._residency.running if s.finish_reason is not None]:
            if sequence.request.full_logprobs and sequence.finish_reason in ("stop", "length"):
                self._residency.leave(sequence)
                sequence.move(RequestState.SCORING)
                self._scoring.put(sequence)

    def _collect(self) -> tuple[RequestOutput, ...]:
        ended = [s for s in self._residency.running if s.finish_reason is not None]
        ended += self._scoring.done()
        finished, self._cancelled = self._cancelled, []
        for sequence in ended:
            finished.append(self._finish(sequence, sequence.finish_reason or "error"))
        return tuple(finished)

    def _finish(self, sequence: Sequence, reason: FinishReason) -> RequestOutput:
        self._residency.leave(sequence)
        self._scoring.drop(sequence)
        siblings = self._alive[sequence.request.request_id]
        siblings.remove(sequence)
        if not siblings:
            del self._alive[sequence.request.request_id]
        sequence.finish_reason = reason
        sequence.move(RequestState.FINISHED)
        observe_finish(self.metrics, sequence, self._clock())
        return sequence.result()

    def _count_step(self, preempted: list[str], deferred: tuple[str, ...], seconds: float) -> None:
        self.metrics.step_time_seconds.observe(seconds)
        self.metrics.num_preemptions += len(preempted)
        self.metrics.num_deferred += len(deferred)


def _count(batch: list[tuple[Sequence, int]]) -> tuple[int, int]:
    """Prompt tokens and output tokens of a batch."""
    prefill = decode = 0
    for sequence, count in batch:
        if sequence.decoding:
            decode += count
        else:
            prefill += count
    return prefill, decode
