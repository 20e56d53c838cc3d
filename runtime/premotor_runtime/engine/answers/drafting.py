"""Guesses at what a greedy answer under a grammar says next, checked by the model several at a time.

Where memory bounds the speed, a pass over a few tokens takes little longer than one over a single token. What is
guessed right saves the passes after it; what is guessed wrong is dropped, so the answer stays that of one token a pass
(Leviathan et al. 2023, for greedy choice). The guesses cost no second model: a plan mostly names what the task names
(prompt lookup, Saxena 2023), in phrases like those of earlier answers, and the grammar leaves few alternatives.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence

import numpy as np

from premotor_runtime.engine.grammars.matcher import GrammarMatcher
from premotor_runtime.models.embedding import Ids

_TAIL = 64
_MOST_CHOICES = 2048
_REMEMBERED = 8192
# measured on instructions to a household robot: what the end of the prompt names counts most, then earlier phrases
_FADING = 0.93
_NAMED, _NAMED_AFTER, _AFTER_TWO, _AFTER_ONE = 3.0, 6.0, 4.0, 2.0


class Drafter:
    """Remembers which token followed which one and two tokens in the answers of one engine."""

    def __init__(self) -> None:
        self._followers: OrderedDict[tuple[int, ...], Counter[int]] = OrderedDict()

    def learn(self, tokens: Sequence[int], start: int) -> None:
        """Note an answer: `tokens[start:]`, which follow a prompt of at least two tokens."""
        for at in range(max(2, start), len(tokens)):
            for context in ((tokens[at - 2], tokens[at - 1]), (tokens[at - 1],)):
                self._followers.setdefault(context, Counter())[tokens[at]] += 1
                self._followers.move_to_end(context)
        while len(self._followers) > _REMEMBERED:
            self._followers.popitem(last=False)

    def propose(self, matcher: GrammarMatcher, tokens: Sequence[int], prompt_length: int, limit: int) -> list[int]:
        """At most `limit` tokens that may follow `tokens`, at whose end `matcher` is; forced ones are among them."""
        walk, draft = matcher.copy(), list(tokens[-2:])
        tail = tokens[max(0, prompt_length - _TAIL) : prompt_length]
        while len(draft) < limit + 2 and not walk.complete:
            following = walk.forced() or self._best(walk.allowed(), draft, tail)
            if not following or not all(walk.accept(token) for token in following):
                break
            draft += following
        return draft[2 : limit + 2]

    def _best(self, allowed: Ids, before: Sequence[int], tail: Sequence[int]) -> list[int]:
        if not 0 < len(allowed) <= _MOST_CHOICES:
            return []
        scores: defaultdict[int, float] = defaultdict(float)
        for at, token in enumerate(tail):
            scores[token] += _NAMED * _FADING ** (len(tail) - 1 - at)
            if at and tail[at - 1] == before[-1]:
                scores[token] += _NAMED_AFTER
        for context, weight in ((tuple(before[-2:]), _AFTER_TWO), (tuple(before[-1:]), _AFTER_ONE)):
            followers = self._followers.get(context, Counter())
            total = sum(followers.values())
            for token, count in followers.items():
                scores[token] += weight * count / total
        guesses = np.array(sorted(scores), np.int64)
        possible = guesses[allowed[np.minimum(np.searchsorted(allowed, guesses), len(allowed) - 1)] == guesses]
        return [max((int(token) for token in possible), key=lambda token: scores[token])] if len(possible) else []
