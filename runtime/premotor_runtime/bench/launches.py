"""How each engine is started for a model."""

from __future__ import annotations

import sys
from pathlib import Path

from premotor_runtime.bench.case import OURS, PROMPT, Contestant
from premotor_runtime.bench.entrant import Launch
from premotor_runtime.bench.peers import LLAMA_CPP, TRANSFORMERS, VLLM, Peer, peers_python
from premotor_runtime.bench.settings import BenchSettings
from premotor_runtime.bench.weights import gguf_file, hf_folder

_SEQUENCE = 512
SERVING_POSITIONS = 64 * 320
"""Room for the keys and values of all requests of a serving measurement."""
_OUR_ENVIRONMENT = (("OPENBLAS_NUM_THREADS", "1"),)


def our_launch(settings: BenchSettings, model: str, precision: str, positions: int | None = None) -> Launch:
    """Our engine with `settings.runner`, with room for `positions`; None for what the cases need."""
    room = positions or _SEQUENCE * (1 + max(case.batch for case in settings.cases))

    def options() -> dict[str, object]:
        return {
            "path": str(hf_folder(model, settings.shape(model))),
            "runner": settings.runner,
            "precision": precision,
            "threads": settings.threads,
            "tokens": room,
            "chunk": PROMPT,
        }

    return Launch(Contestant(OURS, precision), Path(sys.executable), Path("ours.py"), options, _OUR_ENVIRONMENT)


def peer_launch(settings: BenchSettings, model: str, peer: Peer, precision: str, batch: int = 1) -> Launch:
    """A peer on the same weights; `batch` matters to those that reserve memory for it."""
    config = settings.shape(model)

    def options() -> dict[str, object]:
        if peer is LLAMA_CPP:
            path = gguf_file(model, config, precision)
            return {"path": str(path), "threads": settings.threads, "length": _SEQUENCE}
        found: dict[str, object] = {"path": str(hf_folder(model, config)), "threads": settings.threads}
        return found | ({"length": _SEQUENCE, "batch": batch} if peer is VLLM else {})

    environment = (("OMP_NUM_THREADS", str(settings.threads)),) if peer in (TRANSFORMERS, VLLM) else ()
    return Launch(Contestant(peer.name, precision), peers_python(), Path(peer.engine_file), options, environment)
