"""What a step computes, as integers: which token lies where, and which work each attention kernel does.

The tokens of all chunks stand behind one another in rows. A chunk of one token is a decode: its row attends to
`contexts` positions. Longer chunks are prefill: their rows are cut into tiles of `tile_tokens` rows at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.torch.packing import Ints, Packing

if TYPE_CHECKING:
    import torch

TABLE_STEP = 16  # block tables are padded to this many columns: their width is a kernel argument, see `packing`
UNUSED = -1  # slot of a row that only fills a batch up: nothing is stored for it


@dataclass(frozen=True)
class Prefill:
    """A chunk of more than one token: `size` rows from `row` on, positions `start`, ...; `table` indexes the tables."""

    row: int
    size: int
    start: int
    table: int


@dataclass(frozen=True)
class StepTensors:
    """int32 tensors on the device.

    `tokens`, `positions`, `slots` (rows,): `slots` say where keys and values go, UNUSED for nowhere. `tables` (chunks,
    width): block tables, zeros behind their end. `decode_rows`, `decode_tables`, `contexts` (decodes,): the row of
    each decode, its row in `tables`, and how many positions it attends to (0 for one that fills a batch up).
    `tile_*` (tiles,): each prefill tile's row in `tables`, first row, first position, and number of rows.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    slots: torch.Tensor
    tables: torch.Tensor
    decode_rows: torch.Tensor
    decode_tables: torch.Tensor
    contexts: torch.Tensor
    tile_tables: torch.Tensor
    tile_rows: torch.Tensor
    tile_starts: torch.Tensor
    tile_sizes: torch.Tensor
    prefills: tuple[Prefill, ...] = ()
    longest_decode: int = 0

    @classmethod
    def of(cls, views: Mapping[str, torch.Tensor], prefills: Sequence[Prefill], longest_decode: int) -> StepTensors:
        """From the views of a packing made by `pack_step`; `longest_decode` is the largest of `contexts`."""
        names = [name for name in cls.__dataclass_fields__ if name not in ("prefills", "longest_decode")]
        return cls(**{name: views[name] for name in names}, prefills=tuple(prefills), longest_decode=longest_decode)


@dataclass(frozen=True)
class StepPlan:
    """The integers of `StepTensors` before they are on the device."""

    packing: Packing
    prefills: tuple[Prefill, ...]
    longest_decode: int


def plan_step(batch: Sequence[Chunk], block_size: int, tile_tokens: int) -> StepPlan:
    """The plan of a batch. Raises IndexError when a block table is too short for its chunk."""
    starts = np.cumsum([0, *(len(chunk.tokens) for chunk in batch)])[:-1]
    decodes = [number for number, chunk in enumerate(batch) if len(chunk.tokens) == 1]
    prefills = [
        Prefill(int(starts[number]), len(chunk.tokens), chunk.start, number)
        for number, chunk in enumerate(batch)
        if len(chunk.tokens) > 1
    ]
    contexts = [batch[number].start + 1 for number in decodes]
    packing = Packing()
    packing.add("tokens", np.concatenate([np.asarray(chunk.tokens, np.int32) for chunk in batch]))
    packing.add("positions", np.concatenate([_positions(chunk) for chunk in batch]))
    packing.add("slots", np.concatenate([_slots(chunk, block_size) for chunk in batch]))
    packing.add("tables", _tables(batch, block_size))
    packing.add("decode_rows", starts[decodes])
    packing.add("decode_tables", decodes)
    packing.add("contexts", contexts)
    _add_tiles(packing, prefills, tile_tokens)
    return StepPlan(packing, tuple(prefills), max(contexts, default=0))


def plan_padded_decode(batch: Sequence[Chunk], size: int, width: int, block_size: int) -> StepPlan:
    """A batch of decodes in the fixed shapes of `size` rows and `width` table columns; the rest computes nothing."""
    spare = size - len(batch)
    packing = Packing()
    packing.add("tokens", [*(chunk.tokens[0] for chunk in batch), *[0] * spare])
    packing.add("positions", [*(chunk.start for chunk in batch), *[0] * spare])
    packing.add("slots", [*(int(_slots(chunk, block_size)[0]) for chunk in batch), *[UNUSED] * spare])
    packing.add("tables", _tables(batch, block_size, size, width))
    packing.add("decode_rows", range(size))
    packing.add("decode_tables", range(size))
    packing.add("contexts", [*(chunk.start + 1 for chunk in batch), *[0] * spare])
    _add_tiles(packing, [], 1)
    return StepPlan(packing, (), width * block_size)


def table_width(columns: int) -> int:
    """`columns` rounded up to the step of block tables."""
    return -(-max(columns, 1) // TABLE_STEP) * TABLE_STEP


def _positions(chunk: Chunk) -> Ints:
    return np.arange(chunk.start, chunk.start + len(chunk.tokens), dtype=np.int32)


def _slots(chunk: Chunk, block_size: int) -> Ints:
    positions = _positions(chunk)
    slots: Ints = np.asarray(chunk.block_table, np.int32)[positions // block_size] * block_size + positions % block_size
    return slots


def _tables(batch: Sequence[Chunk], block_size: int, rows: int | None = None, width: int | None = None) -> Ints:
    used = [-(-(chunk.start + len(chunk.tokens)) // block_size) for chunk in batch]
    tables: Ints = np.zeros((rows or len(batch), width or table_width(max(used))), np.int32)
    for row, (chunk, columns) in enumerate(zip(batch, used, strict=True)):
        tables[row, :columns] = chunk.block_table[:columns]
    return tables


def _add_tiles(packing: Packing, prefills: Sequence[Prefill], tile_tokens: int) -> None:
    tiles = [
        (prefill.table, prefill.row + at, prefill.start + at, min(tile_tokens, prefill.size - at))
        for prefill in prefills
        for at in range(0, prefill.size, tile_tokens)
    ]
    columns = np.asarray(tiles, np.int32).reshape(-1, 4).T
    for name, column in zip(("tile_tables", "tile_rows", "tile_starts", "tile_sizes"), columns, strict=True):
        packing.add(name, column)
