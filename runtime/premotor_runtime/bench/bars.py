"""The ratios that a release must reach on two cores: model, our precision and case against a peer."""

from __future__ import annotations

from premotor_runtime.bench.case import Case
from premotor_runtime.bench.peers import LLAMA_CPP, TRANSFORMERS, Peer

BATCH_1, BATCH_8, PREFILL = Case("decode", 1), Case("decode", 8), Case("prefill", 1)

OPPONENTS: dict[str, tuple[Peer, str]] = {
    "int4": (LLAMA_CPP, "Q4_0"),
    "int8": (LLAMA_CPP, "Q8_0"),
    "bf16": (TRANSFORMERS, "bf16"),
}
"""Whom each of our precisions is compared with, and how that calls the like."""

TABLE: dict[tuple[str, str], dict[Case, float]] = {
    ("S", "int4"): {BATCH_1: 4.0, BATCH_8: 4.0, PREFILL: 1.2},
    ("M", "int4"): {BATCH_1: 1.6, BATCH_8: 2.5, PREFILL: 1.0},
    ("L", "int4"): {BATCH_1: 1.4, BATCH_8: 2.5, PREFILL: 1.0},
    ("M", "int8"): {BATCH_1: 1.4, BATCH_8: 3.0, PREFILL: 1.0},
    ("M", "bf16"): {BATCH_1: 3.0, BATCH_8: 3.0, PREFILL: 1.2},
}
BANDWIDTH_SHARE = {("L", "int8"): 0.85}
CONTINUOUS = 1.8
CONTINUOUS_VLLM = 1.0
PREFIX_HIT = 10.0
OVERRUN = 0.10


def bar(model: str, precision: str, case: Case) -> float | None:
    """The least ratio asked for; None where there is none."""
    return TABLE.get((model, precision), {}).get(case)
