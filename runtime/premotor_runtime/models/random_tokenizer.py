"""A byte-level BPE tokenizer of any size, for models without a language: it encodes and decodes every text.

Token 0 begins and token 1 ends a sequence, the next 256 are the bytes, and the rest are words of `a` to `z`, shortest
first, each merged from its beginning and its last letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from string import ascii_lowercase
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from premotor_runtime.models.config import ModelConfig

BOS, EOS = "<s>", "</s>"
BOS_ID, EOS_ID = 0, 1
_SMALLEST = 258


def random_vocabulary(size: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Tokens by number, and the merges that make those beyond the bytes. Raises ValueError below 258 tokens."""
    if size < _SMALLEST:
        raise ValueError(f"the vocabulary has {size} tokens; a byte tokenizer needs at least {_SMALLEST}")
    merges = list(islice(_merges(), size - _SMALLEST))
    return [BOS, EOS, *sorted(pre_tokenizers.ByteLevel.alphabet()), *(left + right for left, right in merges)], merges


def random_tokenizer_json(size: int) -> str:
    """The tokenizer as `tokenizer.json`."""
    tokens, merges = random_vocabulary(size)
    tokenizer = Tokenizer(BPE(vocab={token: number for number, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in (BOS, EOS)])
    return str(tokenizer.to_str())


def tokenizer_config(config: ModelConfig) -> dict[str, Any]:
    """What `transformers` needs beside it."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
        "clean_up_tokenization_spaces": False,
        "model_max_length": config.max_position_embeddings,
    }


def _merges() -> Iterator[tuple[str, str]]:
    words = list(ascii_lowercase)
    while True:
        longer = []
        for word in words:
            for letter in ascii_lowercase:
                yield word, letter
                longer.append(word + letter)
        words = longer
