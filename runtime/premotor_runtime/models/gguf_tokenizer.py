"""A `tokenizers` JSON from the vocabulary in a GGUF file (SentencePiece BPE as Gemma uses it).

The file lists pieces but no merges. Gemma numbers its learned pieces in the order in which they were merged, so the
merges follow from the vocabulary: every way to cut a piece into two known pieces, ranked by the piece's number.
"""

from __future__ import annotations

from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_header import GgufHeader

_CONTROL, _USER_DEFINED = 3, 4
_SPACE = "\u2581"


def tokenizer_json(header: GgufHeader) -> str:
    """Build the tokenizer of a Gemma GGUF and return its JSON.

    The JSON has no post-processor: beginning-of-sequence is added by who builds the prompt. Raises CheckpointError for
    a vocabulary of another kind.
    """
    kind = header.value("tokenizer.ggml.model")
    if kind != "llama":
        raise CheckpointError(header.path, f"its tokenizer is of kind `{kind}`", "use a file with a `llama` tokenizer")
    spelled = header.value("tokenizer.ggml.tokens")
    pieces = [_spaces_respelled(piece) for piece in spelled]
    tokenizer = _bpe(pieces, pieces[int(header.value("tokenizer.ggml.unknown_token_id"))])
    kinds = [int(code) for code in header.value("tokenizer.ggml.token_type")]
    tokenizer.add_special_tokens(_added(pieces, kinds, _CONTROL, special=True))
    tokenizer.add_tokens(_added(spelled, kinds, _USER_DEFINED, special=False, known=set(pieces)))
    return str(tokenizer.to_str())


def _spaces_respelled(piece: str) -> str:
    # runs of blanks are stored as blanks, while text reaches the model with blanks already replaced
    return piece.replace(" ", _SPACE) if piece and not piece.strip(" ") else piece


def _bpe(pieces: list[str], unknown: str) -> Tokenizer:
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    model = BPE(vocab=vocabulary, merges=_merges(vocabulary), unk_token=unknown, fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", _SPACE)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def _merges(vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    merges: list[tuple[str, str]] = []
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        cuts = ((piece[:cut], piece[cut:]) for cut in range(len(piece) - 1, 0, -1))
        merges.extend((left, right) for left, right in cuts if left in vocabulary and right in vocabulary)
    return merges


def _added(
    spelled: list[str], kinds: list[int], wanted: int, *, special: bool, known: set[str] | None = None
) -> list[AddedToken]:
    return [
        AddedToken(piece, normalized=False, special=special)
        for piece, kind in zip(spelled, kinds, strict=True)
        if kind == wanted and (known is None or piece in known)
    ]
