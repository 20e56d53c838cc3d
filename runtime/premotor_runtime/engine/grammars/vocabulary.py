"""A tokenizer's vocabulary as the grammar engine reads it: the bytes of each token, arranged as a tree.

llguidance can read `tokenizer.json` itself, but parses all of it a second time, which for a vocabulary of 262,144
tokens takes longer than everything else. For the two common kinds of pieces the bytes are worked out here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import llguidance

from premotor_runtime.engine.errors import VocabularyError
from premotor_runtime.models.tokenizer import Tokenizer

_BYTE_PIECE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
# tokens that fit inside a string whatever it says, found once: free text then costs a tenth per token (8 ms -> 0.8 ms
# for 262,144 tokens); llguidance's four default slices gain little more and take a second longer
_SLICES = [r"[^\"\\\x00-\x1F\x7F]{1,10}"]
_PLAIN_STEPS = {"Replace", "ByteFallback", "Fuse"}


def check_sizes(tokenizer: Tokenizer, vocab_size: int) -> None:
    """Raise VocabularyError when the tokenizer cannot be that of a model of `vocab_size` tokens.

    A model may have more tokens than its tokenizer names (padding), but not twice as many.
    """
    known = tokenizer.vocab_size
    if not vocab_size // 2 <= known <= vocab_size:
        raise VocabularyError(
            f"the tokenizer names {known} tokens, the model has {vocab_size}; it must name no more than the model has, "
            "and at least half of them; use the tokenizer that came with the model"
        )


@functools.lru_cache(maxsize=4)
def read_vocabulary(tokenizer: Tokenizer, vocab_size: int) -> llguidance.LLTokenizer:
    """The tree of a vocabulary, made once for each tokenizer. Takes a second for 262,144 tokens.

    Raises VocabularyError for a tokenizer whose pieces cannot be read.
    """
    ends = list(tokenizer.eos_token_ids) or None
    spell = _speller(tokenizer.decoder)
    readable = tokenizer.json if spell is None or not ends else llguidance.TokenizerWrapper(_Words(tokenizer, spell))
    try:
        return llguidance.LLTokenizer(readable, n_vocab=vocab_size, eos_token=ends, slices=_SLICES)
    except ValueError as error:
        remedy = "grammars need byte-level or SentencePiece pieces; ask this model without a grammar"
        raise VocabularyError(f"the tokenizer's vocabulary cannot be read ({error}); {remedy}") from error


class _Words:
    """What `llguidance.TokenizerWrapper` asks of a tokenizer."""

    def __init__(self, tokenizer: Tokenizer, spell: Callable[[str], bytes]) -> None:
        self._tokenizer = tokenizer
        self.eos_token_id = tokenizer.eos_token_ids[0]
        self.bos_token_id = tokenizer.bos_token_id
        self.special_token_ids = [token for token, special in tokenizer.added_tokens.items() if special]
        self.tokens = [spell(piece) for piece in tokenizer.pieces()]

    def __call__(self, text: bytes) -> list[int]:
        return self._tokenizer.encode(text.decode())


def _speller(decoder: dict[str, object]) -> Callable[[str], bytes] | None:
    """How a piece spells its bytes, None where the decoder is of neither kind."""
    if decoder.get("type") == "ByteLevel":
        return _byte_level
    steps = decoder.get("decoders")
    if not isinstance(steps, list) or {step["type"] for step in steps} != _PLAIN_STEPS:
        return None
    replaced = [step for step in steps if step["type"] == "Replace"]
    return _plain if len(replaced) == 1 and replaced[0]["pattern"] == {"String": "▁"} else None


def _plain(piece: str) -> bytes:
    """SentencePiece's pieces: `▁` is a blank, `<0x0A>` a byte."""
    if len(piece) == 6 and _BYTE_PIECE.fullmatch(piece):
        return bytes([int(piece[3:5], 16)])
    return piece.replace("▁", " ").encode()


def _byte_level(piece: str) -> bytes:
    """GPT-2's pieces: each byte is a printable character; an added token with any other character is as it stands."""
    values = [_byte_values().get(character) for character in piece]
    return piece.encode() if None in values else bytes(value for value in values if value is not None)


@functools.lru_cache(maxsize=1)
def _byte_values() -> dict[str, int]:
    """Printable Latin-1 characters stand for themselves, the other bytes in order for the characters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}
