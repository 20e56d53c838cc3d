"""Random checkpoints: the same bytes for one seed, tame logits, and one model in both file formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import gguf
import numpy as np
import pytest

from premotor_runtime.models.config import ModelConfig, RopeScaling
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.features import features
from premotor_runtime.models.gguf_writer import write_gguf
from premotor_runtime.models.packed import named_views, packed_size
from premotor_runtime.models.random_checkpoint import SHAPES, random_checkpoint
from premotor_runtime.models.registry import load_checkpoint, load_model
from premotor_runtime.runners.protocol import Chunk

SMALL = replace(
    SHAPES["S"], vocab_size=700, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
    num_key_value_heads=1, head_dim=32, attention_scale=32**-0.5, max_position_embeddings=256,
)  # fmt: skip
FAMILIES: dict[str, ModelConfig] = {
    "smollm2": SMALL,
    "llama3": replace(SMALL, tie_word_embeddings=False, rope_scaling=RopeScaling(32.0, 1.0, 4.0, 8192)),
    "qwen2": replace(SMALL, architecture="qwen2", **features("qwen2", 64)),
    "qwen3": replace(SMALL, architecture="qwen3", head_dim=64, attention_scale=0.125, **features("qwen3", 64)),
    "gemma3": replace(
        SMALL, architecture="gemma3", rope_local_theta=1e4, sliding_window=5, sliding_layers=(True, False),
        **features("gemma3", 64),
    ),
}  # fmt: skip
TEXT = "pick the red mug, 12 times\n\tüber 日本 </s>"


def _logits(spec: Path) -> np.ndarray:
    model = load_model(spec, num_blocks=8)
    tokens = model.tokenizer.encode_blocks([TEXT])
    (out,) = model.runner.step([Chunk(tokens, 0, range(8), range(len(tokens)))])
    logits: np.ndarray = model.runner.logits(out.hidden)
    return logits


@pytest.mark.parametrize("family", FAMILIES)
def test_the_configuration_returns_and_logits_are_tame(tmp_path: Path, family: str) -> None:
    config = FAMILIES[family]
    assert load_checkpoint(random_checkpoint(config, 3, tmp_path)).config == config
    logits = _logits(tmp_path)
    assert np.isfinite(logits).all() and 0.5 < logits.std() < 2.0
    assert len(set(logits.argmax(1))) > len(logits) // 3


def test_a_seed_decides_every_byte(tmp_path: Path) -> None:
    folders = [random_checkpoint(SMALL, seed, tmp_path / str(n)) for n, seed in enumerate((1, 1, 2))]
    first, again, other = (
        {file.name: file.read_bytes() for file in sorted(folder.iterdir())} for folder in folders
    )  # fmt: skip
    assert first == again and first["model.safetensors"] != other["model.safetensors"]


def test_the_tokenizer_has_every_token_and_loses_no_text(tmp_path: Path) -> None:
    tokenizer = load_model(random_checkpoint(SMALL, 0, tmp_path), num_blocks=1).tokenizer
    assert tokenizer.vocab_size == 700
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT
    merged = [token for token in range(258, 700) if tokenizer.encode(tokenizer.piece(token)) == [token]]
    assert len(merged) == 442


def test_storage_types_differ_by_rounding_only(tmp_path: Path) -> None:
    exact = _logits(random_checkpoint(SMALL, 0, tmp_path / "f32", "float32"))
    for dtype, tolerance in (("float16", 0.02), ("bfloat16", 0.15)):
        assert 0 < np.abs(_logits(random_checkpoint(SMALL, 0, tmp_path / dtype, dtype)) - exact).max() < tolerance


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("family", ["smollm2", "llama3", "qwen2", "qwen3"])
def test_a_gguf_is_the_same_model(tmp_path: Path, family: str) -> None:
    folder = random_checkpoint(FAMILIES[family], 5, tmp_path / "hf", "float16")
    checkpoint = load_checkpoint(folder)
    path = write_gguf(checkpoint, tmp_path / "model.gguf", "F16")
    read = load_checkpoint(path)
    assert replace(read.config, rope_scaling=None) == replace(
        checkpoint.config, rope_scaling=None, rms_norm_eps=read.config.rms_norm_eps
    )
    matrices = [name for name, view in named_views(read.flat, read.config).items() if view.ndim == 2]
    ours, theirs = (named_views(each.flat, each.config) for each in (read, checkpoint))
    assert len(matrices) == 14 and all(np.array_equal(ours[name], theirs[name]) for name in matrices)
    np.testing.assert_allclose(_logits(path), _logits(folder), atol=1e-4)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("kind", ["Q8_0", "Q4_0", "F32"])
def test_quantized_ggufs_hold_what_the_quantizer_says(tmp_path: Path, kind: str) -> None:
    checkpoint = load_checkpoint(random_checkpoint(FAMILIES["qwen2"], 5, tmp_path / "hf"))
    path = write_gguf(checkpoint, tmp_path / f"{kind}.gguf", kind)
    code = gguf.GGMLQuantizationType[kind]
    read = load_checkpoint(path)
    for name, values in named_views(checkpoint.flat, checkpoint.config).items():
        expected = values if values.ndim == 1 else gguf.dequantize(gguf.quantize(values, code), code)
        assert np.array_equal(named_views(read.flat, read.config)[name], expected), name
    table = checkpoint.embedding.rows(slice(0, 9))
    assert np.array_equal(read.embedding.rows(slice(0, 9)), gguf.dequantize(gguf.quantize(table, code), code))
    assert np.isfinite(_logits(path)).all()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    checkpoint = load_checkpoint(random_checkpoint(SMALL, 0, tmp_path))
    with pytest.raises(CheckpointError, match="cannot be stored as Q4_K; use one of F32"):
        write_gguf(checkpoint, tmp_path / "m.gguf", "Q4_K")
    gemma = load_checkpoint(random_checkpoint(FAMILIES["gemma3"], 0, tmp_path / "g"))
    with pytest.raises(CheckpointError, match="Gemma 3 cannot be written"):
        write_gguf(gemma, tmp_path / "m.gguf")
    with pytest.raises(ValueError, match="at least 258"):
        random_checkpoint(replace(SMALL, vocab_size=100), 0, tmp_path)


def test_the_shapes_are_the_published_ones(tmp_path: Path) -> None:
    parameters = {name: packed_size(config) + config.vocab_size * config.hidden_size for name, config in SHAPES.items()}
    assert parameters == {"S": 7_212_288, "M": 134_515_008, "L": 494_032_768}
    random_checkpoint(SHAPES["S"], 0, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["num_hidden_layers"] == 6


@pytest.mark.torch
@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_loads_the_same_model(tmp_path: Path, family: str) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    random_checkpoint(FAMILIES[family], 4, tmp_path, "float32")
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    tokens = transformers.AutoTokenizer.from_pretrained(tmp_path)(TEXT, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        expected = model(torch.tensor([[0, *tokens]])).logits[0].numpy()
    np.testing.assert_allclose(_logits(tmp_path), expected, atol=1e-3)
