"""The header of a GGUF file: metadata and tensor table.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian). Read here rather
than by `gguf.GGUFReader` because that one makes an array per vocabulary entry, which takes half a minute.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from premotor_runtime.models.errors import CheckpointError

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_DIMENSIONS = 4
_REMEDY = "download or assemble the file again"


@dataclass(frozen=True)
class GgufTensor:
    """One entry of the tensor table; `shape` is slowest dimension first, `offset` and `size` are bytes in the file."""

    name: str
    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int
    size: int


@dataclass(frozen=True)
class GgufHeader:
    """Metadata (scalars, strings, lists; numeric arrays as numpy) and tensors by name."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, GgufTensor]

    def value(self, key: str) -> Any:
        """The metadata under `key`; raises CheckpointError when it is missing."""
        if key not in self.metadata:
            raise CheckpointError(self.path, f"its metadata lacks `{key}`", "use a GGUF made by llama.cpp's converter")
        return self.metadata[key]

    def tensor(self, name: str) -> GgufTensor:
        """The tensor called `name`; raises CheckpointError when it is missing."""
        if name not in self.tensors:
            raise CheckpointError(self.path, f"it has no tensor `{name}`", _REMEDY)
        return self.tensors[name]


def tensor_blocks(header: GgufHeader, tensor: GgufTensor) -> npt.NDArray[np.uint8]:
    """The raw bytes of a tensor, memory-mapped: uint8 (rows, bytes a row), or flat for a vector."""
    data = np.memmap(header.path, np.uint8, mode="r", offset=tensor.offset, shape=(tensor.size,))
    return data.reshape(tensor.shape[0], -1) if len(tensor.shape) > 1 else data


def read_header(path: Path) -> GgufHeader:
    """Read metadata and tensor table; every tensor is checked to lie inside the file.

    Raises CheckpointError for a missing, truncated, foreign or unsupported file.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _parse(_Cursor(data), path)
    except FileNotFoundError as error:
        raise CheckpointError(path, "no such file", "check the path") from error
    except (struct.error, UnicodeDecodeError, MemoryError) as error:
        raise CheckpointError(path, "its header is truncated or corrupt", _REMEDY) from error
    except (OSError, ValueError, TypeError, ArithmeticError) as error:
        raise CheckpointError(path, f"it cannot be read as GGUF ({error})", _REMEDY) from error


class _Cursor:
    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def scalar(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self.data, self.at)
        self.at += struct.calcsize(f"<{code}")
        return value

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise struct.error("past the end")
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        return self.take(self.scalar("Q")).decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self.array()
        if kind not in _SCALARS:
            raise ValueError(f"unknown metadata type {kind}")
        return self.scalar(_SCALARS[kind])

    def array(self) -> Any:
        kind, count = self.scalar("I"), self.scalar("Q")
        if kind in _SCALARS:
            dtype = np.dtype(f"<{'B' if kind == 7 else _SCALARS[kind]}")
            return np.frombuffer(self.take(count * dtype.itemsize), dtype)
        if kind != _STRING or count > len(self.data):
            raise ValueError(f"metadata array of type {kind} with {count} entries")
        return [self.text() for _ in range(count)]


def _parse(cursor: _Cursor, path: Path) -> GgufHeader:
    magic = cursor.take(4)
    version = cursor.scalar("I")
    if magic != b"GGUF" or version not in (2, 3):
        raise ValueError(f"magic {magic!r}, version {version}; GGUF versions 2 and 3 are read")
    tensor_count, metadata_count = cursor.scalar("Q"), cursor.scalar("Q")
    metadata = {cursor.text(): cursor.value(cursor.scalar("I")) for _ in range(metadata_count)}
    entries = [_tensor_entry(cursor) for _ in range(tensor_count)]
    if len({name for name, *_ in entries}) != len(entries):
        raise ValueError("two tensors have one name")
    alignment = int(metadata.get("general.alignment", 32))
    start = -(-cursor.at // alignment) * alignment
    tensors = [_placed(entry, start, len(cursor.data), path) for entry in entries]
    return GgufHeader(path, metadata, {tensor.name: tensor for tensor in tensors})


def _tensor_entry(cursor: _Cursor) -> tuple[str, tuple[int, ...], int, int]:
    name = cursor.text()
    dimensions = cursor.scalar("I")
    if not 1 <= dimensions <= _MAX_DIMENSIONS:
        raise ValueError(f"tensor `{name}` has {dimensions} dimensions")
    shape = tuple(cursor.scalar("Q") for _ in range(dimensions))
    return name, shape[::-1], cursor.scalar("I"), cursor.scalar("Q")


def _placed(entry: tuple[str, tuple[int, ...], int, int], start: int, file_size: int, path: Path) -> GgufTensor:
    name, shape, kind_code, offset = entry
    kind = GGMLQuantizationType(kind_code)
    block_elements, block_bytes = GGML_QUANT_SIZES[kind]
    if min(shape) < 1 or shape[-1] % block_elements:
        raise ValueError(f"tensor `{name}` of type {kind.name} cannot have shape {shape}")
    size = math.prod(shape) // block_elements * block_bytes
    if start + offset + size > file_size:
        raise CheckpointError(path, f"truncated: tensor `{name}` ends past the file's {file_size} bytes", _REMEDY)
    return GgufTensor(name, shape, kind, start + offset, size)
