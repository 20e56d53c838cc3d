"""A Gemma 3 GGUF file as a checkpoint: configuration, dequantized layers, quantized embedding, tokenizer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from gguf import quants

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_header import GgufHeader, GgufTensor
from premotor_runtime.models.packed import Floats, fill

_LOCAL_ROPE_THETA = 10_000.0  # not in the file: fixed for every Gemma 3 (Gemma 3 report, section 2)
_LAYERS_A_GLOBAL_ONE = 6
_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
}


def model_config(header: GgufHeader) -> ModelConfig:
    """The configuration in the metadata. Raises CheckpointError for anything but a plain Gemma 3 text model."""
    architecture = header.value("general.architecture")
    if architecture != "gemma3":
        remedy = "use a Gemma 3 GGUF, or a Hugging Face folder for Llama"
        raise CheckpointError(header.path, f"its architecture is `{architecture}`; gemma3 is read", remedy)
    _refuse_variants(header)
    value = {key: header.value(f"gemma3.{key}") for key in _KEYS}
    layers = int(value["block_count"])
    try:
        return ModelConfig(
            architecture="gemma3",
            vocab_size=len(header.value("tokenizer.ggml.tokens")),
            hidden_size=int(value["embedding_length"]),
            intermediate_size=int(value["feed_forward_length"]),
            num_hidden_layers=layers,
            num_attention_heads=int(value["attention.head_count"]),
            num_key_value_heads=int(value["attention.head_count_kv"]),
            head_dim=int(value["attention.key_length"]),
            rms_norm_eps=float(value["attention.layer_norm_rms_epsilon"]),
            rope_theta=float(value["rope.freq_base"]),
            rope_local_theta=_LOCAL_ROPE_THETA,
            max_position_embeddings=int(value["context_length"]),
            tie_word_embeddings="output.weight" not in header.tensors,
            bos_token_id=int(header.value("tokenizer.ggml.bos_token_id")),
            eos_token_ids=(int(header.value("tokenizer.ggml.eos_token_id")),),
            attention_scale=float(value["attention.key_length"]) ** -0.5,
            sliding_window=int(value["attention.sliding_window"]),
            sliding_layers=tuple(bool((n + 1) % _LAYERS_A_GLOBAL_ONE) for n in range(layers)),
        )
    except (TypeError, ValueError) as error:
        raise CheckpointError(header.path, f"its metadata makes no model ({error})", "use another file") from error


_KEYS = (
    "embedding_length", "feed_forward_length", "block_count", "attention.head_count", "attention.head_count_kv",
    "attention.key_length", "attention.layer_norm_rms_epsilon", "rope.freq_base", "context_length",
    "attention.sliding_window",
)  # fmt: skip


def _refuse_variants(header: GgufHeader) -> None:
    scaling = header.metadata.get("gemma3.rope.scaling.type", "none")
    softcap = any(key.endswith("softcapping") for key in header.metadata)
    if scaling != "none" or softcap or int(header.value("gemma3.block_count")) == 62:
        problem = "it is a Gemma 3 variant (scaled rope, soft caps or 27B scaling) that the engine does not compute"
        raise CheckpointError(header.path, problem, "use the 270M or 1B text model")


def dequantize_layers(header: GgufHeader, config: ModelConfig, flat: Floats) -> None:
    """Fill `flat` (see `packed`) with the file's layers, dequantized; its norm weights already include Gemma's + 1."""
    fill(flat, config, _reader(header))


def tensor_blocks(header: GgufHeader, tensor: GgufTensor) -> npt.NDArray[np.uint8]:
    """The raw bytes of a matrix, memory-mapped, as uint8 (rows, bytes a row)."""
    data = np.memmap(header.path, np.uint8, mode="r", offset=tensor.offset, shape=(tensor.size,))
    return data.reshape(tensor.shape[0], -1) if len(tensor.shape) > 1 else data


def gguf_name(name: str) -> str:
    """The GGUF name of a layer tensor given in Hugging Face spelling: `layers.3.mlp.up_proj.weight`."""
    if name == "norm.weight":
        return "output_norm.weight"
    _, layer, rest = name.split(".", 2)
    return f"blk.{layer}.{_NAMES[rest.removesuffix('.weight')]}.weight"


def _reader(header: GgufHeader) -> Callable[[str, tuple[int, ...]], Floats]:
    def tensor(name: str, shape: tuple[int, ...]) -> Floats:
        entry = header.tensor(gguf_name(name))
        if entry.shape != shape:
            problem = f"tensor `{entry.name}` has shape {entry.shape}, its metadata asks for {shape}"
            raise CheckpointError(header.path, problem, "use another file")
        return np.asarray(quants.dequantize(tensor_blocks(header, entry), entry.kind), np.float32)

    return tensor
