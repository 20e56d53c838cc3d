"""Compiles every kernel for a GPU that need not be there; prints {kernel: bytes of shared memory} as JSON.

Run as a program of its own, since a process that interprets kernels does not compile them. Argument: the compute
capability, e.g. 87 for Orin.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ.pop("TRITON_INTERPRET", None)

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from premotor_runtime.runners.torch.kernels import attend_decode, attend_prefill, rows

NUMBERS = dict.fromkeys(
    ["slots", "rows", "table_rows", "contexts", "tables", "tile_tables", "tile_rows", "tile_starts", "tile_sizes"],
    "*i32",
)
FLOATS = dict.fromkeys(["residual", "change_weight", "weight", "norms", "cosine", "sine", "parts", "sums"], "*fp32")
HALVES = dict.fromkeys(["out", "change", "gate_up", "query", "keys", "values", "projected"], "*bf16")
SCALARS = {"eps": "fp32", "scale": "fp32", "splits": "i32", "table_width": "i32"}
HEADS = {
    "GROUP": 4,
    "KV_HEADS": 1,
    "HEAD_DIM": 64,
    "BLOCK_SIZE": 16,
    "DIMS": 64,
    "TILE": 64,
    "WINDOW": 512,
    "WIDEN": False,
}
KERNELS: list[tuple[Any, dict[str, Any]]] = [
    (attend_decode.attend_decode_kernel, {**HEADS, "QUERIES": 16, "SPLIT": True}),
    (attend_decode.join_splits_kernel, {"HEADS": 4, "HEAD_DIM": 64, "DIMS": 64, "MOST": 32}),
    (attend_prefill.attend_prefill_kernel, {**HEADS, "QUERIES": 64, "MEMBERS": 4}),
    (rows.rotate_and_store_kernel, {"HEADS": 4, "KV_HEADS": 1, "HALF": 32, "BLOCK": 32, "NORMED": True}),
    (rows.add_norm_kernel, {"HIDDEN": 640, "BLOCK": 1024, "CHANGED": True, "CHANGE_NORMED": True}),
    (rows.gate_kernel, {"INNER": 2048, "BLOCK": 1024, "GELU": True}),
]


def shared_bytes(kernel: Any, constants: dict[str, Any], capability: int) -> int:
    types = {**NUMBERS, **FLOATS, **HALVES, **SCALARS}
    signature = {name: "constexpr" if name in constants else types[name] for name in kernel.arg_names}
    source = ASTSource(kernel, signature, {(kernel.arg_names.index(name),): value for name, value in constants.items()})
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    assert compiled.asm["cubin"]
    return int(compiled.metadata.shared)


if __name__ == "__main__":
    found = {kernel.__name__: shared_bytes(kernel, constants, int(sys.argv[1])) for kernel, constants in KERNELS}
    sys.stdout.write(json.dumps(found))
