"""A checkpoint's weights, packed for the native library; kept as a file that later starts only map.

`<cache>/native/weights/<model>-<precision>-<layout>.weights`: a page with a description, then the packed bytes. The
description is written last, so that an unfinished file is not mistaken for a whole one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import mmap
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.embedding import EmbeddingTable
from premotor_runtime.models.packed import Floats, layer_weights
from premotor_runtime.runners.native.build import source_digest
from premotor_runtime.runners.native.layout import NORMS, Matrix, PackedLayout
from premotor_runtime.runners.native.library import PRECISIONS, Library

Bytes = npt.NDArray[np.uint8]
_SCHEMA = "premotor.native.weights/1"
_PAGE = 4096
_TABLE_ROWS = 4096
_log = logging.getLogger(__name__)


def packed_weights(
    checkpoint: Checkpoint, layout: PackedLayout, library: Library, key: str | None, folder: Path
) -> Bytes:
    """The packed weights, from the cache under `folder` where `key` names them, else packed in memory.

    `key` must identify the weights, a merged adapter included. A file that cannot be written costs time at the next
    start, nothing else.
    """
    if key is None:
        return _fresh(checkpoint, layout, library)
    description = _description(checkpoint, layout, library, key)
    path = folder / "native" / "weights" / f"{description['model']}-{layout.precision}-{description['layout']}.weights"
    ready = _mapped(path, description, layout.size)
    if ready is not None:
        return ready
    try:
        _write(path, description, layout.size, lambda out: pack(checkpoint, layout, library, out))
    except OSError as error:
        _log.warning("packed weights are not kept: %s cannot be written (%s)", path, error)
        return _fresh(checkpoint, layout, library)
    ready = _mapped(path, description, layout.size)
    return _fresh(checkpoint, layout, library) if ready is None else ready


def are_kept(checkpoint: Checkpoint, layout: PackedLayout, library: Library, key: str, folder: Path) -> bool:
    """Whether `packed_weights` would only map a file."""
    description = _description(checkpoint, layout, library, key)
    path = folder / "native" / "weights" / f"{description['model']}-{layout.precision}-{description['layout']}.weights"
    return _mapped(path, description, layout.size) is not None


def pack(checkpoint: Checkpoint, layout: PackedLayout, library: Library, out: Bytes) -> None:
    """Fill `out` (layout.size bytes, 64-byte aligned) with every tensor of the checkpoint."""
    inner = checkpoint.config.intermediate_size
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        work = []
        for places, weights in zip(layout.layers, layer_weights(checkpoint.flat, checkpoint.config), strict=True):
            matrices = {"qkv": weights.qkv, "output": weights.output, "down": weights.down}
            matrices |= {"gate": weights.gate_up[:inner], "up": weights.gate_up[inner:]}
            for name, matrix in matrices.items():
                work.append(pool.submit(_pack_rows, library, _matrix(places[name]), matrix, 0, out))
            for name in NORMS:
                if name in places:
                    _put(out, places[name], getattr(weights, name))
        _put(out, layout.final_norm, checkpoint.flat[-checkpoint.config.hidden_size :])
        work += [pool.submit(job) for job in _table(library, layout.embedding, checkpoint.embedding, out)]
        if layout.head.offset != layout.embedding.offset:
            work += [pool.submit(job) for job in _table(library, layout.head, checkpoint.head, out)]
        for job in work:
            job.result()


def _table(library: Library, place: Matrix, table: EmbeddingTable, out: Bytes) -> list[Callable[[], None]]:
    def job(first: int) -> Callable[[], None]:
        rows = slice(first, min(first + _TABLE_ROWS, place.rows))
        return lambda: _pack_rows(library, place, table.rows(rows), first, out)

    return [job(first) for first in range(0, place.rows, _TABLE_ROWS)]


def _pack_rows(library: Library, place: Matrix, matrix: Floats, first: int, out: Bytes) -> None:
    rows = np.ascontiguousarray(matrix, np.float32)
    target = out.ctypes.data + place.offset
    kind = PRECISIONS[place.precision]
    library.pack(kind, place.rows, place.columns, rows.ctypes.data, target, first, first + len(rows))


def _put(out: Bytes, offset: Matrix | int, values: Floats) -> None:
    assert isinstance(offset, int)
    out[offset : offset + 4 * len(values)] = np.ascontiguousarray(values, np.float32).view(np.uint8)


def _matrix(place: Matrix | int) -> Matrix:
    assert isinstance(place, Matrix)
    return place


def _fresh(checkpoint: Checkpoint, layout: PackedLayout, library: Library) -> Bytes:
    room = np.zeros(layout.size + _PAGE, np.uint8)
    out = room[-room.ctypes.data % _PAGE :][: layout.size]
    pack(checkpoint, layout, library, out)
    return out


def _description(checkpoint: Checkpoint, layout: PackedLayout, library: Library, key: str) -> dict[str, str | int]:
    config = repr(checkpoint.config)
    return {
        "schema": _SCHEMA,
        "model": hashlib.sha256(f"{key}\0{config}".encode()).hexdigest()[:24],
        "layout": hashlib.sha256(f"{source_digest('linear')}\0{library.instruction_set}".encode()).hexdigest()[:12],
        "precision": layout.precision,
        "table_precision": layout.table_precision,
        "size": layout.size,
    }


def _mapped(path: Path, description: dict[str, str | int], size: int) -> Bytes | None:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != _PAGE + size:
                return None
            if json.loads(file.read(_PAGE).rstrip(b"\0")) != description:
                return None
            return np.frombuffer(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED), np.uint8)[
                _PAGE:
            ]
    except (OSError, ValueError):
        return None


def _write(path: Path, description: dict[str, str | int], size: int, fill: Callable[[Bytes], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "r+b") as file:
            _set_aside(file.fileno(), _PAGE + size)
            with mmap.mmap(file.fileno(), _PAGE + size) as mapped:
                room = np.frombuffer(mapped, np.uint8)
                fill(room[_PAGE:])
                head = json.dumps(description).encode()
                room[: len(head)] = np.frombuffer(head, np.uint8)
                del room
            os.fsync(file.fileno())
        os.replace(beside, path)  # noqa: PTH105 - the atomic step itself
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    for older in path.parent.glob(f"{description['model']}-{description['precision']}-*.weights"):
        if older != path:
            with contextlib.suppress(OSError):
                older.unlink()


def _set_aside(handle: int, size: int) -> None:
    # a full disk must be an error here, not a signal while the mapping is written
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
    else:
        os.ftruncate(handle, size)
