"""Trains the embedded planner model from scratch on this project's own corpus (extra `torch`)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from premotor_planners.corpus.natural import mixed_packs
from premotor_planners.corpus.pack import Pack, Split, answer_text, catalogue_text, generate_packs
from premotor_planners.task.answers.prompt import question_block
from premotor_runtime.training.embedded_start import Progress, continued_start, fresh_start
from premotor_runtime.training.embedded_tokenizer import train_tokenizer
from premotor_runtime.training.embedded_trainer import EmbeddedSettings, EmbeddedTrainer
from premotor_runtime.training.packs import TextPack

VOCAB_SIZE = 1984
NATURAL_SHARE = 0.1
QUESTIONS = 20
TOKENIZER_PACKS = 1200
EXAM_PACKS = 5
EXAM_SEED = 900_001


def train_embedded(
    folder: Path, minutes: float, seed: int, log: Callable[[str], None], continue_from: Path | None = None
) -> Progress:
    """Train for `minutes` of wall time on one thread and leave a Hugging Face checkpoint in `folder`.

    The data depend on `seed` alone; how much of it is seen, and so the weights, also depends on the machine's speed.
    `continue_from` names a checkpoint to go on from (give another seed then, for questions not seen yet); raises
    CheckpointError when it is damaged or no such model.
    """
    import torch

    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    settings = EmbeddedSettings(minutes, seed, easy=0.0 if continue_from else EmbeddedSettings.easy)
    start = continued_start(continue_from) if continue_from else fresh_start(_tokenizer_json(seed), seed)
    trainer = EmbeddedTrainer(start, settings, time.monotonic, log)
    log(f"{sum(p.numel() for p in trainer.parameters.values())} parameters, {start.tokenizer.vocab_size} tokens")
    packs = (text_pack(pack) for pack in mixed_packs(seed + 1, NATURAL_SHARE, QUESTIONS))
    trainer.train(packs, {split: exam(split) for split in ("names", "wording")}, folder)
    return trainer.progress


def exam(split: Split, packs: int = EXAM_PACKS) -> list[TextPack]:
    """Questions of a held-out split; always the same ones."""
    return [text_pack(pack) for pack in itertools.islice(generate_packs(EXAM_SEED, split, QUESTIONS), packs)]


def text_pack(pack: Pack) -> TextPack:
    """The pack's texts, as the prompt and the plan language have them."""
    pairs = tuple((question_block(question.task), answer_text(question.answer)) for question in pack.questions)
    return TextPack(catalogue_text(pack.catalogue), pairs, tuple(question.kind for question in pack.questions))


def _tokenizer_json(seed: int) -> str:
    packs: Iterable[Pack] = itertools.islice(mixed_packs(seed, NATURAL_SHARE, QUESTIONS), TOKENIZER_PACKS)
    texts = ((pack.prefix, *itertools.chain.from_iterable(pack.questions)) for pack in map(text_pack, packs))
    return train_tokenizer(itertools.chain.from_iterable(texts), VOCAB_SIZE)
