"""The first stages of a tokenizer: added tokens, normalizers, added tokens again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from reftok.spec.text import NormalizedString, Split, refuse_expansion

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

Note: TypeAlias = Callable[[str, object, list[Split]], None]
"""Is told the name of a stage, its component and what it gave."""


def normalized_splits(tokenizer: Tokenizer, text: str, note: Note = lambda *_: None) -> list[Split]:
    """The text as the pre-tokenizers get it, the added tokens cut out of it.

    Raises ModelFormatError where the normalizers blow the text up.

    >>> import reftok
    >>> [split.normalized.text for split in normalized_splits(reftok.load("bpe-qwen"), "e\u0301<|endoftext|>b")]
    ['é', '<|endoftext|>', 'b']
    """
    added_tokens, ignores = tokenizer.added_tokens, tokenizer.encode_special_tokens
    splits = added_tokens.split_raw([Split(NormalizedString(text))], ignores)
    note("AddedTokens", added_tokens, splits)
    for normalizer in tokenizer.normalizers:
        splits = [
            split if split.tokens is not None else Split(normalizer.normalize(split.normalized)) for split in splits
        ]
        refuse_expansion(sum(len(split.normalized) for split in splits), len(text))
        note("Normalizer", normalizer, splits)
    splits = added_tokens.split_normalized(splits, ignores)
    note("AddedTokens", added_tokens, splits)
    return splits
