"""The native runner: one call into compiled code per step, for the whole batch."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from premotor_foundation.cache_folder import cache_folder
from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.native.adapters import ApartAdapter
from premotor_runtime.runners.native.build import build
from premotor_runtime.runners.native.errors import NativeOptionError
from premotor_runtime.runners.native.layout import Matrix, packed_layout
from premotor_runtime.runners.native.library import (
    LAYER_FIELDS,
    PRECISIONS,
    LayerPlaces,
    Library,
    ModelPlaces,
    RunnerOptions,
)
from premotor_runtime.runners.native.step_arguments import StepArguments
from premotor_runtime.runners.native.weights import are_kept, packed_weights
from premotor_runtime.runners.protocol import Chunk, ChunkOutput
from premotor_runtime.runners.rotary import inverse_frequencies

Doubles = npt.NDArray[np.float64]
_OUTCOMES = {
    1: "a token id is not in the vocabulary",
    2: "a block table is too short for its chunk, or names a block that does not exist",
    3: "a wanted index is not within its chunk",
    4: "an id in `among` is not in the vocabulary",
    5: "a chunk needs at least one token, from position 0 on",
}
_MOST_THREADS = 64
_PAUSED = 8


@dataclass(frozen=True)
class _Begun:
    """What a step in parts still reads and writes."""

    batch: Sequence[Chunk]
    given: StepArguments
    hidden: Floats


class NativeRunner:
    """See `ModelRunner`. Not safe to call from two threads at once.

    Close it to give its memory back at once; otherwise that happens when it is collected.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        num_blocks: int,
        block_size: int = 16,
        adapters: Mapping[str, LoraAdapter] | None = None,
        *,
        precision: str = "int8",
        threads: int | None = None,
        cores: Sequence[int] = (),
        weights_key: str | None = None,
        folder: Path | None = None,
    ) -> None:
        """Build or find the library, pack or find the weights.

        `precision` is that of the weights: f32, bf16, int8 or int4 (these two with a scale for 32 columns); keys and
        values are float32 with f32, otherwise bfloat16, and `adapters` float32 always. `threads` None is one
        for each core of `cores`, or that this process may use. With `cores`, the calling thread is bound to the first,
        the others to the rest. `weights_key` identifies the weights, for the cache under `folder`. Raises BuildError,
        NativeOptionError.
        """
        self.config: ModelConfig = checkpoint.config
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.precision = precision
        self.threads = check_options(precision, threads, cores, num_blocks, block_size)
        self._library = Library(build(self.config, folder))
        self._layout = packed_layout(self.config, precision, self._library)
        self._weights = packed_weights(checkpoint, self._layout, self._library, weights_key, folder or cache_folder())
        self._handle = self._create(tuple(cores))
        self._adapters = self._add_adapters(adapters or {})
        self._numbers: dict[str | None, int] = {None: -1} | {name: n for n, name in enumerate(self._adapters)}
        self._room = 0
        self._tokens, self._logprobs = np.empty(0, np.int32), np.empty(0, np.float64)
        self._nothing: Floats = np.empty((0, self.config.hidden_size), np.float32)
        self._begun: _Begun | None = None

    @property
    def instruction_set(self) -> str:
        """What the matrix products were compiled for."""
        return self._library.instruction_set

    @property
    def adapter_names(self) -> tuple[str, ...]:
        """See `ModelRunner.adapter_names`."""
        return tuple(self._adapters)

    @property
    def weight_bytes(self) -> int:
        """Memory of the packed weights."""
        return self._layout.size

    def close(self) -> None:
        """Free keys, values and threads; the runner cannot be used afterwards. Harmless when called twice."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.destroy(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def step(self, batch: Sequence[Chunk]) -> list[ChunkOutput]:
        """See `ModelRunner.step`. Raises IndexError for a token, block or index that does not exist, ValueError for an
        adapter.
        """
        if not batch:
            return []
        self._check_free()
        given, hidden = self._arguments(batch), self._places_for(batch)
        _check(self._library.step(self._handle, len(batch), *self._pointers(given, hidden)))
        return self._outputs(batch, hidden, given.logits)

    def begin(self, batch: Sequence[Chunk]) -> None:
        """See `PausableRunner.begin`. Raises as `step` does."""
        self._check_free()
        given, hidden = self._arguments(batch), self._places_for(batch)
        _check(self._library.begin(self._handle, len(batch), *self._pointers(given, hidden)))
        self._begun = _Begun(batch, given, hidden)

    def go_on(self, seconds: float) -> list[ChunkOutput] | None:
        """See `PausableRunner.go_on`. Raises ValueError when nothing was begun."""
        if self._begun is None:
            raise ValueError("no step was begun; call `begin` before `go_on`")
        outcome = self._library.go_on(self._handle, seconds)
        if outcome == _PAUSED:
            return None
        begun, self._begun = self._begun, None
        _check(outcome)
        return self._outputs(begun.batch, begun.hidden, begun.given.logits)

    def abandon(self) -> None:
        """See `PausableRunner.abandon`."""
        self._begun = None

    def decode(self, batch: Sequence[Chunk], steps: int) -> tuple[list[list[int]], list[list[float]]]:
        """See `DecodingRunner.decode`. Raises IndexError for a token or block that does not exist."""
        self._check_free()
        given = self._arguments(batch)
        chunk, tokens, tables, _ = given.places()
        found, logprobs = np.empty((steps, len(batch)), np.int32), np.empty((steps, len(batch)))
        places = (found.ctypes.data, logprobs.ctypes.data)
        _check(self._library.decode(self._handle, len(batch), chunk, tokens, tables, steps, *places))
        return found.T.tolist(), logprobs.T.tolist()

    def copy_blocks(self, pairs: Sequence[tuple[int, int]]) -> None:
        """See `BlockCopier.copy_blocks`. Raises IndexError, with nothing copied, for a block that does not exist."""
        self._check_open()
        if pairs:
            flat = np.array(pairs, np.int32)
            _check(self._library.copy_blocks(self._handle, flat.ctypes.data, len(flat)))

    def logits(self, hidden: Floats, ids: Ids | slice | None = None) -> Floats:
        """See `ModelRunner.logits`. Raises IndexError for an id that does not exist."""
        rows = self._hidden_rows(hidden)
        if isinstance(ids, slice) or ids is None:
            first, end, _ = (ids or slice(None)).indices(self.config.vocab_size)
            out: Floats = np.empty((len(rows), max(0, end - first)), np.float32)
            if out.size:
                _check(self._library.logits(self._handle, rows.ctypes.data, len(rows), first, end, out.ctypes.data))
            return out
        chosen = np.ascontiguousarray(ids, np.int64)
        out = np.empty((len(rows), len(chosen)), np.float32)
        if out.size:
            where = (rows.ctypes.data, len(rows), chosen.ctypes.data, len(chosen), out.ctypes.data)
            _check(self._library.chosen_logits(self._handle, *where))
        return out

    def normalizers(self, hidden: Floats, first: int, end: int) -> tuple[Doubles, Doubles]:
        """See `ReducingRunner.normalizers`; NaN where a logit is not finite."""
        rows = self._hidden_rows(hidden)
        largest, rest = np.full(len(rows), -np.inf), np.zeros(len(rows))
        first, end = max(0, first), min(end, self.config.vocab_size)
        if len(rows) and end > first:
            where = (rows.ctypes.data, len(rows), first, end, largest.ctypes.data, rest.ctypes.data)
            _check(self._library.normalizers(self._handle, *where))
        return largest, rest

    def dequantized(self, layer: int, name: str) -> Floats:
        """The matrix `name` (qkv, output, gate, up, down) of a layer as products see it, float32 (rows, columns)."""
        place = self._layout.layers[layer][name]
        if not isinstance(place, Matrix):
            raise KeyError(name)
        return self._unpacked(place)

    def dequantized_table(self, head: bool = False) -> Floats:
        """The embedding (or head) as lookups and logits see it, float32 (vocab_size, hidden_size)."""
        return self._unpacked(self._layout.head if head else self._layout.embedding)

    def _unpacked(self, place: Matrix) -> Floats:
        out: Floats = np.empty((place.rows, place.columns), np.float32)
        base = self._weights.ctypes.data + place.offset
        kind = PRECISIONS[place.precision]
        self._library.unpack(kind, place.rows, place.columns, base, 0, place.rows, out.ctypes.data)
        return out

    def _check_open(self) -> None:
        if self._handle is None:
            raise ValueError("the runner was closed; make a new one")

    def _check_free(self) -> None:
        self._check_open()
        if self._begun is not None:
            raise ValueError("a step was begun and is not done; `go_on` with it, or `abandon` it")

    def _hidden_rows(self, hidden: Floats) -> Floats:
        self._check_free()
        rows = np.ascontiguousarray(hidden, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.config.hidden_size:
            raise ValueError(f"hidden states must be (n, {self.config.hidden_size}); given {rows.shape}")
        return rows

    def _arguments(self, batch: Sequence[Chunk]) -> StepArguments:
        if unknown := [chunk.adapter for chunk in batch if chunk.adapter not in self._numbers]:
            raise ValueError(f"no adapter is called {sorted(map(str, unknown))}; loaded are {list(self._adapters)}")
        return StepArguments(batch, self.config.vocab_size, self._numbers)

    def _add_adapters(self, adapters: Mapping[str, LoraAdapter]) -> dict[str, ApartAdapter]:
        apart = {name: ApartAdapter(each, self.config.num_hidden_layers) for name, each in adapters.items()}
        for each in apart.values():
            _check(self._library.add_adapter(self._handle, each.address))
        return apart

    def _places_for(self, batch: Sequence[Chunk]) -> Floats:
        """Room for what a step finds: the hidden states that `batch` wants, which are returned, and its tokens."""
        if len(batch) > self._room:
            self._room = 2 * len(batch)
            self._tokens, self._logprobs = np.empty(self._room, np.int32), np.empty(self._room, np.float64)
            self._token_place, self._logprob_place = self._tokens.ctypes.data, self._logprobs.ctypes.data
        wanted = sum(len(chunk.wanted) for chunk in batch)
        return np.empty((wanted, self.config.hidden_size), np.float32) if wanted else self._nothing

    def _pointers(self, given: StepArguments, hidden: Floats) -> tuple[int, ...]:
        return (*given.places(), hidden.ctypes.data, self._token_place, self._logprob_place)

    def _outputs(self, batch: Sequence[Chunk], hidden: Floats, places: list[Floats | None]) -> list[ChunkOutput]:
        tokens, logprobs = self._tokens[: len(batch)].tolist(), self._logprobs[: len(batch)].tolist()
        if not len(hidden):
            empty = self._nothing
            return [ChunkOutput(empty, *found) for found in zip(tokens, logprobs, places, strict=True)]
        outputs, at = [], 0
        for chunk, token, logprob, logits in zip(batch, tokens, logprobs, places, strict=True):
            stop = at + len(chunk.wanted)
            outputs.append(ChunkOutput(hidden[at:stop] if stop > at else self._nothing, token, logprob, logits))
            at = stop
        return outputs

    def _create(self, cores: tuple[int, ...]) -> int | None:
        config, layout = self.config, self._layout
        layers = (LayerPlaces * config.num_hidden_layers)()
        for number, places in enumerate(layout.layers):
            window = config.window(number)
            for name in LAYER_FIELDS[:-2]:
                place = places.get(name, -1)
                setattr(layers[number], name, place.offset if isinstance(place, Matrix) else place)
            layers[number].window = window or 0
            layers[number].local = int(window is not None and config.rope_local_theta is not None)
        model = ModelPlaces(
            weights=self._weights.ctypes.data, layers=layers, layer_count=config.num_hidden_layers,
            precision=PRECISIONS[layout.precision], table_precision=PRECISIONS[layout.table_precision],
            vocabulary=config.vocab_size, embedding=layout.embedding.offset, head=layout.head.offset,
            final_norm=layout.final_norm, epsilon=config.rms_norm_eps, embedding_scale=config.embedding_scale,
            attention_scale=config.attention_scale,
        )  # fmt: skip
        whole = inverse_frequencies(config.rope_theta, config.head_dim, config.rope_scaling)
        local = inverse_frequencies(config.rope_local_theta or config.rope_theta, config.head_dim, None)
        pointer = ctypes.POINTER(ctypes.c_float)
        options = RunnerOptions(
            global_frequencies=whole.ctypes.data_as(pointer), local_frequencies=local.ctypes.data_as(pointer),
            cores=(ctypes.c_int32 * max(1, len(cores)))(*cores), core_count=len(cores), threads=self.threads,
            blocks=self.num_blocks, block_size=self.block_size, half_cache=int(self.precision != "f32"),
        )  # fmt: skip
        handle = self._library.create(ctypes.byref(model), ctypes.byref(options))
        if not handle:
            raise MemoryError(f"{self.num_blocks} blocks of {self.block_size} positions do not fit in memory")
        return int(handle)


def weights_are_kept(checkpoint: Checkpoint, precision: str, key: str, folder: Path | None = None) -> bool:
    """Whether a runner with this `weights_key` would start without the checkpoint's layers. Raises BuildError."""
    if precision not in PRECISIONS:
        return False
    library = Library(build(checkpoint.config, folder))
    return are_kept(
        checkpoint, packed_layout(checkpoint.config, precision, library), library, key, folder or cache_folder()
    )


def check_options(
    precision: str, threads: int | None, cores: Sequence[int], num_blocks: int = 1, block_size: int = 1
) -> int:
    """The number of threads. Raises NativeOptionError for what cannot be met."""
    if precision not in PRECISIONS:
        raise NativeOptionError(f"the precision is `{precision}`; give one of {', '.join(PRECISIONS)}")
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    if unknown := sorted(set(cores) - set(range(os.cpu_count() or 1))):
        raise NativeOptionError(f"core {unknown[0]} does not exist; this machine has {os.cpu_count()}, from 0 on")
    count = threads if threads is not None else min(len(cores) or len(allowed), _MOST_THREADS)
    if not 1 <= count <= _MOST_THREADS:
        raise NativeOptionError(f"threads is {count}; give 1 to {_MOST_THREADS}")
    if min(num_blocks, block_size) < 1:
        raise NativeOptionError(f"num_blocks is {num_blocks} and block_size {block_size}; both must be at least 1")
    return count


def _check(outcome: int) -> None:
    if outcome in _OUTCOMES:
        raise IndexError(_OUTCOMES[outcome])
    if outcome:
        raise MemoryError("the native runner found no memory for the step")
