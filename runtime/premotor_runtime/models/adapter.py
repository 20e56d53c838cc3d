"""LoRA adapters (Hu et al. 2021): W + alpha / rank * B A, added to the layers when a checkpoint is loaded.

Tensors are named as PEFT does: `base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight` (rank, in) and
`...lora_B.weight` (out, rank). The file's metadata states `rank`, `alpha` and `base_sha256`, the checkpoint file that
the adapter was trained on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from premotor_foundation.atomic_write import write_atomically
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import AdapterError, CheckpointError
from premotor_runtime.models.packed import Floats, named_views
from premotor_runtime.models.safetensors_file import SafetensorsFile

PREFIX = "base_model.model.model."
_RETRAIN = "use the adapter trained on this checkpoint, or train it again"


@dataclass(frozen=True)
class AdapterInfo:
    """What an adapter's metadata says."""

    rank: int
    alpha: float
    base_sha256: str


def merge_adapter(flat: Floats, config: ModelConfig, base_sha256: str, path: Path) -> AdapterInfo:
    """Add the adapter at `path` to the layers in `flat`, in place; every factor is checked before the first is added.

    Raises AdapterError when the file is missing or damaged, was trained on another checkpoint, names a matrix the model
    lacks, or has a factor of the wrong shape.
    """
    try:
        file = SafetensorsFile(path)
    except CheckpointError as error:
        raise AdapterError(path, error.problem, error.remedy) from error
    info = _info(file)
    if info.base_sha256 != base_sha256:
        problem = f"it was trained on the checkpoint with SHA-256 {info.base_sha256}, this one has {base_sha256}"
        raise AdapterError(path, problem, _RETRAIN)
    views = named_views(flat, config)
    factors = {target: _factors(file, target) for target in _targets(file, info, views)}
    for target, (factor_a, factor_b) in factors.items():
        views[f"{target}.weight"] += np.float32(info.alpha / info.rank) * (factor_b @ factor_a)
    return info


def write_adapter(
    path: Path, factors: Mapping[str, npt.NDArray[np.float16] | Floats], info: AdapterInfo, note: Mapping[str, str]
) -> None:
    """Write an adapter whole or not at all; `factors` maps full PEFT names to arrays, `note` is added to the metadata.

    Raises OSError.
    """
    metadata = {**note, "rank": str(info.rank), "alpha": repr(info.alpha), "base_sha256": info.base_sha256}
    arrays = {name: np.ascontiguousarray(array) for name, array in factors.items()}
    write_atomically(path, save(arrays, metadata))


def _info(file: SafetensorsFile) -> AdapterInfo:
    try:
        rank, alpha = int(file.metadata["rank"]), float(file.metadata["alpha"])
        base = file.metadata["base_sha256"]
    except (KeyError, ValueError) as error:
        problem = f"its metadata must state rank, alpha and base_sha256 ({error!r})"
        raise AdapterError(file.path, problem, _RETRAIN) from error
    if rank < 1 or not math.isfinite(alpha):
        raise AdapterError(file.path, f"its rank is {rank} and its alpha {alpha}", _RETRAIN)
    return AdapterInfo(rank, alpha, base)


def _targets(file: SafetensorsFile, info: AdapterInfo, views: Mapping[str, Floats]) -> list[str]:
    targets = sorted({_target(file, name) for name in file.names})
    if not targets:
        raise AdapterError(file.path, "it holds no factors", _RETRAIN)
    for target in targets:
        matrix = views.get(f"{target}.weight")
        if matrix is None or matrix.ndim != 2:
            raise AdapterError(file.path, f"the model has no matrix `{target}`", _RETRAIN)
        rows, columns = matrix.shape
        for side, expected in (("A", (info.rank, columns)), ("B", (rows, info.rank))):
            name = f"{PREFIX}{target}.lora_{side}.weight"
            if name not in file.names or file.shape(name) != expected:
                given = file.shape(name) if name in file.names else "missing"
                raise AdapterError(file.path, f"`{name}` is {given}; it must be {expected}", _RETRAIN)
    return targets


def _factors(file: SafetensorsFile, target: str) -> tuple[Floats, Floats]:
    factor_a, factor_b = (file.tensor(f"{PREFIX}{target}.lora_{side}.weight") for side in "AB")
    if not (np.isfinite(factor_a).all() and np.isfinite(factor_b).all()):
        raise AdapterError(file.path, f"the factors of `{target}` hold values that are not finite", _RETRAIN)
    return factor_a, factor_b


def _target(file: SafetensorsFile, name: str) -> str:
    target = name.removeprefix(PREFIX)
    for side in "AB":
        if name.startswith(PREFIX) and target.endswith(f".lora_{side}.weight"):
            return target.removesuffix(f".lora_{side}.weight")
    raise AdapterError(file.path, f"`{name}` is not a LoRA factor named as PEFT names them", _RETRAIN)
