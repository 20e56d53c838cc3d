"""From a sequence's life to the metrics."""

from __future__ import annotations

from premotor_runtime.engine.metrics import EngineMetrics
from premotor_runtime.engine.sequence import Sequence


def observe_tokens(metrics: EngineMetrics, sequence: Sequence, now: float) -> None:
    """Note output that exists since `now`; nothing when there is none since the last call."""
    fresh = len(sequence.output) - sequence.stamped
    if not fresh:
        return
    metrics.generation_tokens += fresh
    if sequence.first_token_at is None:
        opened = now if sequence.opened_at is None else sequence.opened_at
        metrics.prompt_tokens += sequence.prompt_length
        metrics.prefix_cache_queries += sequence.prompt_length
        metrics.prefix_cache_hits += sequence.cached_tokens
        metrics.time_to_first_token_seconds.observe(now - sequence.arrived)
        metrics.request_queue_time_seconds.observe(opened - sequence.arrived)
        metrics.request_prefill_time_seconds.observe(now - opened)
    else:
        metrics.inter_token_latency_seconds.observe(now - sequence.last_token_at)
    sequence.stamp(now)


def observe_finish(metrics: EngineMetrics, sequence: Sequence, now: float) -> None:
    """Note the end of a sequence."""
    metrics.finish(sequence.finish_reason or "error")
    metrics.e2e_request_latency_seconds.observe(now - sequence.arrived)
    if sequence.first_token_at is not None:
        decode = sequence.last_token_at - sequence.first_token_at
        metrics.request_decode_time_seconds.observe(decode)
        if len(sequence.output) > 1:
            metrics.request_time_per_output_token_seconds.observe(decode / (len(sequence.output) - 1))
