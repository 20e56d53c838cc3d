"""A language model in virtual time: prompts read in chunks, answers decoded in batches, sized by the budget."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_runtime.scheduler.slack import FREE


@dataclass(frozen=True)
class EngineCosts:
    """Nanoseconds of a step: fixed, for each prompt token, for each answer that gets a token."""

    step_ns: int
    prefill_token_ns: int
    decode_row_ns: int


class VirtualEngine:
    """Keeps `concurrency` requests going without end, each of `prompt` tokens and an answer of `answer` tokens."""

    def __init__(
        self, costs: EngineCosts, concurrency: int = 8, prompt: int = 400, answer: int = 64, chunk: int = 256
    ) -> None:
        self._costs, self._prompt, self._answer, self._chunk = costs, prompt, answer, chunk
        self._left = [[prompt, answer] for _ in range(concurrency)]
        self.prompt_tokens = self.answer_tokens = self.steps = 0

    has_work = True

    def step(self, budget_ns: int) -> int:
        """See `StepModel`: answers first, then as many prompt tokens as fit."""
        decoding = [each for each in self._left if each[0] == 0]
        rows = self._rows(len(decoding), budget_ns)
        for each in decoding[:rows]:
            each[1] -= 1
            if each[1] == 0:
                each[0], each[1] = self._prompt, self._answer
        tokens = self._prefill(rows, budget_ns)
        if not rows and not tokens:
            return 0
        self.answer_tokens += rows
        self.prompt_tokens += tokens
        self.steps += 1
        return self._costs.step_ns + rows * self._costs.decode_row_ns + tokens * self._costs.prefill_token_ns

    def _rows(self, wanted: int, budget_ns: int) -> int:
        if budget_ns == FREE:
            return wanted
        return max(0, min(wanted, (budget_ns - self._costs.step_ns) // self._costs.decode_row_ns))

    def _prefill(self, rows: int, budget_ns: int) -> int:
        room = self._chunk - rows
        if budget_ns != FREE:
            rest = budget_ns - self._costs.step_ns - rows * self._costs.decode_row_ns
            room = min(room, rest // self._costs.prefill_token_ns)
        read = 0
        for each in self._left:
            if room <= 0:
                break
            if each[0]:
                count = min(each[0], room)
                each[0] -= count
                room -= count
                read += count
        return read
