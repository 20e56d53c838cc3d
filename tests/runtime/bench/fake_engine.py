"""A peer for tests, run by `workers/loop.py`: `speed` tokens a second, and the trouble that `trouble` names."""

from __future__ import annotations

import os
import time
from typing import Any


class Fake:
    def __init__(self, speed: float, trouble: str, after: int) -> None:
        self._speed, self._trouble, self._left = speed, trouble, after

    def first(self, prompt: list[int]) -> dict[str, float]:
        print("a library that talks on stdout")  # noqa: T201
        os.write(1, b"and one that does so below Python\n")
        return {"seconds": 0.001, "tokens": 1}

    def decode(self, prompts: list[list[int]], steps: int) -> dict[str, float]:
        self._spend()
        return {"seconds": len(prompts) * steps / self._speed, "tokens": len(prompts) * steps}

    def prefill(self, prompt: list[int]) -> dict[str, float]:
        self._spend()
        return {"seconds": len(prompt) / self._speed, "tokens": len(prompt)}

    def batching(self, requests: list[dict[str, Any]]) -> dict[str, float]:
        self._spend()
        tokens = sum(request["tokens"] for request in requests)
        return {"seconds": tokens / self._speed, "tokens": tokens}

    def describe(self) -> dict[str, Any]:
        return {"version": "1.2.3", "detail": "fake", "ways": {}, "weight_bytes": 1000}

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0 and self._trouble == "die":
            os.write(2, b"something broke inside\n")
            os._exit(7)
        if self._left < 0 and self._trouble == "hang":
            time.sleep(600)
        if self._left < 0 and self._trouble == "raise":
            raise ValueError("no such thing")


def open_engine(speed: float = 100.0, trouble: str = "", after: int = 0, module: str = "os") -> Fake:
    __import__(module)
    return Fake(speed, trouble, after)
