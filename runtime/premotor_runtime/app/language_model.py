"""The planners' `LanguageModel`, implemented with the engine."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from premotor_planners.task.language_model import Generation
from premotor_runtime.app.checkpoints import PlannerModel
from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine, StepResult
from premotor_runtime.engine.request import Request, RequestOutput
from premotor_runtime.executor.clock import Clock
from premotor_runtime.executor.records import Record, Span
from premotor_runtime.processes.pacing import StepPacer

LANE = "brain"


class EngineLanguageModel:
    """Satisfies `LanguageModel`: one request at a time, greedy; every engine step becomes a record.

    A `pacer` bounds the steps by what shares their lane; without one each takes as long as it needs.
    """

    def __init__(
        self,
        planner: PlannerModel,
        clock: Clock,
        prefill_chunk_tokens: int,
        draft_tokens: int = 0,
        pacer: StepPacer | None = None,
    ) -> None:
        loaded = planner.loaded
        self._name = planner.name
        self._tokenizer = loaded.tokenizer
        self._engine = Engine(loaded.runner, loaded.tokenizer, clock.now, loaded.salt)
        self._clock = clock
        self._pacer = pacer
        self._draft_tokens = draft_tokens
        self._budget = StepBudget(prefill_chunk_tokens, may_pause=True)
        self._ids = itertools.count()
        self.records: list[Record] = []

    @property
    def name(self) -> str:
        """The checkpoint's name, as reported in results."""
        return self._name

    def generate(self, blocks: Sequence[str], grammar: str, max_tokens: int) -> Generation:
        """See `LanguageModel.generate`; raises the engine's RequestError and GrammarError."""
        prompt = tuple(self._tokenizer.encode_blocks(blocks))
        name = f"plan-{next(self._ids)}"
        request = Request(name, prompt, max_tokens, grammar, full_logprobs=True, draft_tokens=self._draft_tokens)
        return self._generation(self._complete(request))

    def warm(self, block: str) -> None:
        """Build the grammar tables, and compute the cacheable first block, so that only the task's words are left.

        One token is decoded too: the first decode touches memory, which must not happen beside a robot that moves.
        """
        self._engine.grammars.warm_up()
        prompt = tuple(self._tokenizer.encode_blocks([block]))
        self._complete(Request(f"warm-{next(self._ids)}", prompt, 2, ignore_eos=True))

    def _complete(self, request: Request) -> RequestOutput:
        self._engine.add(request)
        while True:
            result = self._step()
            for output in result.finished:
                if output.request_id == request.request_id:
                    return output

    def _step(self) -> StepResult:
        budget = self._budget if self._pacer is None else self._pacer.begin(self._budget)
        started = self._clock.now()
        result = self._engine.step(budget)
        self.records.append(_span(result, started, self._clock.now()))
        if self._pacer is not None:
            self._pacer.end()
        return result

    def _generation(self, output: RequestOutput) -> Generation:
        return Generation(
            text=self._tokenizer.decode(output.token_ids),
            finish_reason=output.finish_reason,
            tokens=tuple(self._tokenizer.decode([token]) for token in output.token_ids),
            logprobs_full=tuple(token.logprob_full or 0.0 for token in output.tokens),
            logprobs_allowed=tuple(token.logprob_allowed for token in output.tokens),
            prompt_tokens=output.prompt_tokens,
            output_tokens=output.output_tokens,
            forced_tokens=output.forced_tokens,
            ttft_s=output.ttft_s,
            decode_s=output.decode_s,
        )


def _span(result: StepResult, started: float, ended: float) -> Span:
    if result.paused:
        return Span(LANE, "part of a step", started, ended)
    name = "prefill" if result.num_prefill_tokens else "decode" if result.num_decode_tokens else "score"
    counts = {
        "prefill_tokens": result.num_prefill_tokens,
        "decode_tokens": result.num_decode_tokens,
        "scored_rows": result.num_scored_rows,
    }
    return Span(LANE, name, started, ended, counts)
