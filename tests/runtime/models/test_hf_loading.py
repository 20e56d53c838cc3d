"""Hugging Face folders: one file or shards, any float type, and errors that name the file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import layer_weights, named_views
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
    ],
)
def test_unfit_configurations_are_refused(hf_folder: Path, changes: dict[str, Any], reason: str) -> None:
    path = hf_folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=reason):
        load_hf(hf_folder)
