"""Embedding tables: token ids in, float32 rows out. The table itself may stay quantized and on disk."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt
from gguf import quants
from gguf.constants import GGMLQuantizationType

from premotor_runtime.models.packed import Floats

Ids = npt.NDArray[np.int64]


class EmbeddingTable(Protocol):
    """Rows of an (vocab_size, hidden_size) matrix."""

    @property
    def vocab_size(self) -> int:
        """Number of rows."""
        ...

    def rows(self, ids: Ids | slice) -> Floats:
        """The rows `ids` (any order, repeats allowed) or a slice of rows, as float32 (n, hidden_size)."""
        ...


class DenseTable:
    """A table kept as float32."""

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix

    @property
    def vocab_size(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    def rows(self, ids: Ids | slice) -> Floats:
        """See `EmbeddingTable.rows`."""
        return self.matrix[ids]


class QuantizedTable:
    """A table kept as GGUF blocks, uint8 (vocab_size, bytes a row); only the rows asked for are dequantized."""

    def __init__(self, blocks: npt.NDArray[np.uint8], kind: GGMLQuantizationType) -> None:
        self.blocks = blocks
        self.kind = kind

    @property
    def vocab_size(self) -> int:
        """Number of rows."""
        return int(self.blocks.shape[0])

    def rows(self, ids: Ids | slice) -> Floats:
        """See `EmbeddingTable.rows`."""
        picked = np.ascontiguousarray(self.blocks[ids])
        if self.kind is GGMLQuantizationType.Q8_0:
            return _q8_0(picked)
        return np.asarray(quants.dequantize(picked, self.kind), np.float32)


def _q8_0(rows: npt.NDArray[np.uint8]) -> Floats:
    # one float16 scale, then 32 signed bytes; in one pass, since whole vocabularies go through here
    block = np.dtype([("scale", "<f2"), ("values", "i1", 32)])
    blocks = rows.view(block)
    scaled: Floats = blocks["values"] * blocks["scale"].astype(np.float32)[..., None]
    return scaled.reshape(len(rows), -1)
