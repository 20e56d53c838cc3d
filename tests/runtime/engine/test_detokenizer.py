"""Pieces of text, joined, are the text of all tokens; none ends within a character."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as RawTokenizer
from tokenizers import decoders
from tokenizers.models import BPE

from premotor_runtime.engine.answers.detokenizer import Detokenizer
from premotor_runtime.models.tokenizer import Tokenizer

_WORDS = ["▁", "▁a", "a", "b", "▁▁", "é", "€", "<eos>", "▁b", "mug"]


def sentencepiece(*, strips: bool) -> Tokenizer:
    """A vocabulary in SentencePiece's manner: bytes as `<0x..>`, blanks as `▁`; some decoders strip the first blank."""
    pieces = [*(f"<0x{byte:02X}>" for byte in range(256)), *_WORDS]
    raw = RawTokenizer(BPE(vocab={piece: n for n, piece in enumerate(pieces)}, merges=[], byte_fallback=True))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    raw.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if strips else steps)
    return Tokenizer(raw.to_str(), Path("pieces"), None, (263,))


PLAIN, STRIPPING = sentencepiece(strips=False), sentencepiece(strips=True)
ANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    detokenizer = Detokenizer(tokenizer)
    return [*(detokenizer.feed(token) for token in ids), detokenizer.flush()]


@ANY
@given(st.lists(st.integers(0, 261), max_size=20))
def test_arbitrary_bytes_join_to_the_whole(tokenizer: Tokenizer, ids: list[int]) -> None:
    assert "".join(_pieces(tokenizer, ids)) == tokenizer.decode(ids)


@ANY
@given(st.lists(st.integers(0, 256 + len(_WORDS) - 1) | st.integers(256, 256 + len(_WORDS) - 1), max_size=20))
@pytest.mark.parametrize("pieces", [PLAIN, STRIPPING], ids=["plain", "stripping"])
def test_arbitrary_sentencepieces_join_to_the_whole(pieces: Tokenizer, ids: list[int]) -> None:
    assert "".join(_pieces(pieces, ids)) == pieces.decode(ids)


@ANY
@given(st.text(max_size=12))
def test_no_piece_holds_half_a_character(tokenizer: Tokenizer, text: str) -> None:
    text = text.replace("\ufffd", "")
    parts = _pieces(tokenizer, tokenizer.encode(text))
    assert not any("\ufffd" in part for part in parts)
    assert "".join(parts) == text
    spelt = _pieces(PLAIN, list(text.encode()))
    assert not any("\ufffd" in part for part in spelt)
    assert "".join(spelt) == text


def test_a_character_comes_with_its_last_byte(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a😀b")
    assert _pieces(tokenizer, ids) == ["a", "", "", "", "😀", "b", ""]
    cut = _pieces(tokenizer, ids[:3])
    assert cut[:3] == ["a", "", ""] and set(cut[3]) == {"\ufffd"}


def test_a_copy_goes_on_by_itself(tokenizer: Tokenizer) -> None:
    first = Detokenizer(tokenizer)
    euro, pound = tokenizer.encode("€"), tokenizer.encode("₤")
    assert euro[:2] == pound[:2]
    assert [first.feed(token) for token in euro[:2]] == ["", ""]
    second = first.copy()
    assert (first.feed(euro[2]), second.feed(pound[2])) == ("€", "₤")
