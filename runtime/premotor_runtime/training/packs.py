"""A pack as token ids: one catalogue prefix, many independent questions that all continue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from premotor_runtime.models.tokenizer import Tokenizer


@dataclass(frozen=True)
class TextPack:
    """The texts of one pack: the prefix, and (question block, answer) pairs; `kinds` name each question's sort."""

    prefix: str
    questions: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenPack:
    """Token ids in one row: the prefix (P), then the questions one after another (T in all).

    `positions` (T,) restart at P for every question. `rows` (N, L) index the row for each question, padded with T;
    `inverse` (T - P,) finds a token's place in the flattened (N, L). `predict` (A,) are the indices whose next token
    is part of an answer, `targets` (A,) those tokens, `question` (A,) the question each belongs to.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    prefix_len: int
    rows: torch.Tensor
    inverse: torch.Tensor
    predict: torch.Tensor
    targets: torch.Tensor
    question: torch.Tensor


def tokenize(pack: TextPack, tokenizer: Tokenizer, max_len: int = 510) -> TokenPack | None:
    """Token ids of the pack; questions that would not fit the sliding window are left out (None when none is left)."""
    prefix = tokenizer.encode_blocks([pack.prefix])
    pairs = [(tokenizer.encode(question), tokenizer.encode(answer)) for question, answer in pack.questions]
    pairs = [(q, a) for q, a in pairs if len(prefix) + len(q) + len(a) <= max_len]
    return _assemble(prefix, pairs) if pairs else None


def _assemble(prefix: Sequence[int], pairs: Sequence[tuple[list[int], list[int]]]) -> TokenPack:
    start, longest = len(prefix), max(len(q) + len(a) - 1 for q, a in pairs)
    ids, positions = list(prefix), list(range(start))
    rows, inverse, predict, targets, question = [], [], [], [], []
    total = start + sum(len(q) + len(a) - 1 for q, a in pairs)
    for number, (asked, answer) in enumerate(pairs):
        length = len(asked) + len(answer) - 1  # the last answer token is only a target
        at = len(ids)
        rows.append(list(range(at, at + length)) + [total] * (longest - length))
        inverse += [number * longest + i for i in range(length)]
        predict += [at + len(asked) - 1 + i for i in range(len(answer))]
        targets += answer
        question += [number] * len(answer)
        ids += asked + answer[:-1]
        positions += list(range(start, start + length))
    long = torch.tensor
    return TokenPack(
        long(ids), long(positions), start, long(rows), long(inverse), long(predict), long(targets), long(question)
    )
