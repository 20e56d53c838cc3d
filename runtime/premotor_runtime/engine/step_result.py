"""What one step of the engine did."""

from __future__ import annotations

from dataclasses import dataclass, field

from premotor_runtime.engine.request import RequestOutput


@dataclass(frozen=True)
class StepResult:
    """`emitted` holds new output tokens, `text` what streamed requests may show by now.

    Both go by request id, or by `id/sample` where several samples were asked for. `num_scored_rows` rows went to full
    scores. `preempted` lost their memory; `deferred` got nothing because the time left was too short for them.
    `duration_s` is what the step took, on the engine's clock. When `paused`, a forward pass is under way and the next
    step goes on with it; its tokens are counted when it is done.
    """

    finished: tuple[RequestOutput, ...]
    emitted: dict[str, tuple[int, ...]]
    num_prefill_tokens: int
    num_decode_tokens: int
    num_scored_rows: int
    preempted: tuple[str, ...]
    text: dict[str, str] = field(default_factory=dict)
    deferred: tuple[str, ...] = ()
    duration_s: float = 0.0
    paused: bool = False

    @property
    def num_batched_tokens(self) -> int:
        """Tokens that went through the model."""
        return self.num_prefill_tokens + self.num_decode_tokens
