"""llama.cpp through its own C interface (package `llama-cpp-python`), each measure in the way that is fastest for it.

Run by `loop.py` in the peers' venv. Contexts with and without flash attention, and with one key-value memory for all
sequences or one for each, are tried first, and the fastest is measured. Tokens are chosen greedily by numpy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

_TRIES = 3
_TRIAL_STEPS = 8
_AUTOMATIC, _WITHOUT, _WITH = -1, 0, 1

Way = tuple[int, bool]
"""Flash attention, and whether all sequences share one memory."""


class Context:
    """One llama.cpp context with its batch, and the prompts that its memory holds."""

    def __init__(self, lib: Any, model: Any, params: Any, length: int, way: Way) -> None:
        numpy = import_module("numpy")
        self._lib, self.way = lib, way
        self._words = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
        self._handle = lib.llama_init_from_model(model, params)
        if not self._handle:
            raise RuntimeError("llama.cpp could not make a context")
        self._memory = lib.llama_get_memory(self._handle)
        self._batch = lib.llama_batch_init(length, 0, 1)
        self._view = numpy.ctypeslib.as_array
        self._token = self._view(self._batch.token, (length,))
        self._pos = self._view(self._batch.pos, (length,))
        self._flag = self._view(self._batch.logits, (length,))
        self._held: list[list[int]] = []
        self._first: Any = None

    def decode(self, prompts: list[list[int]], steps: int) -> float:
        """Seconds for `steps` greedy tokens a sequence, after the prompts."""
        self._hold(prompts)
        count, start = len(prompts), len(prompts[0])
        self._batch.n_tokens = count
        for row in range(count):
            self._place(row, row)
        self._flag[:count] = 1
        chosen = self._first
        began = time.perf_counter()
        for step in range(steps):
            self._token[:count] = chosen
            self._pos[:count] = start + step
            self._run()
            chosen = self._choose(count)
        seconds = time.perf_counter() - began
        for row in range(count):
            self._lib.llama_memory_seq_rm(self._memory, row, start, -1)
        return seconds

    def prefill(self, prompt: list[int]) -> float:
        """Seconds from an empty memory to the token after `prompt`."""
        self._held = []
        self._lib.llama_memory_clear(self._memory, True)
        began = time.perf_counter()
        self._read(prompt, 0)
        self._choose(1)
        return time.perf_counter() - began

    def _hold(self, prompts: list[list[int]]) -> None:
        if self._held == prompts:
            return
        self._lib.llama_memory_clear(self._memory, True)
        self._first = []
        for row, prompt in enumerate(prompts):
            self._read(prompt, row)
            self._first.append(int(self._choose(1)[0]))
        self._held = prompts

    def _read(self, prompt: list[int], sequence: int) -> None:
        count = len(prompt)
        self._batch.n_tokens = count
        self._token[:count] = prompt
        self._pos[:count] = range(count)
        self._flag[:count] = 0
        self._flag[count - 1] = 1
        for row in range(count):
            self._place(row, sequence)
        self._run()

    def _place(self, row: int, sequence: int) -> None:
        self._batch.n_seq_id[row] = 1
        self._batch.seq_id[row][0] = sequence

    def _run(self) -> None:
        code = self._lib.llama_decode(self._handle, self._batch)
        if code != 0:
            raise RuntimeError(f"llama_decode returned {code}")

    def _choose(self, rows: int) -> Any:
        """The likeliest token of each of the `rows` outputs of the last batch."""
        return self._view(self._lib.llama_get_logits(self._handle), (rows, self._words)).argmax(axis=1)


class LlamaCpp:
    """A model and its contexts; the best one for each kind of measure is kept."""

    def __init__(self, path: str, threads: int, length: int) -> None:
        self._lib = lib = import_module("llama_cpp")
        self._quiet = lib.llama_log_callback(lambda *_: None)
        lib.llama_log_set(self._quiet, None)
        lib.llama_backend_init()
        params = lib.llama_model_default_params()
        params.n_gpu_layers = 0
        self._model = lib.llama_model_load_from_file(path.encode(), params)
        if not self._model:
            raise RuntimeError(f"llama.cpp could not load {path}")
        self._threads, self._length = threads, length
        self._best: dict[tuple[str, int], Context] = {}
        self._contexts: dict[tuple[int, Way], Context] = {}

    def describe(self) -> dict[str, Any]:
        """Version, what it was compiled for, bytes of its weights, and the way that was fastest in each measure."""
        ways = {f"{phase} {batch}": _spelled(best.way) for (phase, batch), best in self._best.items()}
        return {
            "version": self._lib.__version__,
            "detail": self._lib.llama_print_system_info().decode(),
            "weight_bytes": self._lib.llama_model_size(self._model),
            "ways": ways,
        }

    def first(self, prompt: list[int]) -> dict[str, float]:
        """Answer one prompt with one token, the plain way."""
        return {"seconds": self._context(1, (_AUTOMATIC, False)).prefill(prompt), "tokens": 1}

    def decode(self, prompts: list[list[int]], steps: int) -> dict[str, float]:
        """Greedy tokens after prompts of equal length, all sequences together."""
        best = self._fastest("decode", len(prompts), lambda context: context.decode(prompts, _TRIAL_STEPS))
        return {"seconds": best.decode(prompts, steps), "tokens": len(prompts) * steps}

    def prefill(self, prompt: list[int]) -> dict[str, float]:
        """One prompt that memory has nothing of, and the token after it."""
        best = self._fastest("prefill", 1, lambda context: context.prefill(prompt))
        return {"seconds": best.prefill(prompt), "tokens": len(prompt)}

    def _fastest(self, phase: str, count: int, trial: Callable[[Context], float]) -> Context:
        if (phase, count) not in self._best:
            ways = [(flash, shared) for flash in (_WITHOUT, _WITH) for shared in sorted({False, count > 1})]
            contexts = [self._context(count, way) for way in ways]
            seconds = [min(trial(context) for _ in range(_TRIES)) for context in contexts]
            self._best[phase, count] = contexts[seconds.index(min(seconds))]
        return self._best[phase, count]

    def _context(self, sequences: int, way: Way) -> Context:
        if (sequences, way) not in self._contexts:
            params = self._params(sequences, way)
            self._contexts[sequences, way] = Context(self._lib, self._model, params, self._length, way)
        return self._contexts[sequences, way]

    def _params(self, sequences: int, way: Way) -> Any:
        params = self._lib.llama_context_default_params()
        params.n_ctx = sequences * self._length
        params.n_batch = params.n_ubatch = self._length
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = self._threads
        params.flash_attn_type, params.kv_unified = way
        params.no_perf = True
        return params


def _spelled(way: Way) -> str:
    flash = {_AUTOMATIC: "automatic", _WITHOUT: "without", _WITH: "with"}[way[0]]
    return f"{flash} flash attention{', one memory for all sequences' if way[1] else ''}"


def open_engine(path: str, threads: int, length: int) -> LlamaCpp:
    """Load the GGUF at `path`; sequences have up to `length` tokens."""
    return LlamaCpp(path, threads, length)
