"""A batch as the library takes it: flat arrays of whole numbers, and places for what it finds."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.protocol import Chunk

_PICKS = {"nothing": 0, "greedy": 1, "logits": 2}


class StepArguments:
    """Made once a step; the arrays live as long as it does. `logits` has a place for each chunk.

    `adapters` numbers those that chunks may name.
    """

    def __init__(self, batch: Sequence[Chunk], vocab_size: int, adapters: Mapping[str | None, int]) -> None:
        self.logits: list[Floats | None] = []
        self._kept: list[object] = []
        # gathered in lists and converted once: arrays are slow to extend
        record: list[int] = []
        tokens: list[int] = []
        tables: list[int] = []
        wanted: list[int] = []
        for chunk in batch:
            count, ids, place = self._words(chunk, vocab_size) if chunk.pick != "nothing" else (-1, 0, 0)
            if chunk.pick != "logits":
                self.logits.append(None)
            table = chunk.block_table
            tokens += chunk.tokens
            tables += table
            wanted += chunk.wanted
            sizes = (len(chunk.tokens), chunk.start, len(table), len(chunk.wanted))
            record += (*sizes, _PICKS[chunk.pick], count, ids, place, adapters[chunk.adapter])
        self.record, self.tokens = array("q", record), array("i", tokens)
        self.tables, self.wanted = array("i", tables), array("i", wanted)

    def _words(self, chunk: Chunk, vocab_size: int) -> tuple[int, int, int]:
        """How many ids are asked about (-1: all), where they are, and where their logits go (0: nowhere)."""
        count, ids = -1, 0
        if chunk.among is not None:
            among = np.ascontiguousarray(chunk.among, np.int64)
            self._kept.append(among)
            count, ids = len(among), among.ctypes.data
        if chunk.pick != "logits":
            return count, ids, 0
        logits = np.empty(vocab_size if count < 0 else count, np.float32)
        self.logits.append(logits)
        return count, ids, logits.ctypes.data

    def places(self) -> tuple[int, int, int, int]:
        """Addresses of the record of chunks, tokens, block tables and wanted indices."""
        arrays = (self.record, self.tokens, self.tables, self.wanted)
        chunk, tokens, tables, wanted = (each.buffer_info()[0] for each in arrays)
        return chunk, tokens, tables, wanted
