"""The training loop: single-threaded workers that step one shared adapter, and a parent that saves and evaluates.

One worker a core, each with its own pack, keeps a core that something else loads from holding up the other one.
The schedule goes by the clock: a short warm-up, then linear to zero at the end of the time given.
"""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.training.gemma import Gemma
from premotor_runtime.training.objective import Candidates, exact_answers, pack_loss
from premotor_runtime.training.packs import TextPack, TokenPack, tokenize
from premotor_runtime.training.saving import save
from premotor_runtime.training.shared_adapter import SharedAdapter

_log = logging.getLogger("premotor.training")
PackSource = Callable[[int], Iterator[TextPack]]
"""An endless stream of packs for a seed."""


@dataclass(frozen=True)
class TrainSettings:
    """What a run is given; `minutes` counts all parts of a resumed run."""

    out: Path
    minutes: float
    seed: int
    workers: int = 2
    rank: int = 16
    alpha: float = 32.0
    rate: float = 1.2e-3
    warmup_share: float = 0.03
    clip: float = 1.0
    save_every_s: float = 300.0
    evaluate_every_s: float = 900.0
    note: tuple[tuple[str, str], ...] = ()


def train(
    model: Gemma,
    tokenizer: Tokenizer,
    base_sha256: str,
    packs: PackSource,
    held_out: Mapping[str, Sequence[TextPack]],
    settings: TrainSettings,
) -> None:
    """Train until the time is over; `settings.out` always holds the newest adapter and the state to resume from."""
    adapter = SharedAdapter(model.config, settings.rank, settings.seed)
    state = settings.out / "state.pt"
    if state.exists():
        adapter.restore(torch.load(state, weights_only=True))
        _log.info("resumed at %.1f min, step %d", adapter.elapsed.value / 60, adapter.steps.value)
    candidates = Candidates(model, _some(packs(settings.seed + 1_000_003), tokenizer, 400))
    tests = {name: [p for p in (tokenize(t, tokenizer) for t in texts) if p] for name, texts in held_out.items()}
    _log.info("candidate tokens %d, parameters %d, settings %s", len(candidates.ids), len(adapter.values), settings)
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + settings.minutes * 60 - adapter.elapsed.value
    first = adapter.steps.value
    arguments = (model, tokenizer, adapter, candidates, packs, settings, until)
    workers = [context.Process(target=_work, args=(*arguments, rank, first)) for rank in range(settings.workers)]
    for worker in workers:
        worker.start()
    try:
        _watch(model, adapter, candidates, tests, settings, until, workers, base_sha256)
    finally:
        for worker in workers:
            worker.join(timeout=60)
            worker.terminate()
    _store(adapter, settings, base_sha256)
    _evaluate(model, adapter, candidates, tests)
    _log.info("done: %d steps, %d questions, %d tokens", *_counts(adapter))


def learning_rate(settings: TrainSettings, share: float) -> float:
    """Linear warm-up, then linear decay to zero; `share` is the share of the time that is over."""
    rise = min(1.0, share / settings.warmup_share) if settings.warmup_share else 1.0
    return settings.rate * rise * max(0.0, 1.0 - share)


def _some(stream: Iterator[TextPack], tokenizer: Tokenizer, count: int) -> list[TokenPack]:
    packs = (tokenize(next(stream), tokenizer) for _ in range(count))
    return [pack for pack in packs if pack]


def _work(
    model: Gemma,
    tokenizer: Tokenizer,
    adapter: SharedAdapter,
    candidates: Candidates,
    packs: PackSource,
    settings: TrainSettings,
    until: float,
    rank: int,
    first: int,
) -> None:
    torch.set_num_threads(1)
    seed = settings.seed + 7919 * rank + 104_729 * first
    stream, generator = packs(seed), torch.Generator().manual_seed(seed)
    gradient = torch.zeros_like(adapter.values)
    factors = {name: view.requires_grad_() for name, view in adapter.views(adapter.values.detach()).items()}
    for name, view in adapter.views(gradient).items():
        factors[name].grad = view
    while (now := time.monotonic()) < until:
        pack = tokenize(next(stream), tokenizer)
        if pack is None:
            continue
        share = 1.0 - (until - now) / (settings.minutes * 60)
        gradient.zero_()
        loss = pack_loss(model, candidates, pack, factors, generator)
        loss.backward()
        rate = learning_rate(settings, share)
        norm = adapter.step(gradient, rate, settings.clip)
        with adapter.lock:
            adapter.tokens.value += len(pack.ids)
            adapter.questions.value += len(pack.rows)
        _log.info(
            "worker %d step %d loss %.4f norm %.2f rate %.2e tokens %d %.1f tok/s share %.4f",
            rank, adapter.steps.value, float(loss.detach()), norm, rate, len(pack.ids),
            len(pack.ids) / (time.monotonic() - now), share,
        )  # fmt: skip


def _watch(
    model: Gemma,
    adapter: SharedAdapter,
    candidates: Candidates,
    tests: dict[str, list[TokenPack]],
    settings: TrainSettings,
    until: float,
    workers: Sequence[multiprocessing.process.BaseProcess],
    base_sha256: str,
) -> None:
    saved = evaluated = time.monotonic()
    total = settings.minutes * 60
    while (now := time.monotonic()) < until and any(worker.is_alive() for worker in workers):
        adapter.elapsed.value = total - (until - now)
        if now - saved > settings.save_every_s:
            _store(adapter, settings, base_sha256)
            saved = now
        if now - evaluated > settings.evaluate_every_s:
            _evaluate(model, adapter, candidates, tests)
            evaluated = time.monotonic()
        time.sleep(1.0)
    adapter.elapsed.value = total - max(0.0, until - time.monotonic())


def _store(adapter: SharedAdapter, settings: TrainSettings, base_sha256: str) -> None:
    save(adapter, settings.out, settings.rank, settings.alpha, base_sha256, dict(settings.note))
    _log.info("saved: %d steps, %d questions, %d tokens", *_counts(adapter))


def _evaluate(model: Gemma, adapter: SharedAdapter, candidates: Candidates, tests: dict[str, list[TokenPack]]) -> None:
    torch.set_num_threads(1)
    factors = adapter.views(adapter.values.clone())
    for name, packs in tests.items():
        right = torch.cat([exact_answers(model, candidates, pack, factors) for pack in packs])
        _log.info(
            "held-out %s: %d of %d exact (%.1f %%)",
            name,
            int(right.sum()),
            len(right),
            100 * float(right.float().mean()),
        )


def _counts(adapter: SharedAdapter) -> tuple[int, int, int]:
    return adapter.steps.value, adapter.questions.value, adapter.tokens.value
