"""Small random checkpoints, saved by transformers, give its logits and its greedy tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.models.registry import load_model
from premotor_runtime.runners.protocol import Chunk

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.torch

COMMON: dict[str, Any] = {
    "vocab_size": 128, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
    "max_position_embeddings": 256, "initializer_range": 0.2, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
LLAMA3_ROPE = {
    "rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}  # fmt: skip
LLAMAS: dict[str, dict[str, Any]] = {
    "multi-head": {"num_key_value_heads": 4},
    "grouped-query": {"num_key_value_heads": 2},
    "one key-value head": {"num_key_value_heads": 1},
    "tied": {"num_key_value_heads": 2, "tie_word_embeddings": True},
    "wide heads": {"num_key_value_heads": 2, "head_dim": 24},
    "llama3 rope": {"num_key_value_heads": 2, "rope_parameters": LLAMA3_ROPE},
}
GEMMAS: dict[str, dict[str, Any]] = {
    "short window": {"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]},
    "default pattern": {"sliding_window": 9},
    "own scale": {"sliding_window": 64, "query_pre_attn_scalar": 40, "layer_types": ["full_attention"] * 3},
}
TOKENS = [int(token) for token in np.random.default_rng(8).integers(3, 128, 70)]


def _save(model: Any, folder: Path, **options: Any) -> None:
    model.save_pretrained(folder, **options)
    vocabulary = {f"t{number}": number for number in range(128)}
    Tokenizer(WordLevel(vocabulary, unk_token="t0")).save(str(folder / "tokenizer.json"))


def _check(model: Any, folder: Path) -> None:
    loaded = load_model(folder, num_blocks=16)
    with torch.no_grad():
        expected = model(torch.tensor([TOKENS])).logits[0].numpy()
        greedy = model.generate(torch.tensor([TOKENS[:20]]), max_new_tokens=24, do_sample=False)[0, 20:].tolist()
    (out,) = loaded.runner.step([Chunk(TOKENS, 0, list(range(16)), list(range(len(TOKENS))))])
    hidden = out.hidden
    got = loaded.runner.logits(hidden)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    assert np.array_equal(got.argmax(1), expected.argmax(1))
    engine = Engine(loaded.runner, loaded.tokenizer, lambda: 0.0)
    output = complete(engine, Request("a", tuple(TOKENS[:20]), 24), StepBudget(max_num_batched_tokens=7))
    assert list(output.token_ids) == [token for token in greedy if token != 2]


@pytest.mark.parametrize("kind", LLAMAS)
def test_llama(tmp_path: Path, kind: str) -> None:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(**COMMON, **LLAMAS[kind])
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(0.5, 1.5)
    _save(model, tmp_path)
    _check(model, tmp_path)


@pytest.mark.parametrize("kind", GEMMAS)
def test_gemma3(tmp_path: Path, kind: str) -> None:
    torch.manual_seed(1)
    settings = COMMON | {"num_key_value_heads": 1, "head_dim": 16, "query_pre_attn_scalar": 16} | GEMMAS[kind]
    config = transformers.Gemma3TextConfig(**settings)
    model = transformers.Gemma3ForCausalLM(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(-0.5, 0.5)
    _save(model, tmp_path)
    _check(model, tmp_path)


def test_shards_in_bfloat16(tmp_path: Path) -> None:
    torch.manual_seed(2)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**COMMON)).to(torch.bfloat16)
    _save(model, tmp_path, max_shard_size="60KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    # read back rather than widened in place, which would leave rope's frequencies rounded
    _check(transformers.LlamaForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval(), tmp_path)


def test_the_older_spelling_of_rope_is_the_same(tmp_path: Path) -> None:
    torch.manual_seed(3)
    config = transformers.LlamaConfig(**COMMON, rope_parameters=LLAMA3_ROPE)
    model = transformers.LlamaForCausalLM(config).eval()
    _save(model, tmp_path)
    path = tmp_path / "config.json"
    stored = json.loads(path.read_text())
    rope = stored.pop("rope_parameters")
    path.write_text(json.dumps(stored | {"rope_theta": rope.pop("rope_theta"), "rope_scaling": rope}))
    _check(model, tmp_path)
