"""A `tokenizers` JSON from the vocabulary in a GGUF file: SentencePiece BPE (Gemma, Llama 2) or byte-level BPE.

A SentencePiece vocabulary lists pieces but no merges. Its learned pieces are numbered in the order in which they were
merged, so the merges follow: every way to cut a piece into two known pieces, ranked by the piece's number.
"""

from __future__ import annotations

from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

from premotor_runtime.models.errors import CheckpointError
from premotor_runtime.models.gguf_byte_level import byte_level
from premotor_runtime.models.gguf_header import GgufHeader

_CONTROL, _USER_DEFINED = 3, 4
_SPACE = "\u2581"


def tokenizer_json(header: GgufHeader) -> str:
    """Build the tokenizer and return its JSON.

    The JSON has no post-processor: beginning-of-sequence is added by who builds the prompt. Raises CheckpointError for
    a vocabulary of another kind, or a damaged one.
    """
    kind = header.value("tokenizer.ggml.model")
    build = {"llama": _sentence_piece, "gpt2": byte_level}.get(kind)
    if build is None:
        problem = f"its tokenizer is of kind `{kind}`"
        raise CheckpointError(header.path, problem, "use a file with a `llama` or `gpt2` tokenizer")
    spelled, kinds = header.value("tokenizer.ggml.tokens"), header.value("tokenizer.ggml.token_type")
    if not isinstance(spelled, list) or len(kinds) != len(spelled):
        raise CheckpointError(header.path, "its vocabulary is damaged", "download or assemble the file again")
    try:
        tokenizer, known = build(header, spelled)
    except CheckpointError:
        raise
    except Exception as error:  # the library raises plain Exception
        raise CheckpointError(header.path, f"its tokenizer is not usable ({error})", "use another file") from error
    tokenizer.add_special_tokens(_added(known, kinds, _CONTROL, special=True))
    tokenizer.add_tokens(_added(spelled, kinds, _USER_DEFINED, special=False, known=set(known)))
    return str(tokenizer.to_str())


def special_tokens(header: GgufHeader) -> dict[str, str]:
    """What a chat template may print: `bos_token` and `eos_token`, where the file names them."""
    spelled = dict(enumerate(header.value("tokenizer.ggml.tokens")))
    ids = {name: header.metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("bos", "eos")}
    return {f"{name}_token": spelled[at] for name, at in ids.items() if isinstance(at, int) and at in spelled}


def _sentence_piece(header: GgufHeader, spelled: list[str]) -> tuple[Tokenizer, list[str]]:
    pieces = [_spaces_respelled(piece) for piece in spelled]
    unknown = pieces[int(header.value("tokenizer.ggml.unknown_token_id"))]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    model = BPE(vocab=vocabulary, merges=_merges(vocabulary), unk_token=unknown, fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(model)
    spaces: list[normalizers.Normalizer] = [normalizers.Replace(" ", _SPACE)]
    ends: list[decoders.Decoder] = [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    # Gemma says that it adds none; Llama 2 adds one, and says nothing
    if header.metadata.get("tokenizer.ggml.add_space_prefix", header.value("general.architecture") == "llama"):
        spaces.insert(0, normalizers.Prepend(" "))
        ends.append(decoders.Strip(" ", 1, 0))
    tokenizer.normalizer = normalizers.Sequence(spaces) if len(spaces) > 1 else spaces[0]
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous")
    tokenizer.decoder = decoders.Sequence(ends)
    return tokenizer, pieces


def _spaces_respelled(piece: str) -> str:
    # runs of blanks are stored as blanks, while text reaches the model with blanks already replaced
    return piece.replace(" ", _SPACE) if piece and not piece.strip(" ") else piece


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
