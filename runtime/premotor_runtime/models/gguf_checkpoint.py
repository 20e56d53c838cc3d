"""The layers of a GGUF file, dequantized, in this project's order and naming."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gguf import quants

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_config import ROPE_FACTORS
from premotor_runtime.models.gguf_header import GgufHeader, GgufTensor, tensor_blocks
from premotor_runtime.models.packed import Floats, fill, layout

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
}
# the norm before the MLP has another Hugging Face name where there are norms after attention and MLP
_PLAIN_NORMS = {"post_attention_layernorm": "ffn_norm"}
_POST_NORMS = {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
_BESIDE = {"token_embd.weight", "output.weight", ROPE_FACTORS}


def dequantize_layers(header: GgufHeader, config: ModelConfig, flat: Floats) -> None:
    """Fill `flat` (see `packed`) with the file's layers, dequantized; its norm weights already include Gemma's + 1.

    Raises CheckpointError for a tensor of a type that is not read.
    """
    fill(flat, config, _reader(header, config))


def check_layers(header: GgufHeader, config: ModelConfig) -> None:
    """Raise CheckpointError unless the file holds exactly the model's tensors, in its shapes; nothing is allocated."""
    known = set(_BESIDE)
    for name, shape, _ in layout(config):
        known.add(_checked(header, config, name, shape).name)
    if unknown := sorted(set(header.tensors) - known):
        problem = f"it has tensors that are not computed, such as `{unknown[0]}`"
        raise CheckpointError(header.path, problem, "use a plain text model")


def gguf_name(name: str, config: ModelConfig) -> str:
    """The GGUF name of a layer tensor given in Hugging Face spelling: `layers.3.mlp.up_proj.weight`."""
    if name == "norm.weight":
        return "output_norm.weight"
    _, layer, rest = name.split(".", 2)
    part, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{(_NAMES | (_POST_NORMS if config.post_norms else _PLAIN_NORMS))[part]}.{kind}"


def interleaved_heads(name: str, config: ModelConfig) -> int | None:
    """How many heads of tensor `name` lie with rotated pairs side by side in a GGUF; None where they lie as here.

    llama.cpp rotates neighbouring coordinates in its `llama` models and halves in the others, so its converter
    reorders Llama's query and key rows.
    """
    if config.architecture != "llama":
        return None
    if ".q_proj." in name:
        return config.num_attention_heads
    return config.num_key_value_heads if ".k_proj." in name else None


def interleave(rows: Floats, heads: int) -> Floats:
    """From halves to neighbouring pairs: row i of a half next to row i of the other, head by head."""
    halves = rows.reshape(heads, 2, -1, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(rows.shape)


def _deinterleave(rows: Floats, heads: int) -> Floats:
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(rows.shape)


def _checked(header: GgufHeader, config: ModelConfig, name: str, shape: tuple[int, ...]) -> GgufTensor:
    entry = header.tensor(gguf_name(name, config))
    if entry.shape != shape:
        problem = f"tensor `{entry.name}` has shape {entry.shape}, its metadata asks for {shape}"
        raise CheckpointError(header.path, problem, "use another file")
    return entry


def _reader(header: GgufHeader, config: ModelConfig) -> Callable[[str, tuple[int, ...]], Floats]:
    def tensor(name: str, shape: tuple[int, ...]) -> Floats:
        entry = _checked(header, config, name, shape)
        try:
            with np.errstate(invalid="ignore", over="ignore"):  # a damaged scale: the engine reports what it leads to
                values = np.asarray(quants.dequantize(tensor_blocks(header, entry), entry.kind), np.float32)
        except NotImplementedError as error:
            problem = f"tensor `{entry.name}` is of type {entry.kind.name}, which is not read"
            raise CheckpointError(header.path, problem, "use F32, F16, BF16, Q4_0, Q8_0 or a K type") from error
        heads = interleaved_heads(name, config)
        return values if heads is None else _deinterleave(values, heads)

    return tensor
