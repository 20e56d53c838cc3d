"""Adapters kept apart give what merged ones give, each to its own chunks only; PEFT folders mean what PEFT means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from premotor_runtime.models.adapter import PREFIX, AdapterInfo, merge, write_adapter
from premotor_runtime.models.adapter_file import read_adapter
from premotor_runtime.models.errors import AdapterError
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import layer_shapes, named_views
from premotor_runtime.models.registry import load_model
from premotor_runtime.runners.protocol import Chunk, ModelRunner
from premotor_runtime.runners.reference import ReferenceRunner

Q, DOWN = "layers.1.self_attn.q_proj", "layers.0.mlp.down_proj"
TOKENS = (5, 9, 2, 7, 100, 31, 8)


def _everywhere(folder: Path, rank: int, seed: int) -> dict[str, np.ndarray]:
    """Factors for all seven matrices of both layers."""
    random, config = np.random.default_rng(seed), load_hf(folder).config
    factors = {}
    for layer in range(2):
        for name, shape in layer_shapes(config, layer).items():
            if len(shape) == 2:
                target = PREFIX + name.removesuffix(".weight")
                factors[f"{target}.lora_A.weight"] = random.normal(0, 0.3, (rank, shape[1])).astype(np.float32)
                factors[f"{target}.lora_B.weight"] = random.normal(0, 0.3, (shape[0], rank)).astype(np.float32)
    assert len(factors) == 28
    return factors


@pytest.fixture
def adapters(hf_folder: Path, tmp_path: Path) -> dict[str, Path]:
    """Two adapters of different rank in this project's own form."""
    paths = {}
    for name, rank, seed in (("polite", 4, 1), ("terse", 2, 2)):
        paths[name] = tmp_path / f"{name}.safetensors"
        info = AdapterInfo(rank, 3.0, load_hf(hf_folder).sha256)
        write_adapter(paths[name], _everywhere(hf_folder, rank, seed), info, {})
    return paths


def _run(runner: ModelRunner, adapter: str | None, blocks: range = range(2)) -> np.ndarray:
    (out,) = runner.step([Chunk(TOKENS, 0, blocks, range(len(TOKENS)), adapter=adapter)])
    return out.hidden


def test_apart_equals_merged(hf_folder: Path, adapters: dict[str, Path]) -> None:
    apart = load_model(hf_folder, num_blocks=2, adapters=adapters)
    plain = load_model(hf_folder, num_blocks=2)
    assert set(apart.runner.adapter_names) == set(apart.adapters) == {"polite", "terse"}
    assert np.array_equal(_run(apart.runner, None), _run(plain.runner, None))
    for name, path in adapters.items():
        merged = load_model(hf_folder, adapter=path, num_blocks=2)
        np.testing.assert_allclose(_run(apart.runner, name), _run(merged.runner, None), rtol=1e-3, atol=1e-4)
        assert np.abs(_run(apart.runner, name) - _run(plain.runner, None)).max() > 0.1


def test_a_mixed_batch_equals_each_alone(hf_folder: Path, adapters: dict[str, Path]) -> None:
    runner = load_model(hf_folder, num_blocks=8, adapters=adapters).runner
    names = ["terse", None, "polite", "terse"]
    alone = [_run(runner, name) for name in names]
    batch = [
        Chunk(TOKENS[: 7 - n], 0, range(2 * n, 2 * n + 2), range(7 - n), adapter=name) for n, name in enumerate(names)
    ]
    for n, (out, expected) in enumerate(zip(runner.step(batch), alone, strict=True)):
        np.testing.assert_allclose(out.hidden, expected[: 7 - n], rtol=1e-4, atol=1e-5)


def test_an_unknown_adapter_is_no_silent_default(hf_folder: Path, adapters: dict[str, Path]) -> None:
    runner = load_model(hf_folder, num_blocks=2, adapters=adapters).runner
    with pytest.raises(ValueError, match=r"no adapter is called \['rude'\]; loaded are \['polite', 'terse'\]"):
        _run(runner, "rude")


def _peft(folder: Path, factors: dict[str, np.ndarray], **changes: Any) -> Path:
    """A folder as `PeftModel.save_pretrained` writes it."""
    folder.mkdir()
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "bias": "none", "use_rslora": False, "use_dora": False,
              "fan_in_fan_out": False, "modules_to_save": None, "rank_pattern": {}, "alpha_pattern": {},
              "target_modules": ["q_proj", "down_proj"], "base_model_name_or_path": "x"} | changes  # fmt: skip
    (folder / "adapter_config.json").write_text(json.dumps(config))
    save_file(factors, folder / "adapter_model.safetensors")
    return folder


