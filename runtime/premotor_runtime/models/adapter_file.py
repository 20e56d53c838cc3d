"""Reading LoRA adapters: this project's single file, or a folder as PEFT saves it.

PEFT: `adapter_config.json` with `r`, `lora_alpha`, `use_rslora`, `rank_pattern`, `alpha_pattern`, and the factors in
`adapter_model.safetensors` (https://huggingface.co/docs/peft, "LoRA").
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from premotor_runtime.models.adapter import PREFIX, AdapterInfo, Factors, LoraAdapter
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.models.errors import AdapterError, CheckpointError
from premotor_runtime.models.packed import layout
from premotor_runtime.models.safetensors_file import SafetensorsFile

_RETRAIN = "use the adapter trained on this checkpoint, or train it again"
_SAVE = "save it with PEFT as a plain LoRA of linear layers"
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "peft_type": ("LORA",),
    "bias": ("none", None),
    "use_dora": (False, None),
    "fan_in_fan_out": (False, None),
    "modules_to_save": (None, []),
    "layer_replication": (None,),
    "lora_bias": (False, None),
    "alora_invocation_tokens": (None,),
    "trainable_token_indices": (None,),
}
Scale = Callable[[str], tuple[int, float]]


def read_adapter(path: Path, config: ModelConfig, base_sha256: str) -> LoraAdapter:
    """The adapter in the file or PEFT folder `path`, every factor checked against the model's shapes.

    Raises AdapterError when it is missing, damaged or no plain LoRA, was trained on another checkpoint, names a matrix
    that the model lacks, or has a factor of the wrong shape. (A PEFT folder does not say on which weights it was
    trained; there only the shapes speak.)
    """
    try:
        file = SafetensorsFile(path / "adapter_model.safetensors" if path.is_dir() else path)
    except CheckpointError as error:
        raise AdapterError(error.path, error.problem, error.remedy) from error
    info, scale = _peft(path / "adapter_config.json") if path.is_dir() else _own(file)
    if not path.is_dir() and info.base_sha256 != base_sha256:
        problem = f"it was trained on the checkpoint with SHA-256 {info.base_sha256}, this one has {base_sha256}"
        raise AdapterError(path, problem, _RETRAIN)
    shapes = {name.removesuffix(".weight"): shape for name, shape, _ in layout(config) if len(shape) == 2}
    targets = sorted({_target(file, name) for name in file.names})
    if not targets:
        raise AdapterError(file.path, "it holds no factors", _RETRAIN)
    for target in targets:
        _check(file, target, scale(target)[0], shapes)
    return LoraAdapter(info, {target: _factors(file, target, scale(target)[1]) for target in targets})


def _own(file: SafetensorsFile) -> tuple[AdapterInfo, Scale]:
    try:
        rank, alpha = int(file.metadata["rank"]), float(file.metadata["alpha"])
        base = file.metadata["base_sha256"]
    except (KeyError, ValueError) as error:
        problem = f"its metadata must state rank, alpha and base_sha256 ({error!r})"
        raise AdapterError(file.path, problem, _RETRAIN) from error
    _check_numbers(file.path, rank, alpha)
    return AdapterInfo(rank, alpha, base), lambda target: (rank, alpha / rank)


def _peft(path: Path) -> tuple[AdapterInfo, Scale]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        rank, alpha = int(given["r"]), float(given["lora_alpha"])
        ranks, alphas = (dict(given.get(f"{name}_pattern") or {}) for name in ("rank", "alpha"))
    except FileNotFoundError as error:
        raise AdapterError(path, "no such file", "name a folder saved by PEFT, or a single adapter file") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise AdapterError(path, f"it states no readable `r` and `lora_alpha` ({error!r})", _SAVE) from error
    for key, neutral in _NEUTRAL.items():
        if key in given and given[key] not in neutral:
            raise AdapterError(path, f"`{key}` is {given[key]!r}, which is not computed", _SAVE)
    _check_numbers(path, rank, alpha)

    def scale(target: str) -> tuple[int, float]:
        own_rank, own_alpha = _patterned(ranks, target, rank), _patterned(alphas, target, alpha)
        _check_numbers(path, own_rank, own_alpha)
        return int(own_rank), own_alpha / (math.sqrt(own_rank) if given.get("use_rslora") else own_rank)

    return AdapterInfo(rank, alpha, ""), scale


def _patterned(patterns: Mapping[str, Any], target: str, default: float) -> float:
    """The value of the first pattern that names the end of `target`, as PEFT looks it up."""
    try:
        found = (value for key, value in patterns.items() if re.match(rf"(.*\.)?({key})$", f"model.{target}"))
        return float(next(found, default))
    except (re.error, TypeError, ValueError):
        return math.nan


def _check_numbers(path: Path, rank: float, alpha: float) -> None:
    if not (math.isfinite(rank) and rank >= 1 and math.isfinite(alpha)):
        raise AdapterError(path, f"its rank is {rank} and its alpha {alpha}", _RETRAIN)


def _check(file: SafetensorsFile, target: str, rank: int, shapes: Mapping[str, tuple[int, ...]]) -> None:
    if target not in shapes:
        raise AdapterError(file.path, f"the model has no matrix `{target}`", _RETRAIN)
    rows, columns = shapes[target]
    for side, expected in (("A", (rank, columns)), ("B", (rows, rank))):
        name = f"{PREFIX}{target}.lora_{side}.weight"
        if name not in file.names or file.shape(name) != expected:
            given = file.shape(name) if name in file.names else "missing"
            raise AdapterError(file.path, f"`{name}` is {given}; it must be {expected}", _RETRAIN)


def _factors(file: SafetensorsFile, target: str, scale: float) -> Factors:
    factor_a, factor_b = (file.tensor(f"{PREFIX}{target}.lora_{side}.weight") for side in "AB")
    if not (np.isfinite(factor_a).all() and np.isfinite(factor_b).all()):
        raise AdapterError(file.path, f"the factors of `{target}` hold values that are not finite", _RETRAIN)
    return Factors(factor_a, factor_b, scale)


def _target(file: SafetensorsFile, name: str) -> str:
    target = name.removeprefix(PREFIX)
    for side in "AB":
        if name.startswith(PREFIX) and target.endswith(f".lora_{side}.weight"):
            return target.removesuffix(f".lora_{side}.weight")
    raise AdapterError(file.path, f"`{name}` is not a LoRA factor named as PEFT names them", _RETRAIN)
