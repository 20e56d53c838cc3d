"""What the engine counts, under the names of vLLM, in Prometheus' text."""

from __future__ import annotations

import re
from typing import Any

import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.metrics import EngineMetrics, Histogram, render
from premotor_runtime.engine.request import Request

SAMPLE = re.compile(r'^([a-z]+:[a-z0-9_]+)\{((?:[a-z_]+="[^"]*",?)+)\} (\S+)$')


def _parsed(text: str) -> dict[str, float]:
    samples = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            found = SAMPLE.match(line)
            assert found, line
            extra = re.search(r'(?:le|finished_reason)="([^"]*)"', found[2])
            samples[found[1] + (f"|{extra[1]}" if extra else "")] = float(found[3])
    return samples


def test_the_life_of_two_requests_is_counted(make_memory_engine: Any) -> None:
    engine, runner = make_memory_engine(64)
    runner.seconds = lambda batch: 0.010
    engine.add(Request("a", tuple(range(20)), 4))
    engine.step(StepBudget(max_num_seqs=1))
    engine.add(Request("b", tuple(range(20)), 4))
    engine.cancel("a")
    middle = _parsed(engine.metrics_text("tiny"))
    assert (middle["vllm:num_requests_waiting"], middle["vllm:num_requests_running"]) == (1, 0)
    while engine.has_work:
        engine.step(StepBudget())
    text = engine.metrics_text('ti"ny')
    assert 'model_name="ti\\"ny",engine="0"' in text
    samples = _parsed(engine.metrics_text("tiny"))
    assert samples["vllm:prompt_tokens_total"] == 40 and samples["vllm:generation_tokens_total"] == 5
    assert samples["vllm:prefix_cache_queries_total"] == 40 and samples["vllm:prefix_cache_hits_total"] == 16
    assert samples["vllm:request_success_total|length"] == samples["vllm:request_success_total|cancelled"] == 1
    assert samples["vllm:kv_cache_usage_perc"] == 0.0
    assert samples["vllm:time_to_first_token_seconds_count"] == 2
    assert samples["vllm:time_to_first_token_seconds_sum"] == pytest.approx(0.02)
    assert samples["vllm:inter_token_latency_seconds_bucket|0.01"] == pytest.approx(3, abs=3)
    assert samples["vllm:inter_token_latency_seconds_bucket|0.015"] == 3
    assert samples["vllm:inter_token_latency_seconds_bucket|0.0075"] == 0
    assert samples["vllm:request_time_per_output_token_seconds_sum"] == pytest.approx(0.01)
    assert samples["vllm:e2e_request_latency_seconds_count"] == 2
    assert samples["vllm:request_decode_time_seconds_sum"] == pytest.approx(0.03)
    assert samples["premotor:step_time_seconds_count"] == 5


def test_every_name_has_a_type_and_buckets_cumulate() -> None:
    metrics = EngineMetrics()
    for value in (0.0005, 0.001, 0.0011, 99.0):
        metrics.time_to_first_token_seconds.observe(value)
    text = render(metrics, {"vllm:num_requests_running": 3}, {"model_name": "m", "engine": "0"})
    names = {line.split("{")[0] for line in text.splitlines() if not line.startswith("#")}
    typed = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert {re.sub("_(bucket|sum|count)$", "", name) for name in names} <= typed
    samples = _parsed(text)
    assert samples["vllm:time_to_first_token_seconds_bucket|0.001"] == 2
    assert samples["vllm:time_to_first_token_seconds_bucket|0.002"] == 3
    assert samples["vllm:time_to_first_token_seconds_bucket|+Inf"] == 4 == metrics.time_to_first_token_seconds.count


def test_a_histogram_counts_on_the_bound() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.0, 1.0, 1.5, 2.0, 2.1):
        histogram.observe(value)
    assert (histogram.counts, histogram.total) == ([2, 2, 1], 6.6)
