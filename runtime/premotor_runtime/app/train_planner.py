"""`premotor train-planner`: the corpus of `planners`, the base checkpoint and the training loop put together."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

from premotor_planners.corpus.natural import mixed_packs
from premotor_planners.corpus.pack import GENERATOR_VERSION, Pack, Split, answer_text, catalogue_text, generate_packs
from premotor_planners.task.answers.prompt import question_block
from premotor_runtime.models.gguf_cache import load_gguf
from premotor_runtime.models.pretrained_package import pretrained_gguf
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.training.packs import TextPack

QUESTIONS = 12
NATURAL_SHARE = 0.4
"""Share of hand-written packs in training; the rest is generated."""
EVALUATION_SEED = 9_000_001
EVALUATION_PACKS = 6


def text_packs(seed: int, split: Split = "train") -> Iterator[TextPack]:
    """The corpus as texts; the same seed gives the same packs."""
    packs = mixed_packs(seed, NATURAL_SHARE, QUESTIONS) if split == "train" else generate_packs(seed, split, QUESTIONS)
    return map(as_text, packs)


def as_text(pack: Pack) -> TextPack:
    """The prompt blocks and answers of a pack."""
    questions = tuple((question_block(q.task), answer_text(q.answer)) for q in pack.questions)
    return TextPack(catalogue_text(pack.catalogue), questions, tuple(q.kind for q in pack.questions))


def train_planner(out: Path, minutes: float, seed: int, threads: int) -> None:
    """Train the adapter into `out` (resuming what is there) and log to `out/train.log`.

    Raises CheckpointError when the base model is not installed, ImportError without the extra `torch`.
    """
    import torch

    from premotor_runtime.training.gemma import Gemma
    from premotor_runtime.training.loop import TrainSettings, train

    torch.set_num_threads(1)  # before anything else: the workers are forked, one thread each
    out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=out / "train.log", level=logging.INFO, format="%(asctime)s %(message)s")
    checkpoint = load_gguf(pretrained_gguf())
    config = checkpoint.config
    tokenizer = Tokenizer(checkpoint.tokenizer_json, checkpoint.path, config.bos_token_id, config.eos_token_ids)
    note = (("seed", str(seed)), ("generator_version", GENERATOR_VERSION), ("minutes", str(minutes)))
    settings = TrainSettings(out, minutes, seed, workers=threads, note=note)
    splits: tuple[Split, ...] = ("names", "wording")
    held_out: dict[str, list[TextPack]] = {
        s: list(itertools.islice(text_packs(EVALUATION_SEED, s), EVALUATION_PACKS)) for s in splits
    }
    model = Gemma(checkpoint, settings.alpha / settings.rank)
    train(model, tokenizer, checkpoint.sha256, text_packs, held_out, settings)
