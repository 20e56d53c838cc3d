"""All layer weights of a model in one flat float32 array, and the views into it.

The order is fixed by `layout`, so that query, key and value (and gate and up) lie side by side and one matrix product
serves them together, and so that the array can be a memory-mapped file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from premotor_runtime.models.config import ModelConfig

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LayerWeights:
    """One layer. Matrices are (out, in): y = x @ w.T. Norm weights are plain factors (Gemma's "+ 1" already added).

    `qkv` stacks query, key and value rows, `gate_up` stacks gate and up rows; `qkv_bias` is stacked as `qkv` is. What
    the model lacks (`ModelConfig.qkv_bias`, `qk_norm`, `post_norms`) is None.
    """

    qkv: Floats
    output: Floats
    gate_up: Floats
    down: Floats
    attention_norm: Floats
    mlp_norm: Floats
    qkv_bias: Floats | None
    query_norm: Floats | None
    key_norm: Floats | None
    post_attention_norm: Floats | None
    post_mlp_norm: Floats | None


def layer_shapes(config: ModelConfig, layer: int) -> dict[str, tuple[int, ...]]:
    """Hugging Face name (without `model.`) to shape for one layer, in storage order."""
    hidden, inner = config.hidden_size, config.intermediate_size
    at = f"layers.{layer}."
    shapes: dict[str, tuple[int, ...]] = {
        f"{at}self_attn.q_proj.weight": (config.query_size, hidden),
        f"{at}self_attn.k_proj.weight": (config.kv_size, hidden),
        f"{at}self_attn.v_proj.weight": (config.kv_size, hidden),
        f"{at}self_attn.o_proj.weight": (hidden, config.query_size),
        f"{at}mlp.gate_proj.weight": (inner, hidden),
        f"{at}mlp.up_proj.weight": (inner, hidden),
        f"{at}mlp.down_proj.weight": (hidden, inner),
        f"{at}input_layernorm.weight": (hidden,),
        f"{at}post_attention_layernorm.weight": (hidden,),
    }
    if config.qkv_bias:
        shapes[f"{at}self_attn.q_proj.bias"] = (config.query_size,)
        shapes[f"{at}self_attn.k_proj.bias"] = (config.kv_size,)
        shapes[f"{at}self_attn.v_proj.bias"] = (config.kv_size,)
    if config.post_norms:
        shapes[f"{at}pre_feedforward_layernorm.weight"] = (hidden,)
        shapes[f"{at}post_feedforward_layernorm.weight"] = (hidden,)
    if config.qk_norm:
        shapes[f"{at}self_attn.q_norm.weight"] = (config.head_dim,)
        shapes[f"{at}self_attn.k_norm.weight"] = (config.head_dim,)
    return shapes


def layout(config: ModelConfig) -> Iterator[tuple[str, tuple[int, ...], slice]]:
    """Yield (name, shape, place in the flat array) for every layer tensor and the final norm."""
    at = 0
    for layer in range(config.num_hidden_layers):
        for name, shape in layer_shapes(config, layer).items():
            yield name, shape, slice(at, at + math.prod(shape))
            at += math.prod(shape)
    yield "norm.weight", (config.hidden_size,), slice(at, at + config.hidden_size)


def packed_size(config: ModelConfig) -> int:
    """Number of float32 values in the flat array."""
    return int([place.stop for _, _, place in layout(config)][-1])


def fill(flat: Floats, config: ModelConfig, tensor: Callable[[str, tuple[int, ...]], Floats]) -> None:
    """Write every tensor into `flat`; `tensor(name, shape)` must return it in that shape."""
    for name, shape, place in layout(config):
        flat[place] = tensor(name, shape).reshape(-1)


def named_views(flat: Floats, config: ModelConfig) -> dict[str, Floats]:
    """Hugging Face name to a view into `flat`, in the tensor's own shape."""
    return {name: flat[place].reshape(shape) for name, shape, place in layout(config)}


def layer_weights(flat: Floats, config: ModelConfig) -> tuple[LayerWeights, ...]:
    """The layers as views into `flat`; nothing is copied."""
    places = {name: (shape, place) for name, shape, place in layout(config)}

    def view(layer: int, *names: str, kind: str = "weight") -> Floats:
        shape, place = places[f"layers.{layer}.{names[0]}.{kind}"]
        stop = places[f"layers.{layer}.{names[-1]}.{kind}"][1].stop
        return flat[place.start : stop].reshape(-1, *shape[1:])

    def optional(present: bool, layer: int, *names: str, kind: str = "weight") -> Floats | None:
        return view(layer, *names, kind=kind) if present else None

    projections = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")

    return tuple(
        LayerWeights(
            qkv=view(n, *projections),
            output=view(n, "self_attn.o_proj"),
            gate_up=view(n, "mlp.gate_proj", "mlp.up_proj"),
            down=view(n, "mlp.down_proj"),
            attention_norm=view(n, "input_layernorm"),
            # the same name means the norm before the MLP without post norms, and the one after attention with them
            mlp_norm=view(n, "pre_feedforward_layernorm" if config.post_norms else "post_attention_layernorm"),
            qkv_bias=optional(config.qkv_bias, n, *projections, kind="bias"),
            query_norm=optional(config.qk_norm, n, "self_attn.q_norm"),
            key_norm=optional(config.qk_norm, n, "self_attn.k_norm"),
            post_attention_norm=optional(config.post_norms, n, "post_attention_layernorm"),
            post_mlp_norm=optional(config.post_norms, n, "post_feedforward_layernorm"),
        )
        for n in range(config.num_hidden_layers)
    )
