"""The values that the stages pass on, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Span: TypeAlias = tuple[int, int]
"""Half-open, in code points of the *original* text; anything else says so in its name."""

Match: TypeAlias = tuple[int, int, bool]
"""Start, end and whether a pattern matched; the matches of a text cover it without gaps."""

PrependScheme = Literal["first", "never", "always"]
"""The parts before which `Metaspace` writes its replacement."""

Direction: TypeAlias = Literal["Left", "Right"]
"""The side that is cut off or padded."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token as a model gives it.

    id: the number that the language model reads.
    value: the entry of the vocab; for the unknown piece of Unigram and sentencepiece the matched text; for an added
        token the matched text, with the white space that it stripped.
    span_normalized: half-open, in code points of the text that the model received.
    """

    id: int
    value: str
    span_normalized: Span


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is cut out of the text before the model sees it, with the flags of tokenizer.json.

    content: the text that is matched.
    single_word: match only between non-word characters.
    lstrip, rstrip: also match the white space to the left, to the right.
    normalized: match the normalized content in normalized text, not the content in raw text.
    special: left out of decoded text if special tokens are skipped.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = False


@dataclass(frozen=True, slots=True)
class Encoding:
    """The result of `encode`; the lists are parallel, one element for each token.

    ids: the token ids.
    tokens: the values of the tokens.
    offsets: spans in code points of the original text, for a pair of the text that the token is from; (0, 0) for
        tokens that a template or the padding inserted.
    special_tokens_mask: 1 for tokens that a template or the padding inserted.
    word_ids: the index of the pre-token; None for inserted tokens.
    type_ids: the segment (0, or 1 for the second text of a pair).
    padding: the numbers of padding tokens before and after the others.
    overflowing: what truncation cut off, as further encodings.
    sequence_ranges: text (0, or 1 for the second of a pair) to the range of its tokens; empty if no stage set it.
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
        """The text of each token; None for inserted tokens.

        Source: `get_sequence_ids`, tokenizers 0.23 tokenizer/encoding.rs. Quirk: texts are counted, not looked up, so
        that a text without a range gets all tokens, the inserted ones too.

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

    def char_to_token(self, position: int, sequence_id: int = 0) -> int | None:
        """The first token that contains a code point of a text; None if no token does.

        position: in code points of the text. sequence_id: 1 for the second text of a pair.
        Source: `char_to_token`, tokenizers 0.23 tokenizer/encoding.rs.

        >>> encoding = Encoding([5, 6], ["a", "b"], [(0, 1), (2, 3)], [0, 0], [0, 1], [0, 0])
        >>> [encoding.char_to_token(position) for position in range(3)]
        [0, None, 1]
        """
        start, end = self.sequence_ranges.get(sequence_id, (0, len(self)))
        spans = enumerate(self.offsets[start:end], start)
        return next((token for token, (first, last) in spans if first <= position < last), None)
