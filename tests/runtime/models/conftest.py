"""Small checkpoint files of both formats, written without torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, INNER, LAYERS = 64, 4, 2, 16, 96, 2
LLAMA = {
    "model_type": "llama", "vocab_size": 256, "hidden_size": HIDDEN, "intermediate_size": INNER,
    "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD_DIM,
    "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 128, "tie_word_embeddings": True,
    "bos_token_id": 1, "eos_token_id": [2, 3], "hidden_act": "silu",
}  # fmt: skip
SHAPES = {
    "self_attn.q_proj": (HEADS * HEAD_DIM, HIDDEN), "self_attn.k_proj": (KV_HEADS * HEAD_DIM, HIDDEN),
    "self_attn.v_proj": (KV_HEADS * HEAD_DIM, HIDDEN), "self_attn.o_proj": (HIDDEN, HEADS * HEAD_DIM),
    "mlp.gate_proj": (INNER, HIDDEN), "mlp.up_proj": (INNER, HIDDEN), "mlp.down_proj": (HIDDEN, INNER),
    "input_layernorm": (HIDDEN,), "post_attention_layernorm": (HIDDEN,),
}  # fmt: skip
GGUF_MATRICES = {
    "attn_q": (HEADS * HEAD_DIM, HIDDEN), "attn_k": (KV_HEADS * HEAD_DIM, HIDDEN),
    "attn_v": (KV_HEADS * HEAD_DIM, HIDDEN), "attn_output": (HIDDEN, HEADS * HEAD_DIM),
    "ffn_gate": (INNER, HIDDEN), "ffn_up": (INNER, HIDDEN), "ffn_down": (HIDDEN, INNER),
}  # fmt: skip
GGUF_NORMS = {
    "attn_norm": HIDDEN, "post_attention_norm": HIDDEN, "ffn_norm": HIDDEN, "post_ffw_norm": HIDDEN,
    "attn_q_norm": HEAD_DIM, "attn_k_norm": HEAD_DIM,
}  # fmt: skip
PIECES = ["<pad>", "<eos>", "<bos>", "<unk>", "\u2581", "a", "b", "ab", "\u2581ab", "  ", "\n", "c", "<x>"]


def _llama_tensors() -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    tensors = {"model.embed_tokens.weight": random.normal(0, 1, (256, HIDDEN)).astype(np.float32)}
    tensors["model.norm.weight"] = np.ones(HIDDEN, np.float32)
    for layer in range(LAYERS):
        for name, shape in SHAPES.items():
            tensors[f"model.layers.{layer}.{name}.weight"] = random.normal(0, 0.1, shape).astype(np.float32)
    return tensors


@pytest.fixture
def hf_folder(tmp_path: Path) -> Path:
    """A Llama checkpoint in one safetensors file, with a byte tokenizer."""
    folder = tmp_path / "llama"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(BPE(vocab={piece: number for number, piece in enumerate(alphabet)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    raw.save(str(folder / "tokenizer.json"))
    save_file(_llama_tensors(), folder / "model.safetensors")
    return folder


@pytest.fixture
def write_gguf(tmp_path: Path) -> Callable[..., Path]:
    """Writes a tiny Gemma 3 GGUF with quantized matrices; keyword arguments change its metadata."""

    def write(name: str = "tiny.gguf", architecture: str = "gemma3", chat: str = "", **changes: object) -> Path:
        path = tmp_path / name
        writer = gguf.GGUFWriter(path, architecture)
        values = {
            "context_length": 128, "embedding_length": HIDDEN, "block_count": LAYERS, "feed_forward_length": INNER,
            "attention.head_count": HEADS, "attention.head_count_kv": KV_HEADS, "attention.key_length": HEAD_DIM,
            "attention.sliding_window": 8,
        } | changes  # fmt: skip
        for key, value in values.items():
            add = writer.add_string if isinstance(value, str) else writer.add_uint32
            add(f"{architecture}.{key}", value)
        writer.add_float32(f"{architecture}.attention.layer_norm_rms_epsilon", 1e-6)
        writer.add_float32(f"{architecture}.rope.freq_base", 1e6)
        _add_tokenizer(writer)
        if chat:
            writer.add_chat_template(chat)
        _add_tensors(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write


def _add_tokenizer(writer: gguf.GGUFWriter) -> None:
    writer.add_tokenizer_model("llama")
    writer.add_token_list(PIECES)
    writer.add_token_types([3, 3, 3, 3, 1, 1, 1, 1, 1, 4, 4, 1, 3])
    for name, number in (("unk", 3), ("bos", 2), ("eos", 1)):
        getattr(writer, f"add_{name}_token_id")(number)


def _add_tensors(writer: gguf.GGUFWriter) -> None:
    random = np.random.default_rng(2)

    def matrix(name: str, shape: tuple[int, int]) -> None:
        values = random.normal(0, 0.1, shape).astype(np.float32)
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    matrix("token_embd.weight", (len(PIECES), HIDDEN))
    writer.add_tensor("output_norm.weight", np.ones(HIDDEN, np.float32))
    for layer in range(LAYERS):
        for name, shape in GGUF_MATRICES.items():
            matrix(f"blk.{layer}.{name}.weight", shape)
        for name, size in GGUF_NORMS.items():
            writer.add_tensor(f"blk.{layer}.{name}.weight", random.uniform(0.5, 1.5, size).astype(np.float32))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder that the loaders use."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "premotor"
