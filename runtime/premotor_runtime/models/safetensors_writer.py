"""A safetensors file written tensor by tensor, bfloat16 included: large models need no second copy in memory.

Format: https://github.com/huggingface/safetensors (8 bytes of header length, JSON header, data in the header's order).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from premotor_runtime.models.packed import Floats

_PIECE = 1 << 20
TensorType = Literal["bfloat16", "float16", "float32"]
_CODES: dict[TensorType, tuple[str, int]] = {"bfloat16": ("BF16", 2), "float16": ("F16", 2), "float32": ("F32", 4)}


def write_safetensors(
    path: Path, shapes: Mapping[str, tuple[int, ...]], tensors: Iterable[tuple[str, Floats]], dtype: TensorType
) -> None:
    """Write `tensors` (name, values), which must come in the order and shapes of `shapes`; whole or not at all.

    Raises ValueError when they do not, OSError when there is no room.
    """
    code, width = _CODES[dtype]
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in shapes.items():
        size = math.prod(shape) * width
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for (name, shape), (given, values) in zip(shapes.items(), tensors, strict=True):
                if (given, values.shape) != (name, shape):
                    raise ValueError(f"tensor `{given}` {values.shape} came in the place of `{name}` {shape}")
                rows = values.reshape(-1)
                for start in range(0, len(rows), _PIECE):
                    file.write(encoded(rows[start : start + _PIECE], dtype).tobytes())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def encoded(values: Floats, dtype: TensorType) -> npt.NDArray[np.generic]:
    """`values` in the file's type; bfloat16 as uint16, rounded to nearest, ties to even."""
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(values).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")
    return values.astype("<f2" if dtype == "float16" else "<f4")
