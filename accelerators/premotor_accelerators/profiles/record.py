"""A stored profile: what was measured, and everything that the figures depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from premotor_accelerators.board_state import BoardState
from premotor_accelerators.engines.key import graph_digest
from premotor_accelerators.protocol import Kernel, Precision

SCHEMA = "premotor.profile/1"
Shapes = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class ProfileKey:
    """A figure is good for exactly this.

    `graph` is the SHA-256 of the kernel's ONNX model: the same name and shapes may compute differently in the next
    version. `machine` is the processor or board by name, `power_mode` nvpmodel's name, `memory_clock_mhz` the memory
    controller's cap; both None where a machine has no such thing. `versions` are those of the libraries that compute.
    """

    kernel: str
    graph: str
    shapes: Shapes
    device: str
    precision: Precision
    machine: str
    power_mode: str | None
    memory_clock_mhz: float | None
    versions: Mapping[str, str]

    @property
    def digest(self) -> str:
        """64 hexadecimal digits: the SHA-256 of all fields."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class ProfileRecord:
    """Latencies in milliseconds.

    `cold_ms` is compiling (from the cache, where there is one) and the first run; `warm_ms` the second run; the
    percentiles are over `runs` runs after that, on `core` (None: not pinned). `implementation` says what computed.
    """

    key: ProfileKey
    cold_ms: float
    warm_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    runs: int
    core: int | None
    implementation: str


def key_of(
    kernel: Kernel, device: str, precision: Precision, machine: str, state: BoardState, versions: Mapping[str, str]
) -> ProfileKey:
    """The key of a kernel on a device of this machine in its present state."""
    shapes = tuple((spec.name, tuple(spec.shape)) for spec in (*kernel.inputs, *kernel.outputs))
    memory = state.memory.cap_mhz
    return ProfileKey(
        kernel.name,
        graph_digest(kernel.onnx()),
        shapes,
        device,
        precision,
        machine,
        state.power_mode,
        memory,
        dict(versions),
    )


def to_json(record: ProfileRecord) -> str:
    """Schema premotor.profile/1."""
    return json.dumps({"schema": SCHEMA, **asdict(record)}, indent=2)


def from_json(text: str) -> ProfileRecord:
    """The record in `text`. Raises ValueError for anything else."""
    try:
        fields = json.loads(text)
        if fields.pop("schema") != SCHEMA:
            raise ValueError(f"the schema is not {SCHEMA}")
        key = fields.pop("key")
        key["shapes"] = tuple((name, tuple(shape)) for name, shape in key["shapes"])
        return ProfileRecord(key=ProfileKey(**key), **fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a profile of schema {SCHEMA}: {error!r}") from error
