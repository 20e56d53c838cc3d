"""Training of the adapter: packs, block attention, schedule, the shared optimizer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

torch = pytest.importorskip("torch")

from premotor_runtime.models.adapter import PREFIX  # noqa: E402
from premotor_runtime.models.config import ModelConfig  # noqa: E402
from premotor_runtime.models.features import features  # noqa: E402
from premotor_runtime.models.safetensors_file import SafetensorsFile  # noqa: E402
from premotor_runtime.training.gemma import factor_shapes, pack_attention  # noqa: E402
from premotor_runtime.training.loop import TrainSettings, learning_rate  # noqa: E402
from premotor_runtime.training.packs import TextPack, TokenPack, tokenize  # noqa: E402
from premotor_runtime.training.saving import FILE_NAME, save  # noqa: E402
from premotor_runtime.training.shared_adapter import SharedAdapter  # noqa: E402

pytestmark = pytest.mark.torch


class Letters:
    """One token a character; 0 begins the sequence."""

    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]

    def encode_blocks(self, blocks: Sequence[str]) -> list[int]:
        return [0, *(token for block in blocks for token in self.encode(block))]


PACK = TextPack("rooms\n", (("ab?", " x\n"), ("cde?", " yyy\n"), ("f?", " z\n")))


def tokens(max_len: int = 510) -> TokenPack | None:
    return tokenize(PACK, cast(Any, Letters()), max_len)


def tiny() -> ModelConfig:
    return ModelConfig(
        architecture="gemma3", vocab_size=50, hidden_size=8, intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=4, rms_norm_eps=1e-6, rope_theta=1e6,
        max_position_embeddings=64, tie_word_embeddings=True, bos_token_id=2, eos_token_ids=(1,), attention_scale=0.5,
        rope_local_theta=1e4, sliding_window=512, sliding_layers=(True, False), **features("gemma3", 8),
    )  # fmt: skip


def test_each_question_continues_the_prefix_and_predicts_its_answer() -> None:
    pack = tokens()
    assert pack is not None and pack.prefix_len == 7
    starts = [int(row[0]) for row in pack.rows]
    assert [int(pack.positions[start]) for start in starts] == [7, 7, 7]
    assert "".join(chr(int(t)) for t in pack.targets) == " x\n yyy\n z\n"
    assert [int(n) for n in pack.question.bincount()] == [3, 5, 3]
    for at, target in zip(pack.predict.tolist(), pack.targets.tolist(), strict=True):
        inside = at + 1 < len(pack.ids) and int(pack.positions[at + 1]) == int(pack.positions[at]) + 1
        assert not inside or int(pack.ids[at + 1]) == target


def test_questions_that_would_not_fit_are_left_out() -> None:
    short = tokens(max_len=13)
    assert short is not None and len(short.rows) == 2
    assert tokens(max_len=10) is None


def test_block_attention_equals_causal_attention_of_each_question_alone() -> None:
    pack = tokens()
    assert pack is not None
    torch.manual_seed(1)
    q, k, v = torch.randn(len(pack.ids), 2, 4), torch.randn(len(pack.ids), 4), torch.randn(len(pack.ids), 4)
    mixed = pack_attention(q, k, v, pack)
    prefix = list(range(pack.prefix_len))
    for row in pack.rows.tolist():
        line = prefix + [at for at in row if at < len(pack.ids)]
        scores = q[line].transpose(0, 1) @ k[line].t()
        hidden = ~torch.ones(len(line), len(line), dtype=torch.bool).tril()
        alone = (scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v[line]).transpose(0, 1)
        torch.testing.assert_close(mixed[line], alone, rtol=1e-5, atol=1e-6)


def test_the_rate_rises_then_falls_to_zero() -> None:
    settings = TrainSettings(Path("unused"), 10.0, 1, rate=1.0, warmup_share=0.1)
    rates = [learning_rate(settings, share / 100) for share in range(101)]
    assert rates[0] == 0.0 and rates[-1] == 0.0
    assert rates.index(max(rates)) == 10 and rates[10] == pytest.approx(0.9)
    assert all(a < b for a, b in itertools.pairwise(rates[:11]))
    assert all(a > b for a, b in itertools.pairwise(rates[10:]))


def test_a_new_adapter_changes_nothing_and_steps_towards_the_minimum() -> None:
    adapter = SharedAdapter(tiny(), rank=2, seed=1)
    views = adapter.views(adapter.values)
    assert set(views) == set(factor_shapes(tiny(), 2))
    assert all(not bool(view.any()) for name, view in views.items() if name.endswith("lora_B"))
    goal = torch.linspace(-1, 1, len(adapter.values))
    before = float((adapter.values - goal).square().mean())
    for _ in range(200):
        adapter.step(adapter.values - goal, rate=0.05, clip=1e9)
    assert float((adapter.values - goal).square().mean()) < 0.01 * before
    kept = adapter.values.clone()
    adapter.step(torch.full_like(kept, torch.nan), rate=0.05, clip=1.0)
    assert torch.equal(kept, adapter.values)


def test_what_is_saved_can_be_resumed_and_has_peft_names(tmp_path: Path) -> None:
    adapter = SharedAdapter(tiny(), rank=2, seed=1)
    adapter.step(torch.ones_like(adapter.values), rate=0.01, clip=1.0)
    path = save(adapter, tmp_path, 2, 4.0, "a" * 64, {"seed": "1"})
    file = SafetensorsFile(path)
    assert path.name == FILE_NAME and file.metadata["rank"] == "2" and file.metadata["base_sha256"] == "a" * 64
    assert f"{PREFIX}layers.1.mlp.down_proj.lora_B.weight" in file.names
    again = SharedAdapter(tiny(), rank=2, seed=9)
    again.restore(torch.load(tmp_path / "state.pt", weights_only=True))
    assert torch.equal(again.values, adapter.values) and again.steps.value == 1
