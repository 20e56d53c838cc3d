"""The shape and the features of a model. Runners branch on features, never on a model's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Architecture = Literal["llama", "qwen2", "qwen3", "gemma3"]
Activation = Literal["silu", "gelu_tanh"]


@dataclass(frozen=True)
class RopeScaling:
    """Llama 3's frequency scaling ("llama3" in Hugging Face configurations)."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int


@dataclass(frozen=True)
class ModelConfig:
    """Sizes, constants and features of a decoder-only transformer; names follow Hugging Face `config.json`.

    `architecture` says which family a file was written for; it names, it does not decide.
    `sliding_layers[n]` says whether layer n sees only the last `sliding_window` positions, itself included; such layers
    rotate with `rope_local_theta` (unscaled) where that is given, all others with `rope_theta` and `rope_scaling`.
    `attention_scale` multiplies q.k.

    Features: `qkv_bias` adds a vector to query, key and value; `qk_norm` is an RMSNorm over each head of q and k before
    rotation; `post_norms` are RMSNorms of what attention and MLP return, before it is added to the residual stream;
    `embedding_scale` multiplies embeddings on the way in; `activation` is that of the MLP's gate. `norm_offset` is what
    Hugging Face files leave out of their norm weights (Gemma: 1); loaded weights (`packed`) already include it.
    """

    architecture: Architecture
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float
    rope_theta: float
    max_position_embeddings: int
    tie_word_embeddings: bool
    bos_token_id: int | None
    eos_token_ids: tuple[int, ...]
    attention_scale: float
    rope_scaling: RopeScaling | None = None
    rope_local_theta: float | None = None
    sliding_window: int | None = None
    sliding_layers: tuple[bool, ...] = ()
    qkv_bias: bool = False
    qk_norm: bool = False
    post_norms: bool = False
    embedding_scale: float = 1.0
    activation: Activation = "silu"
    norm_offset: float = 0.0

    def __post_init__(self) -> None:
        sizes = (self.vocab_size, self.hidden_size, self.intermediate_size, self.num_hidden_layers, self.head_dim)
        if min(*sizes, self.num_attention_heads, self.num_key_value_heads, self.max_position_embeddings) < 1:
            raise ValueError("every size of a model must be at least 1")
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"{self.num_attention_heads} query heads cannot share {self.num_key_value_heads} key-value heads evenly"
            )
        if self.head_dim % 2:
            raise ValueError(f"head_dim is {self.head_dim}; rotary embedding needs an even one")
        if self.sliding_layers and len(self.sliding_layers) != self.num_hidden_layers:
            raise ValueError(f"{len(self.sliding_layers)} layer kinds given for {self.num_hidden_layers} layers")
        if any(self.sliding_layers) and (self.sliding_window or 0) < 1:
            raise ValueError(f"the sliding window is {self.sliding_window}; it must be at least 1")

    @property
    def query_size(self) -> int:
        """Width of all query heads together."""
        return self.num_attention_heads * self.head_dim

    @property
    def kv_size(self) -> int:
        """Width of all key heads (or all value heads) together."""
        return self.num_key_value_heads * self.head_dim

    def window(self, layer: int) -> int | None:
        """How many positions layer `layer` sees, itself included; None for all."""
        return self.sliding_window if self.sliding_layers and self.sliding_layers[layer] else None
