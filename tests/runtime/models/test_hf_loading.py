"""Hugging Face folders: one file or shards, any float type, and errors that name the file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import layer_weights, named_views
from premotor_runtime.models.registry import load_model
from premotor_runtime.models.safetensors_file import SafetensorsFile


def test_every_tensor_lands_in_its_place(hf_folder: Path) -> None:
    checkpoint = load_hf(hf_folder)
    stored = load_file(hf_folder / "model.safetensors")
    for name, view in named_views(checkpoint.flat, checkpoint.config).items():
        assert np.array_equal(view, stored[f"model.{name}"]), name
    layer = layer_weights(checkpoint.flat, checkpoint.config)[1]
    parts = [stored[f"model.layers.1.self_attn.{part}_proj.weight"] for part in "qkv"]
    assert np.array_equal(layer.qkv, np.concatenate(parts))
    assert np.array_equal(layer.mlp_norm, stored["model.layers.1.post_attention_layernorm.weight"])
    assert layer.query_norm is None and layer.post_mlp_norm is None
    assert checkpoint.head is checkpoint.embedding
    assert checkpoint.config.eos_token_ids == (2, 3)


def test_shards_equal_one_file(hf_folder: Path) -> None:
    whole = load_hf(hf_folder)
    tensors = load_file(hf_folder / "model.safetensors")
    (hf_folder / "model.safetensors").unlink()
    weight_map: dict[str, str] = {}
    for number, names in enumerate((list(tensors)[::2], list(tensors)[1::2])):
        shard = f"model-{number}.safetensors"
        save_file({name: tensors[name] for name in names}, hf_folder / shard)
        weight_map |= dict.fromkeys(names, shard)
    index = hf_folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    assert np.array_equal(load_hf(hf_folder).flat, whole.flat)
    (hf_folder / "model-1.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"model-1\.safetensors: no such file"):
        load_hf(hf_folder)
    index.write_text(json.dumps({"weight_map": {"model.norm.weight": "../model-0.safetensors"}}))
    with pytest.raises(CheckpointError, match="outside the folder"):
        load_hf(hf_folder)


def test_bfloat16_and_float16_are_widened(tmp_path: Path) -> None:
    values = np.array([1.0, -2.5, 0.15625], np.float32)
    path = tmp_path / "t.safetensors"
    raw = (values.view(np.uint32) >> 16).astype("<u2").tobytes() + values.astype("<f2").tobytes()
    entries = {
        "b": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6]},
        "h": {"dtype": "F16", "shape": [3], "data_offsets": [6, 12]},
    }
    header = json.dumps(entries).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + raw)
    file = SafetensorsFile(path)
    assert np.array_equal(file.tensor("b"), values) and np.array_equal(file.tensor("h"), values)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("keep", [None, 0, 40])
def test_missing_and_cut_files_are_named(hf_folder: Path, name: str, keep: int | None) -> None:
    path = hf_folder / name
    content = path.read_bytes()
    path.unlink()
    if keep is not None:
        path.write_bytes(content[:keep])
    with pytest.raises(CheckpointError, match=name.replace(".", r"\.")) as caught:
        load_hf(hf_folder)
    assert caught.value.exit_code == 2 and caught.value.remedy


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "mamba"}, "model_type is `mamba`"),
        ({"attention_bias": True}, "`attention_bias` is True"),
        ({"hidden_act": "relu"}, "`hidden_act`"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, "rope of type `yarn`"),
        ({"hidden_size": "wide"}, "makes no model"),
        ({"num_key_value_heads": 3}, "cannot share 3"),
        ({"vocab_size": 300}, "has shape"),
        ({"num_hidden_layers": 3}, r"no tensor `model\.layers\.2"),
        ({"tie_word_embeddings": False}, r"no tensor `lm_head\.weight`"),
        ({"rms_norm_eps": None}, "makes no model"),
        ({"model_type": ["llama"]}, "model_type is"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "'low_freq_factor' is missing"),
        (
            {
                "rope_scaling": {
                    "rope_type": "llama3",
                    "factor": 8.0,
                    "low_freq_factor": 4.0,
                    "high_freq_factor": 1.0,
                    "original_max_position_embeddings": 32,
                }
            },
            "the first must be the smaller",
        ),
        ({"rope_theta": float("nan")}, "`rope_theta` is nan"),
        ({"num_hidden_layers": 10**9}, "`num_hidden_layers` is 1000000000; it must be a whole number from 1 to 512"),
        ({"vocab_size": 2**40}, "`vocab_size` is"),
        ({"hidden_size": True}, "`hidden_size` is True"),
        ({"layer_types": ["linear_attention"] * 2}, "layers of kind `linear_attention`"),
        ({"quantization_config": {"bits": 4}}, "`quantization_config`"),
        ({"eos_token_id": 256}, "names token 256, its vocabulary has 256"),
        ({"model_type": "qwen2"}, r"no tensor `model\.layers\.0\.self_attn\.q_proj\.bias`"),
        ({"model_type": "qwen3"}, r"no tensor `model\.layers\.0\.self_attn\.q_norm\.weight`"),
    ],
)
def test_unfit_configurations_are_refused(hf_folder: Path, changes: dict[str, Any], reason: str) -> None:
    path = hf_folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=reason):
        load_hf(hf_folder)


def test_a_tokenizer_with_more_learned_tokens_than_the_model_is_refused(hf_folder: Path) -> None:
    path = hf_folder / "tokenizer.json"
    stored = json.loads(path.read_text())
    stored["model"]["vocab"] |= {"abc": 256}
    path.write_text(json.dumps(stored))
    with pytest.raises(
        CheckpointError, match="goes up to token 256, the model has 256 tokens; use tokenizer and weights"
    ):
        load_hf(hf_folder)


def test_added_tokens_beyond_the_model_are_left_out(hf_folder: Path) -> None:
    path = hf_folder / "tokenizer.json"
    raw = Tokenizer.from_file(str(path))
    raw.add_special_tokens(["<image>"])
    raw.save(str(path))
    tokenizer = load_model(hf_folder, num_blocks=1).tokenizer
    assert raw.get_vocab_size() == 257 and tokenizer.vocab_size == 256
    assert max(tokenizer.encode("a <image> b")) < 256 and tokenizer.decode(tokenizer.encode("<image>")) == "<image>"


@pytest.mark.parametrize("length", [2**63, 10**9, 5])
def test_an_oversized_or_wrong_header_is_refused(hf_folder: Path, length: int) -> None:
    path = hf_folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])
    with pytest.raises(CheckpointError, match=r"model\.safetensors: truncated or corrupt"):
        load_hf(hf_folder)


def test_a_tensor_that_is_no_float_is_refused(hf_folder: Path) -> None:
    path = hf_folder / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"model.norm.weight": np.ones(64, np.int32)}, path)
    with pytest.raises(CheckpointError, match=r"`model\.norm\.weight` is of type I32; F32, F16, F64, BF16 are read"):
        load_hf(hf_folder)


@pytest.mark.parametrize(
    ("given", "begins"),
    [
        ({}, True),
        ({"tokenizer_class": "PreTrainedTokenizerFast"}, True),
        ({"tokenizer_class": "Qwen2Tokenizer"}, False),
        ({"tokenizer_class": "LlamaTokenizer", "add_bos_token": False}, False),
        ({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True}, True),
    ],
)
def test_a_text_begins_as_the_tokenizer_says(hf_folder: Path, given: dict[str, Any], begins: bool) -> None:
    (hf_folder / "tokenizer_config.json").write_text(json.dumps(given))
    tokenizer = load_model(hf_folder, num_blocks=1).tokenizer
    assert tokenizer.encode_blocks(["a"]) == [*([1] if begins else []), *tokenizer.encode("a")]
