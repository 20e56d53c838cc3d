"""Where each tensor lies in the packed weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.native.library import Library

_ALIGNMENT = 64
_CACHE_TILE = 16
_WEIGHT_BYTES = {"f32": 4.0, "bf16": 2.0, "int8": 1.0625, "int4": 0.5625}
NORMS = ("attention_norm", "mlp_norm", "qkv_bias", "query_norm", "key_norm", "post_attention_norm", "post_mlp_norm")


@dataclass(frozen=True)
class Matrix:
    """A packed matrix at `offset`."""

    offset: int
    rows: int
    columns: int
    precision: str


@dataclass(frozen=True)
class PackedLayout:
    """`layers[n]` maps names of `LayerWeights` (gate and up apart) to a matrix, or to a float32 vector's offset."""

    precision: str
    table_precision: str
    layers: tuple[dict[str, Matrix | int], ...]
    final_norm: int
    embedding: Matrix
    head: Matrix
    size: int


def table_precision(config: ModelConfig, precision: str) -> str:
    """That of embedding and head: int8 instead of int4 where the table is larger than all layers together.

    In such a model most of what 4 bits would save is a table whose rows decide every word.
    """
    layer = config.hidden_size * (2 * config.query_size + 2 * config.kv_size + 3 * config.intermediate_size)
    heavy = config.vocab_size * config.hidden_size > config.num_hidden_layers * layer
    return "int8" if precision == "int4" and heavy else precision


def packed_layout(config: ModelConfig, precision: str, library: Library) -> PackedLayout:
    """Layer by layer in the order of use, then the final norm and the tables."""
    place = _Place(library)
    table = table_precision(config, precision)
    layers = tuple(_layer(config, precision, place) for _ in range(config.num_hidden_layers))
    final_norm = place.floats(config.hidden_size)
    embedding = place.matrix(config.vocab_size, config.hidden_size, table)
    head = embedding if config.tie_word_embeddings else place.matrix(config.vocab_size, config.hidden_size, table)
    return PackedLayout(precision, table, layers, final_norm, embedding, head, place.at)


def weight_bytes(config: ModelConfig, precision: str) -> int:
    """About what the packed weights take, known before the library is: padding is left out."""
    layer = config.hidden_size * (2 * config.query_size + 2 * config.kv_size + 3 * config.intermediate_size)
    tables = (1 if config.tie_word_embeddings else 2) * config.vocab_size * config.hidden_size
    table = _WEIGHT_BYTES[table_precision(config, precision)]
    return round(config.num_hidden_layers * layer * _WEIGHT_BYTES[precision] + tables * table)


def block_bytes(config: ModelConfig, block_size: int, precision: str) -> int:
    """Memory of one block of keys and values as `source/cache.h` lays it out: whole tiles, values padded to 16."""
    tiles = block_size // math.gcd(block_size, _CACHE_TILE)
    tile = (config.head_dim + -(-config.head_dim // 16) * 16) * _CACHE_TILE * (4 if precision == "f32" else 2)
    return config.num_hidden_layers * config.num_key_value_heads * tiles * tile


class _Place:
    def __init__(self, library: Library) -> None:
        self.at = 0
        self._library = library

    def matrix(self, rows: int, columns: int, precision: str) -> Matrix:
        return Matrix(self._take(self._library.linear_bytes(precision, rows, columns)), rows, columns, precision)

    def floats(self, count: int) -> int:
        return self._take(4 * count)

    def _take(self, size: int) -> int:
        offset = self.at
        self.at += -(-size // _ALIGNMENT) * _ALIGNMENT
        return offset


def _layer(config: ModelConfig, precision: str, place: _Place) -> dict[str, Matrix | int]:
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.head_dim
    qkv = config.query_size + 2 * config.kv_size
    layer: dict[str, Matrix | int] = {"attention_norm": place.floats(hidden), "mlp_norm": place.floats(hidden)}
    if config.qkv_bias:
        layer["qkv_bias"] = place.floats(qkv)
    if config.qk_norm:
        layer |= {"query_norm": place.floats(heads), "key_norm": place.floats(heads)}
    if config.post_norms:
        layer |= {"post_attention_norm": place.floats(hidden), "post_mlp_norm": place.floats(hidden)}
    layer["qkv"] = place.matrix(qkv, hidden, precision)
    layer["output"] = place.matrix(hidden, config.query_size, precision)
    layer["gate"] = place.matrix(inner, hidden, precision)
    layer["up"] = place.matrix(inner, hidden, precision)
    layer["down"] = place.matrix(hidden, inner, precision)
    return layer
