"""The reference runner: the definition of the arithmetic, in numpy, for every feature of `ModelConfig`.

All tokens of a step go through each matrix product together; only attention is done sequence by sequence. Faster
runners are held to this one.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence

import numpy as np

from premotor_runtime.models.adapter import LoraAdapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.embedding import Ids
from premotor_runtime.models.packed import Floats, LayerWeights, layer_weights
from premotor_runtime.runners.paged_kv import PagedKV
from premotor_runtime.runners.picking import picked
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, RunnerMemory
from premotor_runtime.runners.rotary import inverse_frequencies, rotate, rotation

_TILE = 4096
_QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
_OUTPUT = ("self_attn.o_proj",)
_GATE_UP = ("mlp.gate_proj", "mlp.up_proj")
_DOWN = ("mlp.down_proj",)


class ReferenceRunner:
    """See `ModelRunner`. float32 throughout; not safe to call from two threads at once.

    `adapters`: what `Chunk.adapter` may name; each is added to its own chunks' rows only.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        num_blocks: int,
        block_size: int = 16,
        adapters: Mapping[str, LoraAdapter] | None = None,
    ) -> None:
        self._adapters = dict(adapters or {})
        self.config = checkpoint.config
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.kv = PagedKV(checkpoint.config, num_blocks, block_size)
        self._embedding, self._head = checkpoint.embedding, checkpoint.head
        self._layers = layer_weights(checkpoint.flat, checkpoint.config)
        self._final_norm = checkpoint.flat[-checkpoint.config.hidden_size :]
        config = checkpoint.config
        self._global_rope = inverse_frequencies(config.rope_theta, config.head_dim, config.rope_scaling)
        local = config.rope_local_theta
        self._local_rope = self._global_rope if local is None else inverse_frequencies(local, config.head_dim, None)

    @staticmethod
    def memory(checkpoint: Checkpoint, block_size: int) -> RunnerMemory:
        """See `StatesMemory`. Layers count while they are only mapped; tables do not, which stay as they are."""
        block = PagedKV.block_bytes(checkpoint.config, block_size)
        return RunnerMemory(block, checkpoint.flat.nbytes if _mapped(checkpoint.flat) else 0)

    @property
    def adapter_names(self) -> tuple[str, ...]:
        """See `ModelRunner.adapter_names`."""
        return tuple(self._adapters)

    def step(self, batch: Sequence[Chunk]) -> list[ChunkOutput]:
        """See `ModelRunner.step`."""
        if unknown := {chunk.adapter for chunk in batch} - {None, *self._adapters}:
            raise ValueError(f"no adapter is called {sorted(map(str, unknown))}; loaded are {list(self._adapters)}")
        ids = np.concatenate([np.asarray(chunk.tokens, np.int64) for chunk in batch])
        positions = np.concatenate([np.arange(c.start, c.start + len(c.tokens), dtype=np.float32) for c in batch])
        turns = {False: rotation(positions, self._global_rope), True: rotation(positions, self._local_rope)}
        x = self._embedding.rows(ids) * np.float32(self.config.embedding_scale)
        for number, layer in enumerate(self._layers):
            sliding = self.config.window(number) is not None
            attended = self._attention(batch, number, layer, self._norm(x, layer.attention_norm), turns[sliding])
            x = x + self._norm(attended, layer.post_attention_norm)
            mixed = self._mlp(batch, number, layer, self._norm(x, layer.mlp_norm))
            x = x + self._norm(mixed, layer.post_mlp_norm)
        return self._outputs(batch, x)

    def copy_blocks(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy (source, target) blocks of keys and values, one pair after the other."""
        for source, target in pairs:
            self.kv.copy_block(source, target)

    def logits(self, hidden: Floats, ids: Ids | slice | None = None) -> Floats:
        """See `ModelRunner.logits`; tile by tile, so that a quantized table is never dequantized as a whole."""
        if isinstance(ids, slice) or ids is None:
            start, stop, _ = (ids or slice(None)).indices(self._head.vocab_size)
            tiles: list[Ids | slice] = [slice(at, min(at + _TILE, stop)) for at in range(start, stop, _TILE)]
        else:
            tiles = [ids[at : at + _TILE] for at in range(0, len(ids), _TILE)]
        if not tiles:
            return np.empty((len(hidden), 0), np.float32)
        return np.concatenate([hidden @ self._head.rows(tile).T for tile in tiles], axis=1)

    def _norm(self, x: Floats, weight: Floats | None) -> Floats:
        """RMSNorm: x / sqrt(mean(x^2) + eps) * weight over the last axis; x itself where the model has no such norm."""
        if weight is None:
            return x
        mean_square = np.mean(x * x, axis=-1, keepdims=True)
        normed: Floats = x / np.sqrt(mean_square + np.float32(self.config.rms_norm_eps)) * weight
        return normed

    def _linear(self, batch: Sequence[Chunk], number: int, x: Floats, weight: Floats, targets: Sequence[str]) -> Floats:
        """x @ weight.T, to which every chunk's adapter adds; `weight` stacks the rows of `targets`."""
        result: Floats = x @ weight.T
        at = 0
        for chunk in batch:
            rows, at = slice(at, at + len(chunk.tokens)), at + len(chunk.tokens)
            factors = self._adapters[chunk.adapter].factors if chunk.adapter is not None else {}
            named = [(factors.get(f"layers.{number}.{target}"), self._columns(target)) for target in targets]
            column = 0
            for factor, width in named:
                if factor is not None:
                    result[rows, column : column + width] += factor.change(x[rows])
                column += width
        return result

    def _columns(self, target: str) -> int:
        config = self.config
        widths = {_QKV[0]: config.query_size, _QKV[1]: config.kv_size, _QKV[2]: config.kv_size}
        return widths.get(target, config.intermediate_size if target in _GATE_UP else config.hidden_size)

    def _mlp(self, batch: Sequence[Chunk], number: int, layer: LayerWeights, x: Floats) -> Floats:
        """Gated: down(act(gate(x)) * up(x)), act = SiLU or the tanh-approximated GELU."""
        gate, up = np.split(self._linear(batch, number, x, layer.gate_up, _GATE_UP), 2, axis=-1)
        gated = (_gelu(gate) if self.config.activation == "gelu_tanh" else _silu(gate)) * up
        return self._linear(batch, number, gated, layer.down, _DOWN)

    def _attention(
        self, batch: Sequence[Chunk], number: int, layer: LayerWeights, x: Floats, turn: tuple[Floats, Floats]
    ) -> Floats:
        config = self.config
        sizes = [config.query_size, config.query_size + config.kv_size]
        projected = self._linear(batch, number, x, layer.qkv, _QKV)
        if layer.qkv_bias is not None:
            projected += layer.qkv_bias
        query, key, value = (part.reshape(len(x), -1, config.head_dim) for part in np.split(projected, sizes, -1))
        query = rotate(self._norm(query, layer.query_norm), turn)
        key = rotate(self._norm(key, layer.key_norm), turn)
        parts, at = [], 0
        for chunk in batch:
            here = slice(at, at + len(chunk.tokens))
            self._store(number, chunk, key[here], value[here])
            parts.append(self._attend(number, chunk, query[here]))
            at = here.stop
        return self._linear(batch, number, np.concatenate(parts), layer.output, _OUTPUT)

    def _store(self, number: int, chunk: Chunk, key: Floats, value: Floats) -> None:
        slots = self.kv.slots(chunk.block_table, chunk.start, chunk.start + len(key))
        self.kv.keys[number, slots] = key
        self.kv.values[number, slots] = value

    def _attend(self, number: int, chunk: Chunk, query: Floats) -> Floats:
        """Softmax attention of one chunk (n, heads, head_dim) over its sequence so far; returns (n, heads * head_dim).

        Consecutive query heads share one key-value head (grouped-query attention).
        """
        config = self.config
        stop, window = chunk.start + len(query), config.window(number)
        first = 0 if window is None else max(0, chunk.start - window + 1)
        slots = self.kv.slots(chunk.block_table, first, stop)
        keys = self.kv.keys[number, slots].transpose(1, 2, 0)  # (kv_heads, head_dim, context)
        values = self.kv.values[number, slots].transpose(1, 0, 2)  # (kv_heads, context, head_dim)
        groups = config.num_attention_heads // config.num_key_value_heads
        grouped = query.reshape(len(query), -1, groups, config.head_dim).transpose(1, 2, 0, 3)
        flat = grouped.reshape(config.num_key_value_heads, -1, config.head_dim) * np.float32(config.attention_scale)
        scores = (flat @ keys).reshape(config.num_key_value_heads, groups, len(query), -1)
        weights = _softmax(np.where(_visible(chunk.start, stop, first, window), scores, np.float32(-np.inf)))
        mixed: Floats = weights.reshape(config.num_key_value_heads, groups * len(query), -1) @ values
        by_head = mixed.reshape(config.num_attention_heads, len(query), config.head_dim)
        joined: Floats = by_head.transpose(1, 0, 2).reshape(len(query), -1)
        return joined

    def _outputs(self, batch: Sequence[Chunk], x: Floats) -> list[ChunkOutput]:
        stops = np.cumsum([len(chunk.tokens) for chunk in batch])
        last = self._norm(x[stops - 1], self._final_norm)
        logits = self._picked_logits(batch, last)
        outputs = []
        for number, (chunk, stop) in enumerate(zip(batch, stops, strict=True)):
            rows = [stop - len(chunk.tokens) + at for at in chunk.wanted]
            outputs.append(picked(chunk, self._norm(x[rows], self._final_norm), logits.get(number)))
        return outputs

    def _picked_logits(self, batch: Sequence[Chunk], last: Floats) -> dict[int, Floats]:
        """Logits of `chunk.among`, by place in the batch, for the chunks that pick.

        Those that pick among all ids go together: a quantized table is dequantized once a step, not once a chunk.
        """
        picking = [number for number, chunk in enumerate(batch) if chunk.pick != "nothing"]
        among_all = [number for number in picking if batch[number].among is None]
        logits = dict(zip(among_all, self.logits(last[among_all]), strict=True)) if among_all else {}
        for number in picking:
            if (among := batch[number].among) is not None:
                logits[number] = self.logits(last[number : number + 1], among)[0]
        return logits


def _mapped(array: Floats) -> bool:
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


def _visible(start: int, stop: int, first: int, window: int | None) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which keys [first, stop) each query [start, stop) sees: none later, none `window` or more positions before."""
    query, key = np.arange(start, stop)[:, None], np.arange(first, stop)[None, :]
    seen = key <= query
    return seen if window is None else seen & (key > query - window)


def _softmax(scores: Floats) -> Floats:
    exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = exponents / exponents.sum(axis=-1, keepdims=True)
    return shares


def _silu(x: Floats) -> Floats:
    # written through tanh, which saturates where exp(-x) would overflow
    activated: Floats = x * (np.float32(0.5) * (1 + np.tanh(np.float32(0.5) * x)))
    return activated


def _gelu(x: Floats) -> Floats:
    inner = np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)
    activated: Floats = np.float32(0.5) * x * (1 + np.tanh(inner))
    return activated