def _two(rank_q: int = 4, rank_down: int = 4) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    shapes = {f"{Q}.lora_A": (rank_q, 64), f"{Q}.lora_B": (64, rank_q), f"{DOWN}.lora_A": (rank_down, 96),
              f"{DOWN}.lora_B": (64, rank_down)}  # fmt: skip
    return {f"{PREFIX}{name}.weight": random.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("changes", "ranks", "scale_q", "scale_down"),
    [
        ({}, (4, 4), 2.0, 2.0),
        ({"use_rslora": True}, (4, 4), 4.0, 4.0),
        ({"rank_pattern": {"down_proj": 2}}, (4, 2), 2.0, 4.0),
        ({"alpha_pattern": {"layers.1.self_attn.q_proj": 1}}, (4, 4), 0.25, 2.0),
        ({"rank_pattern": {"^model.layers.0.mlp.down_proj": 2}, "use_rslora": True}, (4, 2), 4.0, 8 / 2**0.5),
    ],
)
def test_peft_folders_scale_as_peft_does(
    hf_folder: Path, tmp_path: Path, changes: dict[str, Any], ranks: tuple[int, int], scale_q: float, scale_down: float
) -> None:
    base, factors = load_hf(hf_folder), _two(*ranks)
    adapter = read_adapter(_peft(tmp_path / "peft", factors, **changes), base.config, base.sha256)
    before = {name: view.copy() for name, view in named_views(base.flat, base.config).items()}
    merge(adapter, base.flat, base.config)
    scales = {f"{Q}.weight": scale_q, f"{DOWN}.weight": scale_down}
    for name, view in named_views(base.flat, base.config).items():
        delta = np.zeros_like(view)
        if name in scales:
            a, b = (factors[f"{PREFIX}{name.removesuffix('.weight')}.lora_{side}.weight"] for side in "AB")
            delta = scales[name] * (b @ a)
        np.testing.assert_allclose(view, before[name] + delta, rtol=1e-4, atol=1e-4)


REFUSED: dict[str, dict[str, Any]] = {
    "`peft_type` is 'IA3'": {"peft_type": "IA3"},
    "`use_dora` is True": {"use_dora": True},
    "`bias` is 'all'": {"bias": "all"},
    "`modules_to_save` is": {"modules_to_save": ["lm_head"]},
    "its rank is 0": {"r": 0},
    "its rank is 4 and its alpha nan": {"lora_alpha": "nan"},
    "no readable `r` and `lora_alpha`": {"r": None},
    "must be \\(8, 96\\)": {"rank_pattern": {"down_proj": 8}},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_no_plain_lora_is_refused(hf_folder: Path, tmp_path: Path, reason: str) -> None:
    base = load_hf(hf_folder)
    with pytest.raises(AdapterError, match=reason):
        read_adapter(_peft(tmp_path / "peft", _two(), **REFUSED[reason]), base.config, base.sha256)


@pytest.mark.parametrize(("name", "keep"), [("adapter_config.json", 0), ("adapter_config.json", None),
                                            ("adapter_model.safetensors", 50)])  # fmt: skip
def test_damaged_folders_name_the_file(hf_folder: Path, tmp_path: Path, name: str, keep: int | None) -> None:
    base, folder = load_hf(hf_folder), _peft(tmp_path / "peft", _two())
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    if keep is not None:
        (folder / name).write_bytes(content[:keep])
    with pytest.raises(AdapterError, match=name.replace(".", r"\.")):
        read_adapter(folder, base.config, base.sha256)


@pytest.mark.torch
def test_peft_itself_computes_the_same(hf_folder: Path, tmp_path: Path) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    peft = pytest.importorskip("peft", reason="peft is not installed; its arithmetic is tested by formula above")
    model = transformers.AutoModelForCausalLM.from_pretrained(hf_folder, dtype=torch.float32)
    settings = {"r": 4, "lora_alpha": 6, "rank_pattern": {"down_proj": 2}, "use_rslora": True}
    targets = ["q_proj", "v_proj", "o_proj", "up_proj", "down_proj"]
    adapted = peft.get_peft_model(model, peft.LoraConfig(target_modules=targets, **settings)).eval()
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.normal_(0.0, 0.3)
        expected = adapted(torch.tensor([TOKENS])).logits[0].numpy()
    adapted.save_pretrained(tmp_path / "peft")
    base = load_hf(hf_folder)
    adapter = read_adapter(tmp_path / "peft", base.config, base.sha256)
    runner = ReferenceRunner(base, 2, 16, {"a": adapter})
    np.testing.assert_allclose(runner.logits(_run(runner, "a")), expected, rtol=1e-3, atol=1e-3)
