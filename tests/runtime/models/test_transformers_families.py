"""Small random checkpoints of every family, saved by transformers, give its logits and its greedy tokens."""

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
GROUPED = {"num_key_value_heads": 2}
NARROW = {"num_key_value_heads": 1, "head_dim": 16, "query_pre_attn_scalar": 16}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama, multi-head": ("Llama", {"num_key_value_heads": 4}),
    "llama, one key-value head": ("Llama", {"num_key_value_heads": 1}),
    "llama, wide heads": ("Llama", GROUPED | {"head_dim": 24}),
    "llama 3: scaled rope, untied": ("Llama", GROUPED | {"rope_parameters": LLAMA3_ROPE}),
    "smollm2: tied": ("Llama", {"num_attention_heads": 3, "num_key_value_heads": 1, "hidden_size": 48,
                                "tie_word_embeddings": True}),
    "qwen2: biases": ("Qwen2", GROUPED),
    "qwen2, tied": ("Qwen2", GROUPED | {"tie_word_embeddings": True}),
    "qwen2, sliding": ("Qwen2", GROUPED | {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1}),
    "qwen3: normed heads": ("Qwen3", GROUPED | {"head_dim": 32}),
    "qwen3, narrow heads, tied": ("Qwen3", GROUPED | {"head_dim": 8, "tie_word_embeddings": True}),
    "gemma3, short window": ("Gemma3", NARROW | {"sliding_window": 5, "layer_types": [
        "sliding_attention", "full_attention", "sliding_attention"]}),
    "gemma3, default pattern": ("Gemma3", NARROW | {"sliding_window": 9}),
    "gemma3, own scale": ("Gemma3", NARROW | {
        "sliding_window": 64, "query_pre_attn_scalar": 40, "layer_types": ["full_attention"] * 3}),
}  # fmt: skip
TOKENS = [int(token) for token in np.random.default_rng(8).integers(3, 128, 70)]


def _model(family: str, settings: dict[str, Any]) -> Any:
    """Random weights, norms and biases included."""
    torch.manual_seed(0)
    suffix = "TextConfig" if family == "Gemma3" else "Config"
    config = getattr(transformers, f"{family}{suffix}")(**COMMON | settings)
    model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    low, high = (-0.5, 0.5) if family == "Gemma3" else (0.5, 1.5)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(low, high)
            elif name.endswith("bias"):
                weight.normal_(0.0, 0.5)
    return model


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
    got = loaded.runner.logits(out.hidden)
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    assert np.array_equal(got.argmax(1), expected.argmax(1))
    engine = Engine(loaded.runner, loaded.tokenizer, lambda: 0.0)
    output = complete(engine, Request("a", tuple(TOKENS[:20]), 24), StepBudget(max_num_batched_tokens=7))
    assert list(output.token_ids) == [token for token in greedy if token != 2]


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_greedy_tokens_are_equal(tmp_path: Path, kind: str) -> None:
    model = _model(*KINDS[kind])
    _save(model, tmp_path)
    _check(model, tmp_path)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_shards_of_half_precision(tmp_path: Path, dtype: str) -> None:
    model = _model("Qwen2", GROUPED).to(getattr(torch, dtype))
    _save(model, tmp_path, max_shard_size="60KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    # read back rather than widened in place, which would leave rope's frequencies rounded
    _check(transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval(), tmp_path)


@pytest.mark.parametrize("family", ["Llama", "Qwen2"])
def test_the_older_spelling_of_rope_is_the_same(tmp_path: Path, family: str) -> None:
    model = _model(family, {"rope_parameters": LLAMA3_ROPE, "num_key_value_heads": 2})
    _save(model, tmp_path)
    path = tmp_path / "config.json"
    stored = json.loads(path.read_text())
    rope = stored.pop("rope_parameters")
    path.write_text(json.dumps(stored | {"rope_theta": rope.pop("rope_theta"), "rope_scaling": rope}))
    _check(model, tmp_path)
