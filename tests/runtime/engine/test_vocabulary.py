"""The bytes of each token are those that llguidance reads from the tokenizer itself; sizes must fit the model's."""

from __future__ import annotations

from pathlib import Path

import llguidance
import pytest
from tokenizers import AddedToken, decoders
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE, WordPiece

from premotor_runtime.engine.errors import VocabularyError
from premotor_runtime.engine.grammars.matcher import GrammarCompiler
from premotor_runtime.engine.grammars.vocabulary import read_vocabulary
from premotor_runtime.models.tokenizer import Tokenizer


def _sentencepiece() -> Tokenizer:
    pieces = [*(f"<0x{byte:02X}>" for byte in range(256)), "▁", "▁a", "é", "ab▁", "<x", "<eos>", "<hint>"]
    raw = RawTokenizer(BPE(vocab={piece: n for n, piece in enumerate(pieces)}, merges=[], byte_fallback=True))
    raw.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    raw.add_special_tokens([AddedToken("<eos>", special=True)])
    raw.add_tokens([AddedToken("<hint>", special=False), AddedToken("▁▁", special=False)])
    return Tokenizer(raw.to_str(), Path("pieces"), None, (261,))


def _assert_same(tokenizer: Tokenizer, vocab_size: int, texts: list[str]) -> None:
    ours = read_vocabulary(tokenizer, vocab_size)
    theirs = llguidance.LLTokenizer(tokenizer.json, n_vocab=vocab_size, eos_token=list(tokenizer.eos_token_ids))
    assert ours.eos_token == theirs.eos_token == tokenizer.eos_token_ids[0]
    for token in range(tokenizer.vocab_size):
        assert ours.decode_bytes([token]) == theirs.decode_bytes([token]), tokenizer.piece(token)
    for text in texts:
        assert ours.tokenize_str(text) == theirs.tokenize_str(text) == tokenizer.encode(text)


def test_byte_level_pieces(tokenizer: Tokenizer) -> None:
    _assert_same(tokenizer, 264, [" pick the red mug\n", "ü€😀"])
    assert read_vocabulary(tokenizer, 264) is read_vocabulary(tokenizer, 264)


def test_sentencepiece_pieces_bytes_and_added_tokens() -> None:
    tokenizer = _sentencepiece()
    _assert_same(tokenizer, 270, ["é", "ab"])
    reader = read_vocabulary(tokenizer, 270)
    assert [reader.decode_bytes([token]) for token in (10, 257, 260)] == [b"\n", b" a", b"<x"]
    assert reader.is_special_token(261) and not reader.is_special_token(262)


def test_other_steps_of_decoding_are_left_to_the_library() -> None:
    raw = RawTokenizer.from_str(_sentencepiece().json)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    raw.decoder = decoders.Sequence(steps)
    tokenizer = Tokenizer(raw.to_str(), Path("pieces"), None, (261,))
    assert read_vocabulary(tokenizer, 270).decode_bytes([256, 257]) == b"  a"


def test_pieces_that_cannot_be_read_are_refused() -> None:
    raw = RawTokenizer(WordPiece({"a": 0, "##b": 1, "[UNK]": 2, "<eos>": 3}, unk_token="[UNK]"))
    raw.decoder = decoders.WordPiece()
    with pytest.raises(VocabularyError, match=r"cannot be read .*without a grammar"):
        read_vocabulary(Tokenizer(raw.to_str(), Path("words"), None, (3,)), 4)


@pytest.mark.parametrize("vocab_size", [261, 100, 526, 32_000])
def test_a_tokenizer_of_another_model_is_refused_with_both_sizes(tokenizer: Tokenizer, vocab_size: int) -> None:
    with pytest.raises(VocabularyError, match=f"names 262 tokens, the model has {vocab_size}") as caught:
        GrammarCompiler(tokenizer, vocab_size)
    assert caught.value.exit_code == 2


@pytest.mark.planner
@pytest.mark.slow
def test_the_pretrained_vocabulary() -> None:
    from premotor_runtime.models.registry import PRETRAINED, load_checkpoint

    checkpoint = load_checkpoint(PRETRAINED)
    config = checkpoint.config
    tokenizer = Tokenizer(checkpoint.tokenizer_json, checkpoint.path, config.bos_token_id, config.eos_token_ids)
    _assert_same(tokenizer, config.vocab_size, ["pick up the red mug; go kitchen\n", "  a\n\n\n", "ü€😀 कमल", "<pad>"])
