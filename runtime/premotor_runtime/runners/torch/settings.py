"""Where and how the torch runner computes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from premotor_runtime.runners.torch.errors import TorchRunnerError

Dtype = Literal["bfloat16", "float16", "float32"]
Kernels = Literal["triton", "torch"]


@dataclass(frozen=True)
class TorchSettings:
    """`device`: `cuda`, `cuda:N` or `cpu`. `dtype`: of weights, keys, values and matrix products.

    `kernels`: None takes Triton on CUDA and plain torch on the CPU; Triton on the CPU needs its interpreter
    (TRITON_INTERPRET=1 before anything imports it), plain torch on CUDA is a slow check and takes no graphs.
    `graph_sizes`: decode batches for which a CUDA graph is captured at first use; a batch takes the next larger size,
    and runs without a graph beyond the largest. Empty for none. They count on CUDA only.
    `stream_priority`: of the CUDA stream, 0 the lowest, more urgent ones below 0. A planner that shares the GPU must
    take a stream of -1 or below, so that its kernels start before waiting ones of the language model.

    Raises TorchRunnerError for a value that is not allowed.
    """

    device: str = "cuda"
    dtype: Dtype = "bfloat16"
    kernels: Kernels | None = None
    graph_sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    stream_priority: int = 0

    def __post_init__(self) -> None:
        _check("device", self.device, "`cuda`, `cuda:N` or `cpu`", bool(re.fullmatch(r"cpu|cuda(:\d+)?", self.device)))
        _check("dtype", self.dtype, " or ".join(get_args(Dtype)), self.dtype in get_args(Dtype))
        _check("kernels", self.kernels, "None, triton or torch", self.kernels in (None, *get_args(Kernels)))
        sizes = self.graph_sizes
        ascending = list(sizes) == sorted(set(sizes)) and min(sizes, default=1) >= 1
        _check("graph_sizes", sizes, "ascending numbers of at least 1", ascending)
        _check("stream_priority", self.stream_priority, "0 (lowest) or below", self.stream_priority <= 0)

    @property
    def on_cuda(self) -> bool:
        """Whether the device is a CUDA one."""
        return self.device != "cpu"

    @property
    def uses_triton(self) -> bool:
        """Whether attention and the elementwise work run as Triton kernels."""
        return self.kernels == "triton" or (self.kernels is None and self.on_cuda)

    @property
    def uses_graphs(self) -> bool:
        """Whether decode steps are captured as CUDA graphs."""
        return self.on_cuda and self.uses_triton and bool(self.graph_sizes)


def _check(name: str, given: object, allowed: str, good: bool) -> None:
    if not good:
        raise TorchRunnerError(f"the torch runner's {name} is {given!r}; allowed is {allowed}")
