"""The engine: requests in, one bounded step at a time, outputs out. It has no loop and no thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from premotor_runtime.engine.admission import check
from premotor_runtime.engine.batcher import Pending, StepBudget, plan_step
from premotor_runtime.engine.decoding import Decoder
from premotor_runtime.engine.grammar import GrammarCompiler
from premotor_runtime.engine.kv_cache import KVCache
from premotor_runtime.engine.request import FinishReason, Request, RequestOutput, RequestState
from premotor_runtime.engine.residency import Residency
from premotor_runtime.engine.scoring import Scoring
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import Chunk, ModelRunner


@dataclass(frozen=True)
class StepResult:
    """What one step did. `emitted` holds new output tokens by request; `num_scored_rows` rows went to full scores."""

    finished: tuple[RequestOutput, ...]
    emitted: dict[str, tuple[int, ...]]
    num_prefill_tokens: int
    num_decode_tokens: int
    num_scored_rows: int
    preempted: tuple[str, ...]

    @property
    def num_batched_tokens(self) -> int:
        """Tokens that went through the model."""
        return self.num_prefill_tokens + self.num_decode_tokens


class Engine:
    """Continuous batching with paged memory, prefix reuse and grammars. `clock` returns seconds, monotonic.

    Not thread-safe: one owner calls `add`, `cancel` and `step`.
    """

    def __init__(self, runner: ModelRunner, tokenizer: Tokenizer, clock: Callable[[], float], salt: str = "") -> None:
        self._runner = runner
        self._clock = clock
        self.grammars = GrammarCompiler(tokenizer, runner.config.vocab_size)
        self.kv = KVCache(runner.num_blocks, runner.block_size, salt)
        self._decoder = Decoder(tokenizer.eos_token_ids)
        self._residency = Residency(self.kv)
        self._scoring: list[tuple[Sequence, Scoring]] = []
        self._cancelled: list[RequestOutput] = []

    @property
    def max_model_len(self) -> int:
        """The most tokens, prompt and output together, that a request may have."""
        memory = self._runner.num_blocks * self._runner.block_size
        return min(self._runner.config.max_position_embeddings, memory)

    @property
    def num_requests_waiting(self) -> int:
        """Requests that have no memory yet, or no more."""
        return len(self._residency.waiting)

    @property
    def num_requests_running(self) -> int:
        """Requests that hold memory."""
        return len(self._residency.running)

    @property
    def has_work(self) -> bool:
        """Whether `step` would do or report anything."""
        return bool(self._residency.waiting or self._residency.running or self._scoring or self._cancelled)

    def add(self, request: Request) -> None:
        """Queue a request, after all earlier ones.

        Raises RequestError when it could never run (empty, too long, unknown tokens, an id in use) and GrammarError
        when its grammar does not compile.
        """
        in_use = {sequence.request.request_id for sequence in self._sequences()}
        check(request, in_use, self._runner.config.vocab_size, self.max_model_len)
        matcher = None if request.grammar is None else self.grammars.matcher(request.grammar)
        random = np.random.default_rng(request.sampling.seed)
        sequence = Sequence(request, self._clock(), matcher, random, list(request.prompt))
        self._decoder.take_forced(sequence)
        self._residency.waiting.append(sequence)

    def cancel(self, request_id: str) -> bool:
        """End a request now and give its memory back; it is reported by the next step. False for an unknown id."""
        for sequence in self._sequences():
            if sequence.request.request_id == request_id:
                self._forget(sequence)
                self._cancelled.append(self._finish(sequence, "cancelled"))
                return True
        return False

    def step(self, budget: StepBudget) -> StepResult:
        """Do at most what `budget` allows, and say what was done."""
        self._residency.admit(budget.max_num_seqs)
        batch, preempted = self._residency.reserve(self._plan(budget))
        prefill = sum(count for sequence, count in batch if not sequence.decoding)
        decode = sum(count for sequence, count in batch if sequence.decoding)
        self._forward(batch)
        fresh = {sequence.request.request_id: sequence.take_fresh() for sequence in self._residency.running}
        emitted = {request_id: tokens for request_id, tokens in fresh.items() if tokens}
        rows = self._score(budget.max_scored_rows)
        return StepResult(self._collect(), emitted, prefill, decode, rows, preempted)

    def _sequences(self) -> list[Sequence]:
        return [*self._residency.waiting, *self._residency.running, *(sequence for sequence, _ in self._scoring)]

    def _plan(self, budget: StepBudget) -> dict[str, int]:
        pending = [
            Pending(sequence.request.request_id, sequence.pending, sequence.decoding)
            for sequence in self._residency.running
            if sequence.finish_reason is None
        ]
        return plan_step(pending, budget)

    def _forward(self, batch: list[tuple[Sequence, int]]) -> None:
        if not batch:
            return
        chunks = [self._chunk(sequence, count) for sequence, count in batch]
        outputs = self._runner.step(chunks)
        for (sequence, count), chunk, output in zip(batch, chunks, outputs, strict=True):
            sequence.keep_hidden(chunk.wanted, output.hidden)
            sequence.computed += count
            sequence.forward_passes += 1
            self.kv.commit(sequence.table, sequence.tokens, sequence.computed)
            if sequence.pending == 0:
                self._decoder.extend(sequence, chunk.among, output)
        now = self._clock()
        for sequence, _ in batch:
            if sequence.decoding:
                sequence.stamp(now)

    def _chunk(self, sequence: Sequence, count: int) -> Chunk:
        stop = sequence.computed + count
        pick, among = self._decoder.ask(sequence) if stop == len(sequence.tokens) else ("nothing", None)
        tokens = sequence.tokens[sequence.computed : stop]
        return Chunk(tokens, sequence.computed, sequence.table.blocks, sequence.wanted(count), pick, among)

    def _score(self, rows: int) -> int:
        """Move ended requests on to scoring where they want it, and spend `rows` rows on the earliest ones."""
        ended = [s for s in self._residency.running if s.finish_reason in ("stop", "length")]
        for sequence in [s for s in ended if s.request.full_logprobs]:
            self._forget(sequence)
            sequence.move(RequestState.SCORING)
            self._scoring.append((sequence, Scoring(sequence, self._runner)))
        used = 0
        for _, scoring in self._scoring:
            if used < rows and not scoring.done:
                used += scoring.advance(rows - used)
        return used

    def _collect(self) -> tuple[RequestOutput, ...]:
        ended = [s for s in self._residency.running if s.finish_reason is not None]
        ended += [sequence for sequence, scoring in self._scoring if scoring.done]
        finished, self._cancelled = self._cancelled, []
        for sequence in ended:
            self._forget(sequence)
            finished.append(self._finish(sequence, sequence.finish_reason or "error"))
        return tuple(finished)

    def _forget(self, sequence: Sequence) -> None:
        self._residency.leave(sequence)
        self._scoring = [pair for pair in self._scoring if pair[0] is not sequence]

    def _finish(self, sequence: Sequence, reason: FinishReason) -> RequestOutput:
        sequence.finish_reason = reason
        sequence.move(RequestState.FINISHED)
        return sequence.result()
