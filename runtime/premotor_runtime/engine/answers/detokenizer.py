"""Token ids to text as they come, a whole character at a time."""

from __future__ import annotations

import re

from premotor_runtime.models.tokenizer import Tokenizer

_BYTE_PIECE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_UNFINISHED = "\ufffd"


class Detokenizer:
    """The texts that `feed` and `flush` return, joined, are the tokenizer's text of all the tokens together.

    A token's text depends on its neighbours: a character may be split over tokens, and some decoders treat the first
    blank or a run of byte tokens in their own ways. So a window of tokens is decoded, from the last but one place where
    text was given out, and only what follows the text that is out already is new.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._given = 0

    def copy(self) -> Detokenizer:
        """An independent copy."""
        twin = Detokenizer(self._tokenizer)
        twin._ids, twin._given = self._ids.copy(), self._given
        return twin

    def feed(self, token: int) -> str:
        """The text that `token` completes; empty while a character, or a run of single bytes, may go on."""
        self._ids.append(token)
        if _BYTE_PIECE.fullmatch(self._tokenizer.piece(token)):
            return ""
        return self._take(final=False)

    def flush(self) -> str:
        """What was held back; to be called after the last token."""
        return self._take(final=True)

    def _take(self, *, final: bool) -> str:
        known = self._tokenizer.decode(self._ids[: self._given]) if self._given else ""
        text = self._tokenizer.decode(self._ids)
        if len(text) <= len(known) or (text.endswith(_UNFINISHED) and not final):
            return ""
        self._ids = self._ids[self._given :]
        self._given = len(self._ids)
        return text[len(known) :]
