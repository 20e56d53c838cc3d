"""Trains the embedded model for a given time; the schedule follows the clock, so that it fits any machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as functional

from premotor_runtime.training.embedded_export import write_embedded
from premotor_runtime.training.embedded_model import Parameters, answer_logits, answer_targets
from premotor_runtime.training.embedded_optimizer import optimizers
from premotor_runtime.training.embedded_score import exact_match
from premotor_runtime.training.embedded_start import Start
from premotor_runtime.training.packs import TextPack, TokenPack, tokenize

_EASY_CHOICE = 2
"""While catalogues are to be small, the smallest of this many packs is taken."""


@dataclass(frozen=True)
class EmbeddedSettings:
    """How to train. Rates hold until `plateau` (a share of the time), then fall linearly to zero.

    Until `easy` (also a share) small catalogues are preferred; the average spans about `averaging_steps` steps.
    """

    minutes: float
    seed: int
    packs_per_step: int = 2
    muon_rate: float = 0.02
    adam_rate: float = 0.003
    warmup: float = 0.01
    plateau: float = 0.4
    easy: float = 0.25
    averaging_steps: int = 80
    save_every_s: float = 150.0
    score_every_s: float = 600.0


class EmbeddedTrainer:
    """Holds weights, their running average and the optimizers. `clock` in seconds; `log` gets one line at a time."""

    def __init__(
        self, start: Start, settings: EmbeddedSettings, clock: Callable[[], float], log: Callable[[str], None]
    ) -> None:
        self.config, self.tokenizer, self.settings = start.config, start.tokenizer, settings
        self.clock, self.log, self.progress = clock, log, start.progress
        self._before = (start.progress.steps, start.progress.tokens)
        self.parameters = start.parameters
        self.average: Parameters = {name: p.detach().clone() for name, p in self.parameters.items()}
        self._muon, self._adam = optimizers(self.parameters, settings.muon_rate, settings.adam_rate)

    def train(self, packs: Iterator[TextPack], exams: Mapping[str, Sequence[TextPack]], folder: Path) -> None:
        """Train until the time is over; the averaged weights go to `folder` every few minutes and at the end."""
        ready = {name: [p for p in map(self._tokens, exam) if p] for name, exam in exams.items()}
        start = saved = scored = self.clock()
        while (elapsed := self.clock() - start) < self.settings.minutes * 60:
            done = elapsed / (self.settings.minutes * 60)
            self._step(self._batch(packs, done < self.settings.easy), done)
            if self.clock() - saved >= self.settings.save_every_s:
                saved = self.clock()
                self._save(folder, saved - start)
            if self.clock() - scored >= self.settings.score_every_s:
                scored = self.clock()
                self._score(ready)
        self._save(folder, self.clock() - start)
        self._score(ready)

    def _tokens(self, pack: TextPack) -> TokenPack | None:
        return tokenize(pack, self.tokenizer, self.config.max_position_embeddings)

    def _batch(self, packs: Iterator[TextPack], easy: bool) -> list[TokenPack]:
        batch: list[TokenPack] = []
        while len(batch) < self.settings.packs_per_step:
            drawn = [next(packs) for _ in range(_EASY_CHOICE if easy else 1)]
            pack = self._tokens(min(drawn, key=lambda one: len(one.prefix)))
            if pack:
                batch.append(pack)
        return batch

    def _step(self, batch: Sequence[TokenPack], done: float) -> None:
        settings, progress = self.settings, self.progress
        loss = functional.cross_entropy(answer_logits(self.parameters, self.config, batch), answer_targets(batch))
        loss.backward()
        share = rate_share(done, settings)
        for group in self._adam.param_groups:
            group["lr"] = settings.adam_rate * share
        self._muon.step(share, momentum=min(0.95, 0.85 + 0.001 * self._steps))
        self._adam.step()
        self._adam.zero_grad()
        for parameter in self.parameters.values():
            parameter.grad = None
        self._average()
        progress.steps += 1
        progress.tokens += sum(len(pack.ids) for pack in batch)
        progress.questions += sum(len(pack.rows) for pack in batch)
        progress.loss = loss.item() if self._steps == 1 else progress.loss * 0.98 + loss.item() * 0.02

    @property
    def _steps(self) -> int:
        """Steps of this run."""
        return self.progress.steps - self._before[0]

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _average(self) -> None:
        weight = max(1 / (self._steps + 1), 1 / self.settings.averaging_steps)
        for name, parameter in self.parameters.items():
            self.average[name].lerp_(parameter, weight)

    def _save(self, folder: Path, elapsed: float) -> None:
        p = self.progress
        note = {"seed": self.settings.seed, "steps": p.steps, "tokens": p.tokens, "questions": p.questions}
        write_embedded(
            folder, self.average, self.config, self.tokenizer.json, {key: str(value) for key, value in note.items()}
        )
        self.log(
            f"{elapsed / 60:.1f} min: step {p.steps}, {p.tokens} tokens, {p.questions} questions, "
            f"{(p.tokens - self._before[1]) / max(elapsed, 1e-9):.0f} tokens/s, loss {p.loss:.3f}"
        )

    def _score(self, exams: Mapping[str, Sequence[TokenPack]]) -> None:
        for name, exam in exams.items():
            score = exact_match(self.average, self.config, exam)
            self.log(f"  exact match, {name}: {score.right} of {score.asked}")


def rate_share(done: float, settings: EmbeddedSettings) -> float:
    """Share of the learning rate after `done` (0 to 1) of the time: warm-up, plateau, linear to zero."""
    if done < settings.warmup:
        return done / settings.warmup
    return min(1.0, max(0.0, (1 - done) / (1 - settings.plateau)))
