"""What must be equal for a built engine to be used again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from premotor_accelerators.protocol import Precision


@dataclass(frozen=True)
class EngineKey:
    """Everything that an engine depends on.

    `graph` is the SHA-256 of the kernel's ONNX model, `builder` the library and its exact version, `device` what the
    engine runs on (a compute capability, a GPU by name, a DLA core), `flags` every further option of the build.
    """

    kernel: str
    graph: str
    precision: Precision
    builder: str
    device: str
    flags: Mapping[str, str]

    @property
    def digest(self) -> str:
        """64 hexadecimal digits: the SHA-256 of all fields."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def text(self) -> str:
        """All fields as one line of JSON, the same for equal keys."""
        return json.dumps({**asdict(self), "flags": dict(self.flags)}, sort_keys=True)


def graph_digest(model: bytes) -> str:
    """The SHA-256 of a serialized ONNX model, in hexadecimal."""
    return hashlib.sha256(model).hexdigest()
