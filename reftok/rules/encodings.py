"""Encodings made of tokens, cut apart and joined: what templates, truncation and padding share.

Source: `Encoding`, tokenizers 0.23 tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import accumulate, chain, groupby
from typing import TypeVar

from reftok.errors import InvalidText
from reftok.limits.growth import refuse_explosion
from reftok.rules.text import Part
from reftok.rules.types import Encoding, Span

Item = TypeVar("Item")

_TOKENS_AN_ENCODING_WEIGHS = 500  # an Encoding without tokens takes as much memory as so many tokens


def to_encoding(parts: Sequence[Part], sequence_id: int = 0) -> Encoding:
    """The tokens of all parts, with offsets in the original text.

    sequence_id: 1 for the second text of a pair.
    Source: `PreTokenizedString::into_encoding`, tokenizers 0.23 tokenizer/pre_tokenizer.rs.
    """
    ids: list[int] = []
    values: list[str] = []
    offsets: list[Span] = []
    word_ids: list[int | None] = []
    for index, part in enumerate(parts):
        for token in part.tokens or ():
            ids.append(token.id)
            values.append(token.value)
            offsets.append(part.normalized.original_span(*token.span_normalized))
            word_ids.append(index)
    count = len(ids)
    type_ids = [sequence_id] * count
    ranges = {sequence_id: (0, count)}
    return Encoding(ids, values, offsets, [0] * count, word_ids, type_ids, sequence_ranges=ranges)


def inserted(ids: Sequence[int], tokens: Sequence[str], type_id: int) -> Encoding:
    """Tokens that stand for no text.

    >>> inserted([1], ["<s>"], 0).special_tokens_mask
    [1]
    """
    size = len(ids)
    return Encoding(ids, tokens, [(0, 0)] * size, [1] * size, [None] * size, [type_id] * size)


def part_of(encoding: Encoding, start: int, end: int) -> Encoding:
    """The tokens from `start` up to `end`, without what overflows and without the ranges of the texts."""
    return Encoding(
        encoding.ids[start:end],
        encoding.tokens[start:end],
        encoding.offsets[start:end],
        encoding.special_tokens_mask[start:end],
        encoding.word_ids[start:end],
        encoding.type_ids[start:end],
    )


def numbered(encoding: Encoding, sequence_id: int) -> Encoding:
    """The encoding with all of its tokens assigned to the text `sequence_id`."""
    everything = 0, len(encoding)
    if encoding.sequence_ranges.get(sequence_id) == everything:
        return encoding
    return replace(encoding, sequence_ranges={**encoding.sequence_ranges, sequence_id: everything})


def joined(parts: Sequence[Encoding]) -> Encoding:
    """One encoding of all parts.

    Overflowing encodings are combined: each one of one part with the other part and with everything that overflows from
    the other. Quirk: those combinations overflow again, so that some exist twice, at different depths.
    Raises InvalidText if the combinations would have more than about MOST_TOKENS tokens.
    """
    if len(parts) == 1:
        return parts[0]
    # Parts without overflow are joined in one go: a text between 1,000 special tokens would be copied 1,000 times.
    runs: list[Encoding] = []
    for overflows, group in groupby(parts, key=lambda part: bool(part.overflowing)):
        run = list(group)
        runs += run if overflows else [end_to_end(run)]
    return reduce(_combined, runs) if runs else end_to_end(())


def _combined(left: Encoding, right: Encoding) -> Encoding:
    if left.overflowing and right.overflowing:  # else their numbers add up, they do not multiply
        refuse_explosion(_weight(left) * count(right) + count(left) * _weight(right), len(left) + len(right))
    return _merged(left, right)


def _merged(left: Encoding, right: Encoding) -> Encoding:
    from_left = (_merged(other, part) for other in left.overflowing for part in (right, *right.overflowing))
    from_right = (_merged(left, other) for other in right.overflowing)
    return replace(end_to_end((left, right)), overflowing=(*from_left, *from_right))


def count(encoding: Encoding) -> int:
    """The number of encodings, the overflowing ones included."""
    return 1 + sum(map(count, encoding.overflowing))


def _weight(encoding: Encoding) -> int:
    return _TOKENS_AN_ENCODING_WEIGHS + len(encoding) + sum(map(_weight, encoding.overflowing))


def end_to_end(parts: Sequence[Encoding]) -> Encoding:
    """One encoding of all parts, without what overflows from them."""
    return Encoding(
        _flat(part.ids for part in parts),
        _flat(part.tokens for part in parts),
        _flat(part.offsets for part in parts),
        _flat(part.special_tokens_mask for part in parts),
        _flat(part.word_ids for part in parts),
        _flat(part.type_ids for part in parts),
        sequence_ranges=_shifted_ranges(parts),
    )


def _shifted_ranges(parts: Iterable[Encoding]) -> dict[int, Span]:
    """The ranges of the texts after joining; if a text occurs twice, its last place counts."""
    ranges: dict[int, Span] = {}
    position = 0
    for part in parts:
        for sequence_id, (start, end) in part.sequence_ranges.items():
            ranges[sequence_id] = position + start, position + end
        position += len(part)
    return ranges


def _flat(lists: Iterable[Iterable[Item]]) -> list[Item]:
    return list(chain.from_iterable(lists))


def texts_and_pairs(
    batch: Iterable[str | bytes | tuple[str, str]],
) -> Iterator[tuple[str | bytes, str | None]]:
    """The texts of a batch, each with its second one, or with None if it stands alone.

    >>> [*texts_and_pairs(["a b", ("a", "b")])]
    [('a b', None), ('a', 'b')]
    """
    given: object = batch
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InvalidText(f"encode_batch takes a list of texts, not {type(batch).__name__}")
    for text in batch:
        if not isinstance(text, tuple | list):  # a list of two texts is a pair to tokenizers as well
            yield text, None
        elif len(text) == 2:
            yield text
        else:
            raise InvalidText(f"a pair is two texts, not {len(text)}")


def byte_offsets(encoding: Encoding, text: str) -> Encoding:
    r"""The encoding with offsets in bytes of `text`; a lone surrogate stands for one byte that is not UTF-8.

    >>> encoding = Encoding([0], ["é"], [(1, 2)], [0], [0], [0])
    >>> byte_offsets(encoding, "\udcffé").offsets
    [(1, 3)]
    """
    if text.isascii():
        return encoding
    lengths = (len(character.encode("utf-8", "surrogateescape")) for character in text)
    position = [0, *accumulate(lengths)]  # of each character in bytes, and the end
    return replace(encoding, offsets=[(position[start], position[end]) for start, end in encoding.offsets])
