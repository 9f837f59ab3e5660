"""The values that stages hand to each other and to the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
"""Half-open, in code points of the *original* text; anything else says so in its name."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token as a model gives it.

    id: the number that the language model reads.
    value: the entry of the vocab; of the unknown piece of Unigram and sentencepiece the matched text; of an added token
        the matched text, with the white space that it took.
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
    """The result of `Tokenizer.encode`; the lists run in parallel, one element a token.

    ids: the token ids.
    tokens: the values of the tokens.
    offsets: spans in code points of the original text, of a pair each in its own; (0, 0) for a token that a template
        or the padding inserted.
    special_tokens_mask: 1 for a token that a template or the padding inserted.
    word_ids: the index of the pre-token that it came from, None for a token that was inserted.
    type_ids: the segment that it belongs to (0, or 1 for the second text of a pair).
    padding: how many tokens of padding stand before the others, and how many after them.
    overflowing: what truncation cut off, in further encodings.
    sequence_ranges: for each text (0, or 1 for the second of a pair) where its tokens are; empty where nobody set it.
    """

    ids: Sequence[int]
    tokens: Sequence[str]
    offsets: Sequence[Span]
    special_tokens_mask: Sequence[int]
    word_ids: Sequence[int | None]
    type_ids: Sequence[int]
    padding: tuple[int, int] = (0, 0)
    overflowing: tuple[Encoding, ...] = ()
    sequence_ranges: Mapping[int, Span] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def attention_mask(self) -> list[int]:
        """0 for padding, 1 for every other token."""
        before, after = self.padding
        return [0] * before + [1] * (len(self) - before - after) + [0] * after

    @property
    def sequence_ids(self) -> list[int | None]:
        """The text that each token belongs to, None for a token that was inserted.

        Source: `get_sequence_ids`, tokenizers 0.23 tokenizer/encoding.rs. Quirk: the texts are counted and not looked
        up, so that a text without a range takes all tokens, the inserted ones too.

        >>> ranges = {0: (1, 2), 1: (2, 3)}
        >>> Encoding([1, 5, 6], ["<s>", "a", "b"], [(0, 0)] * 3, [1, 0, 0], [None] * 3, [0] * 3,
        ...          sequence_ranges=ranges).sequence_ids
        [None, 0, 1]
        """
        sequence_ids: list[int | None] = [None] * len(self)
        for sequence_id in range(len(self.sequence_ranges) or 1):
            start, end = self.sequence_ranges.get(sequence_id, (0, len(self)))
            sequence_ids[start:end] = [sequence_id] * (end - start)
        return sequence_ids
