"""A kernel as an ONNX file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from premotor_accelerators.errors import NotStored
from premotor_accelerators.precision.graph_checks import check_graph, parse_model
from premotor_accelerators.protocol import Kernel
from premotor_foundation.atomic_write import write_atomically

SCHEMA = "premotor.export/1"


def export_kernel(kernel: Kernel, path: Path) -> dict[str, Any]:
    """Write the checked model, whole or not at all; returns what it is. Raises NotStored, CompileRefused."""
    exported = kernel.onnx()
    model = parse_model(kernel.name, exported)
    check_graph(kernel, model)
    try:
        write_atomically(path, exported)
    except OSError as error:
        raise NotStored(f"{path} cannot be written: {error}; name a folder that can, with free space") from error
    return {
        "schema": SCHEMA,
        "kernel": kernel.name,
        "file": str(path),
        "bytes": len(exported),
        "sha256": hashlib.sha256(exported).hexdigest(),
        "nodes": len(model.graph.node),
        "operators": sorted({node.op_type for node in model.graph.node}),
        "inputs": {spec.name: list(spec.shape) for spec in kernel.inputs},
        "outputs": {spec.name: list(spec.shape) for spec in kernel.outputs},
    }
