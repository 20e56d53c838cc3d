"""Text to token ids and back."""

from __future__ import annotations

from collections.abc import Sequence
from json import loads
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as _Tokenizer

from premotor_runtime.models.errors import CheckpointError


class Tokenizer:
    """A checkpoint's tokenizer; `json` is its `tokenizers` serialisation, which the grammar compiler reads too."""

    def __init__(self, json: str, source: Path, bos_token_id: int | None, eos_token_ids: tuple[int, ...]) -> None:
        self.json = json
        self.bos_token_id = bos_token_id
        self.eos_token_ids = eos_token_ids
        try:
            self._tokenizer = _Tokenizer.from_str(json)
        except Exception as error:  # the library raises plain Exception
            raise CheckpointError(source, f"its tokenizer is not usable ({error})", "fetch it again") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @property
    def vocab_size(self) -> int:
        """Number of tokens that the tokenizer knows, added ones included."""
        return int(self._tokenizer.get_vocab_size())

    def pieces(self) -> list[str]:
        """How the vocabulary spells each token, in order; empty for an id that has none."""
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=True)
        pieces = [""] * (max(vocabulary.values(), default=-1) + 1)
        for piece, token in vocabulary.items():
            pieces[token] = piece
        return pieces

    @property
    def added_tokens(self) -> dict[int, bool]:
        """The ids of the added tokens, each with whether it is special: a mark for control rather than text."""
        added = self._tokenizer.get_added_tokens_decoder()
        return {int(token): bool(entry.special) for token, entry in added.items()}

    @property
    def decoder(self) -> dict[str, Any]:
        """How pieces become text, as `tokenizer.json` says it; empty where it says nothing."""
        decoder = self._tokenizer.decoder
        return {} if decoder is None else dict(loads(decoder.__getstate__()))

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; nothing is added before or after."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def encode_blocks(self, blocks: Sequence[str]) -> list[int]:
        """Beginning of sequence (where the model has one), then each block tokenized on its own.

        Tokenizing blocks apart keeps the ids of a block the same whatever follows, so that its prefix is found again.
        """
        start = [] if self.bos_token_id is None else [self.bos_token_id]
        return start + [token for block in blocks for token in self.encode(block)]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`, special tokens included."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))

    def piece(self, token: int) -> str:
        """How the vocabulary spells `token`."""
        return str(self._tokenizer.id_to_token(token) or "")
