"""`transformers` in bfloat16 with its key-value cache, as its `generate` does it, without what that adds around.

Run by `loop.py` in the peers' venv.
"""

from __future__ import annotations

import copy
import time
from importlib import import_module
from typing import Any


class Transformers:
    """A causal language model on the CPU, greedy."""

    def __init__(self, path: str, threads: int) -> None:
        self._torch = import_module("torch")
        self._torch.set_num_threads(threads)
        self._library = import_module("transformers")
        self._library.logging.set_verbosity_error()
        auto = self._library.AutoModelForCausalLM
        self._model = auto.from_pretrained(path, dtype=self._torch.bfloat16).eval()
        self._held: tuple[list[list[int]], Any, Any] | None = None

    def describe(self) -> dict[str, Any]:
        """Version, what torch can use here, and the bytes of the weights."""
        return {
            "version": self._library.__version__,
            "detail": f"torch {self._torch.__version__}, {self._torch.backends.cpu.get_cpu_capability()}",
            "weight_bytes": sum(each.numel() * each.element_size() for each in self._model.parameters()),
            "ways": {},
        }

    def first(self, prompt: list[int]) -> dict[str, float]:
        """Answer one prompt with one token."""
        return self.prefill(prompt) | {"tokens": 1}

    def decode(self, prompts: list[list[int]], steps: int) -> dict[str, float]:
        """Greedy tokens after prompts of equal length, all sequences together."""
        with self._torch.inference_mode():
            token, cache = self._prompted(prompts)
            began = time.perf_counter()
            for _ in range(steps):
                token = self._next(token, cache)
            return {"seconds": time.perf_counter() - began, "tokens": len(prompts) * steps}

    def prefill(self, prompt: list[int]) -> dict[str, float]:
        """One prompt, and the token after it."""
        with self._torch.inference_mode():
            began = time.perf_counter()
            self._next(self._torch.tensor([prompt]), self._library.DynamicCache(config=self._model.config))
            return {"seconds": time.perf_counter() - began, "tokens": len(prompt)}

    def _prompted(self, prompts: list[list[int]]) -> tuple[Any, Any]:
        if self._held is None or self._held[0] != prompts:
            cache = self._library.DynamicCache(config=self._model.config)
            self._held = (prompts, self._next(self._torch.tensor(prompts), cache), cache)
        return self._held[1], copy.deepcopy(self._held[2])

    def _next(self, tokens: Any, cache: Any) -> Any:
        out = self._model(tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
        return out.logits[:, -1:].argmax(-1)


def open_engine(path: str, threads: int) -> Transformers:
    """Load the Hugging Face folder at `path`."""
    return Transformers(path, threads)
