"""Training of the embedded model: packs are the same as single sequences, and the trainer keeps its promises."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from premotor_runtime.models.hf_checkpoint import load_hf  # noqa: E402
from premotor_runtime.models.tokenizer import Tokenizer  # noqa: E402
from premotor_runtime.runners.protocol import Chunk  # noqa: E402
from premotor_runtime.runners.reference import ReferenceRunner  # noqa: E402
from premotor_runtime.training.embedded_model import answer_logits, embedded_config, new_parameters  # noqa: E402
from premotor_runtime.training.embedded_optimizer import orthogonalised  # noqa: E402
from premotor_runtime.training.embedded_score import exact_match  # noqa: E402
from premotor_runtime.training.embedded_start import Progress, Start, continued_start  # noqa: E402
from premotor_runtime.training.embedded_tokenizer import train_tokenizer  # noqa: E402
from premotor_runtime.training.embedded_trainer import EmbeddedSettings, EmbeddedTrainer, rate_share  # noqa: E402
from premotor_runtime.training.packs import TextPack, tokenize  # noqa: E402

PACKS = (
    TextPack("Rooms: hall\n", (("Task: go to the hall\nPlan:", " go hall\n"), ("Task: x\nPlan:", " refuse unclear\n"))),
    TextPack("Rooms: attic, study\n", (("Task: visit the study, please\nPlan:", " go study\n"),)),
)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _tokenizer() -> Tokenizer:
    texts = [text for pack in PACKS for text in (pack.prefix, *itertools.chain(*pack.questions))]
    return Tokenizer(train_tokenizer(texts * 3, 300), Path("t"), 0, (1,))


def _trainer(minutes: float, easy: float = 0.25, start: Start | None = None) -> tuple[EmbeddedTrainer, list[str]]:
    ticks, lines = itertools.count(), list[str]()
    tokenizer = _tokenizer()
    settings = EmbeddedSettings(minutes, seed=3, easy=easy, save_every_s=150.0, score_every_s=200.0)
    config = dataclasses.replace(
        embedded_config(tokenizer.vocab_size), hidden_size=32, head_dim=8, intermediate_size=48, num_hidden_layers=2,
        attention_scale=8**-0.5,
    )  # fmt: skip
    start = start or Start(config, tokenizer, new_parameters(config, torch.Generator().manual_seed(3)), Progress())
    return EmbeddedTrainer(start, settings, lambda: float(next(ticks)), lines.append), lines


def test_the_written_checkpoint_gives_each_question_of_a_pack_the_logits_it_had_in_training(tmp_path: Path) -> None:
    trainer, _ = _trainer(minutes=0.2)
    trainer.train(itertools.cycle(PACKS), {}, tmp_path)
    tokenizer, checkpoint = trainer.tokenizer, load_hf(tmp_path)
    halved = {name: weight.half().float() for name, weight in trainer.average.items()}
    packs = [pack for pack in (tokenize(pack, tokenizer) for pack in PACKS) if pack]
    ours = iter(answer_logits(halved, trainer.config, packs).detach().numpy())
    for pack in PACKS:
        for question, answer in pack.questions:
            ids, length = tokenizer.encode_blocks([pack.prefix, question, answer]), len(tokenizer.encode(answer))
            runner = ReferenceRunner(checkpoint, num_blocks=len(ids) // 16 + 1)
            wanted = range(len(ids) - length - 1, len(ids) - 1)
            logits = runner.logits(runner.step([Chunk(ids, 0, range(runner.num_blocks), wanted)])[0].hidden)
            np.testing.assert_allclose(np.array(list(itertools.islice(ours, length))), logits, atol=2e-4)


def test_training_learns_a_handful_of_questions_and_logs_its_scores(tmp_path: Path) -> None:
    trainer, lines = _trainer(minutes=7.0)
    trainer.train(itertools.cycle(PACKS), {"seen": PACKS}, tmp_path)
    assert trainer.progress.loss < 1.0
    packs = [pack for pack in (tokenize(pack, trainer.tokenizer) for pack in PACKS) if pack]
    assert exact_match(trainer.parameters, trainer.config, packs).share == 1.0
    assert sum("exact match, seen" in line for line in lines) >= 2
    assert {path.name for path in tmp_path.iterdir()} == {
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip


def test_a_run_goes_on_from_the_checkpoint_of_another(tmp_path: Path) -> None:
    trainer, _ = _trainer(minutes=0.2)
    trainer.train(itertools.cycle(PACKS), {}, tmp_path)
    start = continued_start(tmp_path)
    for name, weight in trainer.average.items():
        assert torch.equal(start.parameters[name], weight.half().float())
    again, lines = _trainer(minutes=0.2, start=start)
    before = trainer.progress.steps
    again.train(itertools.cycle(PACKS), {}, tmp_path / "next")
    assert again.progress.steps > before
    assert f"step {again.progress.steps}, {again.progress.tokens} tokens" in lines[-1]
    assert continued_start(tmp_path / "next").progress.questions == again.progress.questions


def test_small_catalogues_come_first(tmp_path: Path) -> None:
    drawn: list[str] = []

    def packs() -> Iterator[TextPack]:
        for pack in itertools.cycle(PACKS):
            drawn.append(pack.prefix)
            yield pack

    trainer, _ = _trainer(minutes=0.05, easy=0.5)
    trainer.train(packs(), {}, tmp_path)
    assert trainer.progress.steps == 1
    assert len(drawn) == 2 * trainer.settings.packs_per_step
    shortest = tokenize(PACKS[0], trainer.tokenizer)
    assert shortest
    assert trainer.progress.tokens == trainer.settings.packs_per_step * len(shortest.ids)


def test_a_seed_gives_the_same_weights() -> None:
    config = embedded_config(300)
    first, second = (new_parameters(config, torch.Generator().manual_seed(5)) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("shape", [(3, 8, 8), (2, 12, 5), (2, 5, 12)])
def test_newton_schulz_keeps_singular_vectors_and_evens_out_singular_values(shape: tuple[int, int, int]) -> None:
    batch = torch.randn(*shape, generator=torch.Generator().manual_seed(0))
    result = orthogonalised(batch, rounds=8)
    assert result.shape == batch.shape
    values = torch.linalg.svdvals(result)
    assert float(values.min()) > 0.4
    assert float(values.max()) < 1.4
    left, _, right = torch.linalg.svd(batch, full_matrices=False)
    turned = left.transpose(1, 2) @ result @ right.transpose(1, 2)
    assert float((turned - torch.diag_embed(torch.diagonal(turned, dim1=1, dim2=2))).abs().max()) < 1e-3


def test_the_rate_warms_up_holds_and_falls_to_zero() -> None:
    settings = EmbeddedSettings(1.0, 0)
    shares = [rate_share(done, settings) for done in (0.0, 0.005, 0.2, 0.4, 0.7, 1.0)]
    assert shares == pytest.approx([0.0, 0.5, 1.0, 1.0, 0.5, 0.0])
