"""vLLM on the CPU in bfloat16, through its offline interface. Run by `loop.py` in the peers' venv."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Any

_KV_GIB = "1"


class Vllm:
    """A model in this process; requests are answered greedily, without an end-of-sequence token."""

    def __init__(self, path: str, threads: int, length: int, batch: int) -> None:
        os.environ |= {
            "VLLM_CPU_KVCACHE_SPACE": _KV_GIB,
            "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
            "OMP_NUM_THREADS": str(threads),
            "VLLM_LOGGING_LEVEL": "ERROR",
        }
        self._library = import_module("vllm")
        self._model = self._library.LLM(
            model=path,
            dtype="bfloat16",
            max_model_len=length,
            max_num_seqs=batch,
            max_num_batched_tokens=length,
            disable_log_stats=True,
            seed=0,
        )

    def describe(self) -> dict[str, Any]:
        """Version; bytes of weights are not told."""
        return {"version": self._library.__version__, "detail": "", "ways": {}}

    def first(self, prompt: list[int]) -> dict[str, float]:
        """Answer one prompt with one token."""
        return self.batching([{"prompt": prompt, "tokens": 1}])

    def batching(self, requests: list[dict[str, Any]]) -> dict[str, float]:
        """All requests together, batched as vLLM likes."""
        params = [
            self._library.SamplingParams(
                temperature=0.0, max_tokens=request["tokens"], ignore_eos=True, detokenize=False
            )
            for request in requests
        ]
        prompts = [{"prompt_token_ids": request["prompt"]} for request in requests]
        began = time.perf_counter()
        outputs = self._model.generate(prompts, params, use_tqdm=False)
        seconds = time.perf_counter() - began
        return {"seconds": seconds, "tokens": sum(len(output.outputs[0].token_ids) for output in outputs)}


def open_engine(path: str, threads: int, length: int, batch: int) -> Vllm:
    """Load the Hugging Face folder at `path`; up to `batch` sequences of `length` tokens at once."""
    return Vllm(path, threads, length, batch)
