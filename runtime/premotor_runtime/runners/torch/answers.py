"""From final hidden states to what each chunk asked for, with one wait at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from premotor_runtime.runners.protocol import Chunk, ChunkOutput
from premotor_runtime.runners.torch.device import Device, to_numpy
from premotor_runtime.runners.torch.head import Head, likeliest
from premotor_runtime.runners.torch.packing import Packing

_WIDE = 4  # from a quarter of the vocabulary on, all logits cost less than gathering the rows of some


class Questions:
    """What the chunks of a batch ask, and where in the step's rows the answers are."""

    def __init__(self, batch: Sequence[Chunk], starts: Sequence[int], vocab_size: int) -> None:
        """`starts`: the first row of each chunk."""
        self.batch = batch
        self.vocab_size = vocab_size
        self._starts = starts
        asking = [number for number, chunk in enumerate(batch) if chunk.pick != "nothing"]
        self.plain = [number for number in asking if batch[number].pick == "greedy" and batch[number].among is None]
        others = [number for number in asking if number not in self.plain]
        self.wide = [number for number in others if self._is_wide(batch[number])]
        self.narrow = [number for number in others if not self._is_wide(batch[number])]

    @property
    def all_plain(self) -> bool:
        """Whether every chunk asks for the likeliest of all tokens."""
        return len(self.plain) == len(self.batch)

    def pack(self, packing: Packing) -> None:
        """Add the rows that are asked about, and the ids."""
        rows = [self._starts[number] + at for number, chunk in enumerate(self.batch) for at in chunk.wanted]
        packing.add("wanted_rows", rows)
        asking = [*self.plain, *self.wide, *self.narrow]
        packing.add("asked_rows", [self._starts[number] + len(self.batch[number].tokens) - 1 for number in asking])
        for number, chunk in enumerate(self.batch):
            if chunk.pick != "nothing" and chunk.among is not None:
                packing.add(f"among {number}", chunk.among)

    def _is_wide(self, chunk: Chunk) -> bool:
        return chunk.among is None or len(chunk.among) * _WIDE >= self.vocab_size


class Answers:
    """Started on the device when made; `take` hands out what has arrived once the device is done."""

    def __init__(
        self, questions: Questions, views: Mapping[str, torch.Tensor], hidden: torch.Tensor, head: Head, device: Device,
        picks: Sequence[torch.Tensor] = (),
    ) -> None:  # fmt: skip
        """`views`: of the packing that `Questions.pack` added to. `hidden`: final hidden states of all rows.

        `picks`: tokens and logprobs of the plain questions, where a graph has found them already.
        """
        self._questions = questions
        self._hidden = device.download(hidden[views["wanted_rows"].long()])
        self._picked: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._logits: dict[int, torch.Tensor] = {}
        if picks:
            self._take_picked(questions.plain, picks[0], picks[1], device)
        else:
            self._start(hidden[views["asked_rows"].long()], views, head, device)

    def _start(self, asked: torch.Tensor, views: Mapping[str, torch.Tensor], head: Head, device: Device) -> None:
        """`asked`: hidden states of the plain questions, then the wide, then the narrow ones."""
        plain, wide, narrow = self._questions.plain, self._questions.wide, self._questions.narrow
        together = len(plain) + len(wide)
        full = head.logits(asked[:together]) if together else asked
        if plain:
            tokens, logprobs = likeliest(full[: len(plain)])
            self._take_picked(plain, tokens, logprobs, device)
        for row, number in enumerate([*wide, *narrow], start=len(plain)):
            ids = views.get(f"among {number}")
            if row >= together:
                logits = head.logits(asked[row : row + 1], ids)
            else:
                logits = full[row : row + 1] if ids is None else full[row : row + 1, ids.long()]
            self._answer(number, logits, device)

    def take(self) -> list[ChunkOutput]:
        """The outputs, in the batch's order; after `Device.wait`."""
        hidden, at, outputs = to_numpy(self._hidden), 0, []
        for number, chunk in enumerate(self._questions.batch):
            mine = hidden[at : at + len(chunk.wanted)]
            at += len(chunk.wanted)
            if number in self._logits:
                outputs.append(ChunkOutput(mine, logits=to_numpy(self._logits[number])[0]))
            elif number in self._picked:
                outputs.append(ChunkOutput(mine, *self._pick(number, chunk)))
            else:
                outputs.append(ChunkOutput(mine))
        return outputs

    def _answer(self, number: int, logits: torch.Tensor, device: Device) -> None:
        if self._questions.batch[number].pick == "logits":
            self._logits[number] = device.download(logits)
        elif logits.shape[1]:
            self._take_picked([number], *likeliest(logits), device)

    def _take_picked(
        self, numbers: Sequence[int], tokens: torch.Tensor, logprobs: torch.Tensor, device: Device
    ) -> None:
        tokens, logprobs = device.download(tokens), device.download(logprobs)
        for row, number in enumerate(numbers):
            self._picked[number] = (tokens[row], logprobs[row])

    def _pick(self, number: int, chunk: Chunk) -> tuple[int, float]:
        token, logprob = (value.item() for value in self._picked[number])
        if token >= 0 and chunk.among is not None:
            token = np.asarray(chunk.among)[int(token)]
        return int(token), float(logprob)
