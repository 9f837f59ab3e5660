"""The post-processors of tokenizer.json.

Source: tokenizers 0.23, folder processors/ and pre_tokenizers/byte_level.rs. Named as the `type` in the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Parts
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from reftok.byte_level import BYTE_TO_CHARACTER
from reftok.types import Encoding, Span
from reftok.unicode import WHITE_SPACE

Item = TypeVar("Item")

_BLANK = WHITE_SPACE | {BYTE_TO_CHARACTER[0x20]}


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """White space off the ends of the offsets, where `trim_offsets` is set; the tokens stay as they are.

    Source: `process_offsets`, tokenizers 0.23 pre_tokenizers/byte_level.rs. Quirk: with `add_prefix_space` a single
    leading space of the first token (or of any token at offset 0) is taken for the added one and not trimmed. After a
    template every part of it has a first token.
    """

    add_prefix_space: bool
    trim_offsets: bool

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        return [self._with_trimmed_offsets(part) for part in parts] if self.trim_offsets else list(parts)

    def _with_trimmed_offsets(self, encoding: Encoding) -> Encoding:
        offsets = [
            self._trimmed(index, token, span)
            for index, (token, span) in enumerate(zip(encoding.tokens, encoding.offsets, strict=True))
        ]
        return replace(encoding, offsets=offsets)

    def _trimmed(self, index: int, token: str, span: Span) -> Span:
        start, end = span
        leading = len(token) - len(_without_leading_blanks(token))
        trailing = len(token) - len(_without_leading_blanks(token[::-1]))
        if leading:
            is_first = index == 0 or start == 0
            if is_first and self.add_prefix_space and leading == 1:
                leading = 0
            start = min(start + leading, end)
        if trailing and end >= trailing:
            end = max(end - trailing, start)
        return start, end


def _without_leading_blanks(token: str) -> str:
    for position, character in enumerate(token):
        if character not in _BLANK:
            return token[position:]
    return ""


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A place in a template where special tokens go: their ids and tokens, and the segment they belong to."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_id: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """The place in a template where the text goes, and the segment it belongs to."""

    id: str
    type_id: int


@dataclass(frozen=True, slots=True)
class TemplateProcessing:
    """Special tokens around the text.

    single: the template of one text.
    Source: tokenizers 0.23 processors/template.rs. Inserted tokens have the offsets (0, 0) and the mask 1; without
    special tokens the segments are set all the same.

    >>> template = TemplateProcessing((SpecialToken((1,), ("<s>",), 0), Sequence("A", 0)))
    >>> encoding = Encoding([7], ["a"], [(0, 1)], [0], [0], [0])
    >>> joined(template.process([encoding], add_special_tokens=True)).ids
    [1, 7]
    """

    single: tuple[SpecialToken | Sequence, ...]

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        encoding = joined(parts)
        return [
            replace(encoding, type_ids=[piece.type_id] * len(encoding))
            if isinstance(piece, Sequence)
            else _special(piece)
            for piece in self.single
            if add_special_tokens or isinstance(piece, Sequence)
        ]


def _special(piece: SpecialToken) -> Encoding:
    count = len(piece.ids)
    return Encoding(piece.ids, piece.tokens, [(0, 0)] * count, [1] * count, [None] * count, [piece.type_id] * count)


def joined(parts: Parts[Encoding]) -> Encoding:
    """One encoding of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Encoding(
        _flat(part.ids for part in parts),
        _flat(part.tokens for part in parts),
        _flat(part.offsets for part in parts),
        _flat(part.special_tokens_mask for part in parts),
        _flat(part.word_ids for part in parts),
        _flat(part.type_ids for part in parts),
    )


def _flat(lists: Iterable[Iterable[Item]]) -> list[Item]:
    return list(chain.from_iterable(lists))
