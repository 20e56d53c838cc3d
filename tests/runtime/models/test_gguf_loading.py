"""A GGUF is read as its own library reads it, derived once, and refused with file and remedy when damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_cache import load_gguf
from premotor_runtime.models.gguf_checkpoint import gguf_name
from premotor_runtime.models.gguf_header import read_header
from premotor_runtime.models.packed import named_views
from premotor_runtime.models.registry import load_model
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import Chunk

WriteGguf = Callable[..., Path]


def test_the_header_equals_the_librarys(write_gguf: WriteGguf) -> None:
    path = write_gguf()
    header, reader = read_header(path), gguf.GGUFReader(path)
    assert header.value("gemma3.embedding_length") == 64
    assert header.value("tokenizer.ggml.tokens") == reader.fields["tokenizer.ggml.tokens"].contents()
    assert len(header.tensors) == len(reader.tensors)
    for tensor in reader.tensors:
        ours = header.tensor(tensor.name)
        assert (ours.offset, ours.size, ours.kind) == (tensor.data_offset, tensor.n_bytes, tensor.tensor_type)
        assert ours.shape == tuple(int(size) for size in tensor.shape[::-1])


@pytest.mark.usefixtures("cache")
def test_weights_equal_the_librarys(write_gguf: WriteGguf) -> None:
    path = write_gguf()
    checkpoint = load_gguf(path)
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    views = named_views(checkpoint.flat, checkpoint.config)
    assert len(views) == len(tensors) - 1
    for name, view in views.items():
        tensor = tensors[gguf_name(name)]
        assert np.array_equal(view, gguf.dequantize(tensor.data, tensor.tensor_type)), name
    embedding = tensors["token_embd.weight"]
    expected = gguf.dequantize(embedding.data, embedding.tensor_type)
    assert np.array_equal(checkpoint.embedding.rows(np.array([5, 0, 5])), expected[[5, 0, 5]])
    assert np.array_equal(checkpoint.embedding.rows(slice(3, 9)), expected[3:9])


def test_the_second_load_reads_the_cache_and_a_damaged_cache_is_made_again(write_gguf: WriteGguf, cache: Path) -> None:
    path = write_gguf()
    first = load_gguf(path)
    first_values = first.flat.copy()
    first.flat[:] = 0.0  # private: must not reach the file
    folder = cache / "checkpoints" / first.sha256
    stamp = (folder / "manifest.json").stat().st_mtime_ns
    second = load_gguf(path)
    assert np.array_equal(second.flat, first_values)
    assert (folder / "manifest.json").stat().st_mtime_ns == stamp
    layers = (folder / "layers.npy").read_bytes()
    (folder / "layers.npy").write_bytes(layers[:-100])
    assert np.array_equal(load_gguf(path).flat, first_values)
    (folder / "manifest.json").write_text("{")
    assert np.array_equal(load_gguf(path).flat, first_values)
    assert (folder / "layers.npy").read_bytes() == layers


@pytest.mark.usefixtures("cache")
def test_the_tokenizer_splits_as_gemma_does(write_gguf: WriteGguf) -> None:
    checkpoint = load_gguf(write_gguf())
    tokenizer = Tokenizer(checkpoint.tokenizer_json, checkpoint.path, 2, (1,))
    assert tokenizer.encode("ab ab\n") == [7, 8, 10]
    assert tokenizer.encode("a  b<x>") == [5, 9, 6, 12]
    assert tokenizer.encode_blocks(["a", " ab"]) == [2, 5, 8]
    assert tokenizer.decode([8, 4, 7, 10]) == " ab ab\n"
    assert json.loads(tokenizer.json)["post_processor"] is None


@pytest.mark.usefixtures("cache")
def test_a_loaded_model_runs(write_gguf: WriteGguf) -> None:
    model = load_model(write_gguf(), num_blocks=4)
    (out,) = model.runner.step([Chunk([2, 5, 6], 0, [0], [0, 2])])
    hidden = out.hidden
    assert hidden.shape == (2, 64) and np.isfinite(hidden).all()
    assert model.runner.logits(hidden).shape == (2, 13)
    assert np.allclose(model.runner.logits(hidden)[:, [4, 1]], model.runner.logits(hidden, np.array([4, 1])), atol=1e-6)
    assert model.eos_token_ids == (1,)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("keep", [0, 3, 20, 200, 1500, -1])
def test_a_truncated_file_is_refused(write_gguf: WriteGguf, keep: int) -> None:
    path = write_gguf()
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match=r"tiny\.gguf: .*; .*again") as caught:
        load_gguf(path)
    assert caught.value.exit_code == 2


@pytest.mark.usefixtures("cache")
def test_random_damage_to_the_header_never_escapes_as_another_error(write_gguf: WriteGguf) -> None:
    path = write_gguf()
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(whole)
        at = int(random.integers(0, 2500))
        damaged[at : at + 4] = random.bytes(4)
        path.write_bytes(bytes(damaged))
        try:
            read_header(path)
        except CheckpointError:
            continue


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"architecture": "llama"}, "architecture is `llama`"),
        ({"rope.scaling.type": "linear"}, "variant"),
        ({"embedding_length": 32}, "has shape"),
        ({"attention.head_count": 3}, "makes no model"),
        ({"block_count": 3}, "no tensor `blk.2"),
    ],
)
def test_other_models_are_refused(write_gguf: WriteGguf, changes: dict[str, object], reason: str) -> None:
    path = write_gguf(**changes)
    with pytest.raises(CheckpointError, match=reason):
        load_gguf(path)


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["missing.gguf", "missing-folder"])
def test_a_missing_model_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CheckpointError, match=f"{name}: .*(check the path|give `gemma3-270m`)"):
        load_model(tmp_path / name)
