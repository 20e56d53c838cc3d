from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from premotor_runtime.bench.case import Contestant
from premotor_runtime.bench.entrant import Launch
from premotor_runtime.models.config import ModelConfig

FAKE = Path(__file__).parent / "fake_engine.py"

MakeLaunch = Callable[..., Launch]


@pytest.fixture
def fake_launch() -> MakeLaunch:
    def make(name: str = "fake", python: Path = Path(sys.executable), **options: object) -> Launch:
        return Launch(Contestant(name, "Q4_0"), python, FAKE, lambda: dict(options))

    return make


@pytest.fixture
def tiny() -> ModelConfig:
    return ModelConfig(
        architecture="llama",
        vocab_size=300,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        rms_norm_eps=1e-5,
        rope_theta=10_000.0,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_ids=(1,),
        attention_scale=0.25,
    )
