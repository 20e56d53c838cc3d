"""From the logits of a step to what its caller asked for."""

from __future__ import annotations

import numpy as np

from premotor_runtime.models.packed import Floats
from premotor_runtime.runners.protocol import Chunk, ChunkOutput


def picked(chunk: Chunk, hidden: Floats, logits: Floats | None) -> ChunkOutput:
    """The output of `chunk`; `logits` are those of `chunk.among`, None when it picks nothing."""
    if logits is None or chunk.pick == "nothing":
        return ChunkOutput(hidden)
    if chunk.pick == "logits":
        return ChunkOutput(hidden, logits=logits)
    if not len(logits) or not np.isfinite(logits).all():
        return ChunkOutput(hidden)
    best = int(np.argmax(logits))
    rest = float(np.log(np.exp(logits.astype(np.float64) - logits[best]).sum()))
    return ChunkOutput(hidden, best if chunk.among is None else int(chunk.among[best]), -rest)
