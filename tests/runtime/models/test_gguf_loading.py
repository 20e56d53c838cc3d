"""A GGUF is read as its own library reads it, derived once, and refused with file and remedy when damaged."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import gguf
import numpy as np
import pytest
from tokenizers import pre_tokenizers

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_cache import load_gguf
from premotor_runtime.models.gguf_checkpoint import gguf_name
from premotor_runtime.models.gguf_header import read_header
from premotor_runtime.models.gguf_tokenizer import tokenizer_json
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
        tensor = tensors[gguf_name(name, checkpoint.config)]
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
        ({"architecture": "mamba"}, "architecture is `mamba`"),
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


@pytest.mark.usefixtures("cache")
def test_random_damage_is_refused_or_loads_a_model_of_its_shape(write_gguf: WriteGguf) -> None:
    path = write_gguf()
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[int(random.integers(0, 4000))] = int(random.integers(0, 256))
        path.write_bytes(bytes(damaged))
        try:
            checkpoint = load_gguf(path)
        except CheckpointError:
            refused += 1
            continue
        assert checkpoint.embedding.rows(slice(None)).shape == (checkpoint.config.vocab_size, 64)
    assert 10 < refused < 60


@pytest.mark.parametrize("count", [2**63, 2**40, 2**20])
@pytest.mark.parametrize("at", [8, 16])
def test_counts_beyond_the_file_are_refused_before_memory_is_taken(write_gguf: WriteGguf, at: int, count: int) -> None:
    path = write_gguf()
    content = path.read_bytes()
    path.write_bytes(content[:at] + struct.pack("<Q", count) + content[at + 8 :])
    tracemalloc.start()
    with pytest.raises(CheckpointError, match="again"):
        read_header(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def _vocabulary(path: Path, kind: str, tokens: list[str], **more: object) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types([1] * len(tokens))
    for name, value in more.items():
        getattr(writer, f"add_{name}")(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def _encoded(path: Path, text: str) -> list[str]:
    tokenizer = Tokenizer(tokenizer_json(read_header(path)), path, None, ())
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    return [tokenizer.piece(token) for token in ids]


BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ("gpt-2", ["12", "34", "ab", "!", "!!"]),
        ("smollm", ["1", "2", "3", "4", "ab", "!", "!!"]),
        ("qwen2", ["1", "2", "3", "4", "ab", "!", "!!"]),
        ("llama-bpe", ["123", "4", "ab", "!", "!!"]),
    ],
)
def test_byte_level_tokenizers_cut_by_their_name(tmp_path: Path, cut: str, expected: list[str]) -> None:
    tokens = [*BYTES, "12", "34", "ab", "!!", "123"]
    merges = ["1 2", "3 4", "a b", "! !"]
    path = _vocabulary(tmp_path / "v.gguf", "gpt2", tokens, tokenizer_pre=cut, token_merges=merges)
    assert _encoded(path, "1234ab!!!") == [*expected[:-2], "!!", "!"]


@pytest.mark.parametrize(
    ("kind", "more", "reason"),
    [
        ("gpt2", {"tokenizer_pre": "gpt-7", "token_merges": ["a b"]}, "cuts text by `gpt-7`; gpt-2"),
        ("gpt2", {"tokenizer_pre": "gpt-2"}, r"lacks `tokenizer\.ggml\.merges`"),
        ("gpt2", {"tokenizer_pre": "gpt-2", "token_merges": ["a", "q x"]}, "not usable"),
        ("bert", {}, "of kind `bert`; use a file with a `llama` or `gpt2`"),
        ("llama", {"unk_token_id": 10**6}, "not usable"),
    ],
)
def test_other_tokenizers_are_refused(tmp_path: Path, kind: str, more: dict[str, object], reason: str) -> None:
    with pytest.raises(CheckpointError, match=reason):
        tokenizer_json(read_header(_vocabulary(tmp_path / "v.gguf", kind, BYTES, **more)))


@pytest.mark.usefixtures("cache")
def test_a_chat_template_comes_with_the_file(write_gguf: WriteGguf) -> None:
    assert load_gguf(write_gguf("plain.gguf")).chat_template is None
    path = write_gguf(chat="{{ bos_token }}{{ messages[0].content }}{{ eos_token }}")
    for _ in range(2):  # read from the file, then from the cache
        chat = load_gguf(path).chat_template
        assert chat is not None
        assert chat.render([{"role": "user", "content": "hi"}], now=datetime(2024, 1, 1)) == "<bos>hi<eos>"
