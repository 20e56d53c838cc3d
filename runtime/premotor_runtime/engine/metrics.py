"""Counters, gauges and histograms under the names that dashboards of vLLM know, and their Prometheus text.

Pure bookkeeping: whoever observes brings the times. Buckets start at 1 ms, fine enough for a robot.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

SECONDS = (
    0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1,
    0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0,
)  # fmt: skip


class Histogram:
    """Counts of observations at or below each bound, not cumulated."""

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many observations there were."""
        return sum(self.counts)


class EngineMetrics:
    """What one engine counts; an attribute each, named as in vLLM less the prefix `vllm:`.

    The `num_deferred` (requests that a step's time was too short for) and `step_time_seconds` are our own.
    """

    def __init__(self) -> None:
        self.prefix_cache_queries = 0
        self.prefix_cache_hits = 0
        self.prompt_tokens = 0
        self.generation_tokens = 0
        self.num_preemptions = 0
        self.num_deferred = 0
        self.request_success: dict[str, int] = {}
        self.time_to_first_token_seconds = Histogram()
        self.inter_token_latency_seconds = Histogram()
        self.request_time_per_output_token_seconds = Histogram()
        self.e2e_request_latency_seconds = Histogram()
        self.request_queue_time_seconds = Histogram()
        self.request_prefill_time_seconds = Histogram()
        self.request_decode_time_seconds = Histogram()
        self.step_time_seconds = Histogram()

    def finish(self, reason: str) -> None:
        """Count an ended request."""
        self.request_success[reason] = self.request_success.get(reason, 0) + 1


_VLLM_COUNTERS = {
    "prefix_cache_queries": "Prompt tokens looked up in the prefix cache.",
    "prefix_cache_hits": "Prompt tokens found in the prefix cache.",
    "prompt_tokens": "Prompt tokens that went through the model.",
    "generation_tokens": "Output tokens, forced ones included.",
    "num_preemptions": "Times a request lost its memory to another.",
}
_VLLM_HISTOGRAMS = {
    "time_to_first_token_seconds": "From the arrival of a request to its first output token.",
    "inter_token_latency_seconds": "Between two outputs of a request.",
    "request_time_per_output_token_seconds": "Mean time of an output token after the first.",
    "e2e_request_latency_seconds": "From the arrival of a request to its end.",
    "request_queue_time_seconds": "From the arrival of a request to its first memory.",
    "request_prefill_time_seconds": "From the first memory to the first output token.",
    "request_decode_time_seconds": "From the first output token to the last.",
}


def render(metrics: EngineMetrics, gauges: Mapping[str, float], labels: Mapping[str, str]) -> str:
    """Prometheus' text format. `gauges` by full name (`vllm:num_requests_running`); `labels` go to every sample."""
    lines: list[str] = []
    for name, value in gauges.items():
        lines += _family(name, "gauge", "Current value.", [f"{name}{_labels(labels)} {_number(value)}"])
    for attribute, text in _VLLM_COUNTERS.items():
        lines += _counter(f"vllm:{attribute}", text, [(labels, getattr(metrics, attribute))])
    success = [({**labels, "finished_reason": reason}, count) for reason, count in metrics.request_success.items()]
    lines += _counter("vllm:request_success", "Ended requests.", success)
    lines += _counter("premotor:num_deferred", "Requests a step had no time for.", [(labels, metrics.num_deferred)])
    for attribute, text in _VLLM_HISTOGRAMS.items():
        lines += _histogram(f"vllm:{attribute}", text, getattr(metrics, attribute), labels)
    lines += _histogram("premotor:step_time_seconds", "Duration of a step.", metrics.step_time_seconds, labels)
    return "\n".join(lines) + "\n"


def _counter(name: str, text: str, samples: Iterable[tuple[Mapping[str, str], int]]) -> list[str]:
    full = f"{name}_total"
    return _family(full, "counter", text, [f"{full}{_labels(labels)} {count}" for labels, count in samples])


def _histogram(name: str, text: str, histogram: Histogram, labels: Mapping[str, str]) -> list[str]:
    samples, cumulated = [], 0
    for bound, count in zip((*map(_number, histogram.bounds), "+Inf"), histogram.counts, strict=True):
        cumulated += count
        samples.append(f"{name}_bucket{_labels({**labels, 'le': bound})} {cumulated}")
    samples += [f"{name}_sum{_labels(labels)} {_number(histogram.total)}", f"{name}_count{_labels(labels)} {cumulated}"]
    return _family(name, "histogram", text, samples)


def _family(name: str, kind: str, text: str, samples: Iterable[str]) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *samples]


def _labels(labels: Mapping[str, str]) -> str:
    inner = ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items())
    return f"{{{inner}}}" if inner else ""


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return f"{value:.10g}"
