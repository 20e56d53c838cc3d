"""The embedded model's tokenizer: byte-level BPE trained on the planner's own text."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split
from tokenizers.trainers import BpeTrainer

BOS, EOS = "<s>", "</s>"
# a word keeps its leading space, digits stand alone (durations are copied digit by digit), a newline is never merged
_PIECES = r" ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\n|\s+"


def train_tokenizer(texts: Iterable[str], vocab_size: int) -> str:
    """`tokenizers` JSON of a byte-level BPE; ids 0 and 1 are BOS and EOS, and every text has an encoding.

    The tokenizer adds nothing on its own: BOS is put before the first block by whoever builds a prompt.
    """
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = Sequence(
        [Split(Regex(_PIECES), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=[BOS, EOS],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return str(tokenizer.to_str())
