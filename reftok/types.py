"""The values that stages hand to each other and to the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
"""Half-open, in code points of the *original* text; anything else says so in its name."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token as a model gives it.

    id: the number that the language model reads.
    value: the entry of the vocab, or the matched text where the entry is the unknown token.
    span_normalized: half-open, in code points of the text that the model was given.
    """

    id: int
    value: str
    span_normalized: Span


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is cut out of the text before the model sees it, with the flags of tokenizer.json.

    content: the text that is matched.
    single_word: match only between non-word characters.
    lstrip, rstrip: also take the white space to the left, to the right.
    normalized: match its normalized form in normalized text, instead of its content in raw text.
    special: left out of decoded text when special tokens are skipped.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False


@dataclass(frozen=True, slots=True)
class Encoding:
    """What `Tokenizer.encode` gives; the lists run in parallel, one element a token.

    ids: the token ids.
    tokens: the entries of the vocab.
    offsets: spans in code points of the original text; (0, 0) for a token that a template inserted.
    special_tokens_mask: 1 for a token that a template inserted.
    word_ids: the index of the pre-token that it came from, None for a token that a template inserted.
    type_ids: the segment that it belongs to (0, or 1 for the second text of a pair).
    """

    ids: Sequence[int]
    tokens: Sequence[str]
    offsets: Sequence[Span]
    special_tokens_mask: Sequence[int]
    word_ids: Sequence[int | None]
    type_ids: Sequence[int]

    def __len__(self) -> int:
        return len(self.ids)
