"""Byte-level BPE from a GGUF file: its merges are listed, how text is cut beforehand goes by a name (`pre`)."""

from __future__ import annotations

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_header import GgufHeader

_CONTRACTION, _WORD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_CONTRACTION}|{_WORD}|\p{{N}}{{1,3}}|{_REST}"
_QWEN2 = rf"{_CONTRACTION}|{_WORD}|\p{{N}}|{_REST}"
CUTS = ("gpt-2", "smollm", "llama-bpe", "qwen2")


def byte_level(header: GgufHeader, pieces: list[str]) -> tuple[Tokenizer, list[str]]:
    """The tokenizer, without its added tokens, and the pieces by number. Raises CheckpointError for an unknown cut."""
    cut = header.metadata.get("tokenizer.ggml.pre", "gpt-2")
    if cut not in CUTS:
        problem = f"its tokenizer cuts text by `{cut}`; {', '.join(CUTS)} are read"
        raise CheckpointError(header.path, problem, "use the Hugging Face folder of the model")
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    merges = [_pair(merge) for merge in header.value("tokenizer.ggml.merges")]
    # Llama 3 takes a word that is a token whole, whatever the merges say
    tokenizer = Tokenizer(BPE(vocab=vocabulary, merges=merges, ignore_merges=cut == "llama-bpe"))
    if cut == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _pre_tokenizer(cut)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, pieces


def _pre_tokenizer(cut: str) -> pre_tokenizers.PreTokenizer:
    if cut in ("llama-bpe", "qwen2"):
        pattern = Regex(_LLAMA3 if cut == "llama-bpe" else _QWEN2)
        split = pre_tokenizers.Split(pattern, behavior="isolated")
        return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    words = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = pre_tokenizers.Digits(individual_digits=True)
    return pre_tokenizers.Sequence([digits, words]) if cut == "smollm" else words


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right
