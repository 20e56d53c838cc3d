"""Sequences as a forward pass sees them: the chunk that it is given, and what its output means."""

from __future__ import annotations

from typing import Literal

from premotor_runtime.engine.answers.decoding import Decoder
from premotor_runtime.engine.kv.kv_cache import KVCache
from premotor_runtime.engine.sequence import Sequence
from premotor_runtime.runners.protocol import Chunk, ChunkOutput, ModelRunner

Next = Literal["read on", "choose", "chosen"]


class Chunks:
    """`count` tokens of a sequence, and its guesses where they are more than it has."""

    def __init__(self, decoder: Decoder, kv: KVCache, runner: ModelRunner) -> None:
        self._decoder, self._kv, self._runner = decoder, kv, runner

    def chunk(self, sequence: Sequence, count: int) -> Chunk:
        """The next `count` tokens."""
        start = sequence.computed
        stop, adapter = start + count, sequence.request.adapter
        known, wanted = len(sequence.tokens) - start, sequence.wanted(min(count, len(sequence.tokens) - start))
        if count > known:
            tokens = [*sequence.tokens[start:], *sequence.draft[: count - known]]
            wanted = [*[at for at in wanted if at < known - 1], *range(known - 1, count)]
            return Chunk(tokens, start, sequence.table.blocks, wanted, adapter=adapter)
        pick, among = self._decoder.ask(sequence) if count == known else ("nothing", None)
        return Chunk(sequence.tokens[start:stop], start, sequence.table.blocks, wanted, pick, among, adapter)

    def take(self, sequence: Sequence, count: int, chunk: Chunk, output: ChunkOutput) -> Next:
        """Move `sequence` on by what was computed; says whether its next token is to be chosen, or was from guesses."""
        sequence.forward_passes += 1
        known = len(sequence.tokens) - sequence.computed
        sequence.draft = []
        if count > known:
            self._take_draft(sequence, chunk, output, known)
            return "chosen"
        sequence.keep_hidden(chunk.wanted, output.hidden)
        self._computed(sequence, count)
        return "choose" if sequence.pending == 0 else "read on"

    def _take_draft(self, sequence: Sequence, chunk: Chunk, output: ChunkOutput, known: int) -> None:
        """Let the model's choice decide on the guesses at the end of `chunk`; the wrong ones count as not computed."""
        draft = list(chunk.tokens[known:])
        first = len(chunk.wanted) - len(draft) - 1
        agreed = self._decoder.verify(sequence, draft, output.hidden[first:], self._runner.logits)
        kept = first + 1 + agreed
        sequence.keep_hidden(chunk.wanted[:kept], output.hidden[:kept])
        self._computed(sequence, known + agreed)

    def _computed(self, sequence: Sequence, count: int) -> None:
        sequence.computed += count
        self._kv.commit(sequence.table, sequence.tokens, sequence.computed)
