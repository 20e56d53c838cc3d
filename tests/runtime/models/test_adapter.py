"""An adapter is added to exactly the matrices it names, or refused before anything is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from premotor_runtime.models.adapter import PREFIX, AdapterInfo, merge, write_adapter
from premotor_runtime.models.adapter_file import read_adapter
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.errors import AdapterError
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import named_views
from premotor_runtime.models.registry import load_model

Q = "layers.1.self_attn.q_proj"
DOWN = "layers.0.mlp.down_proj"


def _factors(rank: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(4)
    factors = {}
    for target, (rows, columns) in {Q: (64, 64), DOWN: (64, 96)}.items():
        factors[f"{PREFIX}{target}.lora_A.weight"] = random.normal(0, 1, (rank, columns)).astype(np.float16)
        factors[f"{PREFIX}{target}.lora_B.weight"] = random.normal(0, 1, (rows, rank)).astype(np.float16)
    return factors


@pytest.fixture
def base(hf_folder: Path) -> Checkpoint:
    return load_hf(hf_folder)


def test_the_scaled_product_is_added_and_nothing_else(base: Checkpoint, tmp_path: Path) -> None:
    path, factors = tmp_path / "a.safetensors", _factors(4)
    write_adapter(path, factors, AdapterInfo(4, 8.0, base.sha256), {"seed": "3"})
    before = {name: view.copy() for name, view in named_views(base.flat, base.config).items()}
    adapter = read_adapter(path, base.config, base.sha256)
    merge(adapter, base.flat, base.config)
    assert adapter.info == AdapterInfo(4, 8.0, base.sha256)
    for name, view in named_views(base.flat, base.config).items():
        target = name.removesuffix(".weight")
        delta = np.zeros_like(view)
        if target in (Q, DOWN):
            side_a, side_b = (factors[f"{PREFIX}{target}.lora_{s}.weight"].astype(np.float32) for s in "AB")
            delta = 2.0 * side_b @ side_a
        np.testing.assert_allclose(view, before[name] + delta, rtol=1e-5, atol=1e-5)


def test_the_registry_merges_and_names_it(hf_folder: Path, base: Checkpoint, tmp_path: Path) -> None:
    path = tmp_path / "robot.safetensors"
    write_adapter(path, _factors(2), AdapterInfo(2, 2.0, base.sha256), {})
    plain, adapted = load_model(hf_folder), load_model(hf_folder, adapter=path)
    assert adapted.name.endswith("+robot") and adapted.salt != plain.salt
    assert adapted.adapter == AdapterInfo(2, 2.0, base.sha256)


Change = Callable[[dict[str, np.ndarray], AdapterInfo], tuple[dict[str, np.ndarray], AdapterInfo]]
CHANGES: dict[str, Change] = {
    "trained on the checkpoint": lambda f, i: (f, AdapterInfo(i.rank, i.alpha, "f" * 64)),
    "its rank is 0": lambda f, i: (f, AdapterInfo(0, i.alpha, i.base_sha256)),
    "must be \\(8, 96\\)": lambda f, i: (f, AdapterInfo(8, i.alpha, i.base_sha256)),
    "is missing": lambda f, i: ({name: v for name, v in f.items() if not name.endswith("B.weight")}, i),
    "has no matrix": lambda f, i: ({name.replace("q_proj", "qq_proj"): v for name, v in f.items()}, i),
    "not a LoRA factor": lambda f, i: (f | {"model.norm.weight": np.ones(64, np.float32)}, i),
    "not finite": lambda f, i: (f | {f"{PREFIX}{Q}.lora_B.weight": np.full((64, 4), np.inf, np.float16)}, i),
    "no factors": lambda f, i: ({}, i),
}


@pytest.mark.parametrize("reason", CHANGES)
def test_what_does_not_fit_is_refused(base: Checkpoint, tmp_path: Path, reason: str) -> None:
    path = tmp_path / "bad.safetensors"
    factors, info = CHANGES[reason](_factors(4), AdapterInfo(4, 8.0, base.sha256))
    write_adapter(path, factors, info, {})
    with pytest.raises(AdapterError, match=reason) as caught:
        read_adapter(path, base.config, base.sha256)
    assert caught.value.exit_code == 2


def test_missing_and_cut_adapters_are_refused(base: Checkpoint, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with pytest.raises(AdapterError, match="no such file"):
        read_adapter(path, base.config, base.sha256)
    write_adapter(path, _factors(4), AdapterInfo(4, 8.0, base.sha256), {})
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(AdapterError, match="truncated or corrupt"):
        read_adapter(path, base.config, base.sha256)
