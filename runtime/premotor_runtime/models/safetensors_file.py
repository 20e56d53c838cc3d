"""Tensors of one safetensors file as float32, bfloat16 included (which numpy has no type for)."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.packed import Floats

_FLOATS = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2"}
_PIECE = 1 << 20
_REMEDY = "fetch or write the file again"


class SafetensorsFile:
    """A validated file; tensors are read when asked for. Raises CheckpointError when it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with safe_open(path, "np") as checked:  # refuses truncated files and overlapping tensors
                self.metadata: dict[str, str] = dict(checked.metadata() or {})
            with path.open("rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                self._entries: dict[str, Any] = json.loads(file.read(length))
        except FileNotFoundError as error:
            raise CheckpointError(path, "no such file", "check the path") from error
        except (SafetensorError, OSError, struct.error, ValueError) as error:
            raise CheckpointError(path, f"truncated or corrupt ({error})", _REMEDY) from error
        self._entries.pop("__metadata__", None)
        self._start = 8 + length

    @property
    def names(self) -> tuple[str, ...]:
        """All tensor names."""
        return tuple(self._entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of tensor `name`; raises CheckpointError when it is missing."""
        return tuple(self._entry(name)["shape"])

    def tensor(self, name: str) -> Floats:
        """Tensor `name` as float32. Raises CheckpointError when it is missing or not of a float type."""
        entry = self._entry(name)
        kind = entry["dtype"]
        if kind not in _FLOATS:
            problem = f"tensor `{name}` is of type {kind}; {', '.join(_FLOATS)} are read"
            raise CheckpointError(self.path, problem, "convert it to bfloat16, float16 or float32")
        start, stop = entry["data_offsets"]
        dtype = np.dtype(_FLOATS[kind])
        count = (stop - start) // dtype.itemsize
        values = np.empty(count, np.float32)
        with self.path.open("rb") as file:
            file.seek(self._start + start)
            # piece by piece, so that a large tensor is in memory once, not once in either width
            for at in range(0, count, _PIECE):
                raw = np.fromfile(file, dtype, min(_PIECE, count - at))
                _widen(raw, kind, values[at : at + _PIECE])
        shaped: Floats = values.reshape(entry["shape"])
        return shaped

    def _entry(self, name: str) -> Any:
        if name not in self._entries:
            raise CheckpointError(self.path, f"it has no tensor `{name}`", _REMEDY)
        return self._entries[name]


def _widen(raw: npt.NDArray[Any], kind: str, values: Floats) -> None:
    if kind == "BF16":
        bits = values.view(np.uint32)
        bits[:] = raw
        bits <<= 16
    else:
        values[:] = raw
