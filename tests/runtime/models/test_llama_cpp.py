"""llama.cpp loads the GGUF files written here, cuts text alike and computes the same logits (peers only)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.features import features
from premotor_runtime.models.gguf_writer import write_gguf
from premotor_runtime.models.random_checkpoint import SHAPES, random_checkpoint
from premotor_runtime.models.registry import load_checkpoint, load_model
from premotor_runtime.runners.protocol import Chunk

llama_cpp = pytest.importorskip("llama_cpp", reason="llama_cpp is not installed: `./premotor peers` installs it")

SMALL = replace(SHAPES["S"], vocab_size=700, hidden_size=128, intermediate_size=192, num_hidden_layers=2,
                num_attention_heads=2, num_key_value_heads=1)  # fmt: skip
FAMILIES: dict[str, ModelConfig] = {
    "smollm2": SMALL,
    "llama3": replace(SMALL, tie_word_embeddings=False, rope_theta=5e5, rope_scaling=RopeScaling(32.0, 1.0, 4.0, 8192)),
    "qwen2": replace(SMALL, architecture="qwen2", **features("qwen2", 128)),
    "qwen3": replace(SMALL, architecture="qwen3", head_dim=128, attention_scale=128**-0.5, **features("qwen3", 128)),
}
TEXT = "pick the red mug, 12 times\n\tüber 日本"


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("kind", ["F32", "F16", "Q8_0"])
@pytest.mark.parametrize("family", FAMILIES)
def test_llama_cpp_computes_the_same(tmp_path: Path, family: str, kind: str) -> None:
    checkpoint = load_checkpoint(random_checkpoint(FAMILIES[family], 1, tmp_path / "hf"))
    path = write_gguf(checkpoint, tmp_path / "model.gguf", kind)
    theirs = llama_cpp.Llama(str(path), n_ctx=128, n_threads=1, logits_all=True, verbose=False)
    ours = load_model(path, num_blocks=8)
    tokens = ours.tokenizer.encode_blocks([TEXT])
    assert theirs.tokenize(TEXT.encode()) == tokens
    theirs.eval(tokens)
    (out,) = ours.runner.step([Chunk(tokens, 0, range(8), range(len(tokens)))])
    # llama.cpp rounds activations to the precision of the weights, and keys and values to 16 bits
    tolerance = {"F32": 1e-2, "F16": 2e-2, "Q8_0": 0.2}[kind]
    expected = np.array(theirs.scores[: len(tokens)])
    np.testing.assert_allclose(ours.runner.logits(out.hidden), expected, atol=tolerance)
    theirs.close()
