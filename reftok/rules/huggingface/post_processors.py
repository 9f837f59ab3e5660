"""The post-processors of tokenizer.json.

Source: tokenizers 0.23, folder processors/ and pre_tokenizers/byte_level.rs. Named as the `type` in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Parts
from dataclasses import dataclass, replace
from functools import partial

from reftok.errors import UnsupportedFeature
from reftok.limits.growth import refuse_explosion
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.encodings import inserted, joined, numbered
from reftok.rules.types import Encoding, Span
from reftok.unicode.characters import WHITE_SPACE

_BLANKS = "".join(sorted(WHITE_SPACE)) + BYTE_TO_CHARACTER[0x20]  # tokens are in the characters of their bytes


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """With `trim_offsets`, the offsets of a token leave out its white space at both ends; the tokens do not change.

    Source: `process_offsets`, tokenizers 0.23 pre_tokenizers/byte_level.rs. Quirks: with `add_prefix_space` a single
    leading space of the first token (or of any token at offset 0) counts as the added one and is not trimmed. After a
    template each of its parts has a first token and becomes a text of its own.
    """

    add_prefix_space: bool
    trim_offsets: bool

    def added_tokens(self, is_pair: bool) -> int:
        return 0

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if self.trim_offsets:
            parts = [_with_trimmed_offsets(part, self.add_prefix_space) for part in parts]
        return [numbered(part, index) for index, part in enumerate(parts)]


def _with_trimmed_offsets(encoding: Encoding, add_prefix_space: bool) -> Encoding:
    def trimmed(part: Encoding) -> Encoding:
        tokens = enumerate(zip(part.tokens, part.offsets, strict=True))
        return replace(part, offsets=[_trimmed(i, token, span, add_prefix_space) for i, (token, span) in tokens])

    return _throughout(encoding, trimmed)


def _throughout(encoding: Encoding, change: Callable[[Encoding], Encoding]) -> Encoding:
    """The encoding with a change applied to it and to its overflowing encodings."""
    changed = change(encoding)
    # One level deep, as in the library: encodings that overflow from overflowing ones stay as they are.
    return replace(changed, overflowing=tuple(map(change, encoding.overflowing))) if encoding.overflowing else changed


def _trimmed(index: int, token: str, span: Span, add_prefix_space: bool) -> Span:
    start, end = span
    leading = len(token) - len(token.lstrip(_BLANKS))
    trailing = len(token) - len(token.rstrip(_BLANKS))
    if leading:
        is_first = index == 0 or start == 0  # that is where the pre-tokenizer may have added the space
        if is_first and add_prefix_space and leading == 1:
            leading = 0
        start = min(start + leading, end)
    if trailing and end >= trailing:  # the library subtracts without a sign
        end = max(end - trailing, start)
    return start, end


@dataclass(frozen=True, slots=True)
class BertProcessing:
    """`[CLS] A [SEP]`, and for a pair `[CLS] A [SEP] B [SEP]`.

    sep, cls: the tokens with their ids.
    Source: tokenizers 0.23 processors/bert.rs. Quirks: the `[SEP]` of the second text has the segment 1 and every
    other inserted token 0, whatever the segments of the texts are. After a template its first part is treated as the
    first text, all others as second texts, and special tokens within them count as text.

    >>> bert = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    >>> encoding = Encoding([7], ["a"], [(0, 1)], [0], [0], [0])
    >>> joined(bert.process([encoding, encoding], add_special_tokens=True)).ids
    [2, 7, 3, 7, 3]
    """

    sep: tuple[str, int]
    cls: tuple[str, int]

    def added_tokens(self, is_pair: bool) -> int:
        return 3 if is_pair else 2

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if not add_special_tokens:
            return list(parts)
        return [
            joined([_single(self.cls, 0), _as_text(part, 0), _single(self.sep, 0)])
            if index == 0
            else joined([_as_text(part, 1), _single(self.sep, 1)])
            for index, part in enumerate(parts)
        ]


@dataclass(frozen=True, slots=True)
class RobertaProcessing:
    """`<s> A </s>`, and for a pair `<s> A </s> </s> B </s>`, all in segment 0.

    sep, cls: the tokens with their ids. trim_offsets, add_prefix_space: as for ByteLevel.
    Source: tokenizers 0.23 processors/roberta.rs. Quirks: those of BertProcessing; and without special tokens the
    overflowing encodings keep their segment.
    """

    sep: tuple[str, int]
    cls: tuple[str, int]
    trim_offsets: bool = True
    add_prefix_space: bool = True

    def added_tokens(self, is_pair: bool) -> int:
        return 4 if is_pair else 2

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if self.trim_offsets:
            parts = [_with_trimmed_offsets(part, self.add_prefix_space) for part in parts]
        if not add_special_tokens:
            return list(map(_in_first_segment, parts))
        parts = [_throughout(part, _in_first_segment) for part in parts]
        return [
            joined([_single(self.sep if index else self.cls, 0), _as_text(part, min(index, 1)), _single(self.sep, 0)])
            for index, part in enumerate(parts)
        ]


def _single(token: tuple[str, int], type_id: int) -> Encoding:
    content, token_id = token
    return inserted([token_id], [content], type_id)


def _in_first_segment(encoding: Encoding) -> Encoding:
    return replace(encoding, type_ids=[0] * len(encoding))


def _as_text(encoding: Encoding, sequence_id: int) -> Encoding:
    """The encoding with all of its tokens counted as text."""

    def unmarked(part: Encoding) -> Encoding:
        return replace(
            part,
            special_tokens_mask=[0] * len(part),
            sequence_ranges={sequence_id: (0, len(part))},
        )

    return _throughout(encoding, unmarked)


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """The place of special tokens in a template: their ids and tokens, and their segment."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    type_id: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """The place of a text in a template (A, or B for the second text of a pair), and its segment."""

    id: str
    type_id: int

    @property
    def sequence_id(self) -> int:
        """0 for the first text, 1 for the second of a pair."""
        return 0 if self.id == "A" else 1


@dataclass(frozen=True, slots=True)
class TemplateProcessing:
    """Special tokens around the text.

    single, pair: the templates of one text and of two.
    Source: tokenizers 0.23 processors/template.rs. Inserted tokens have the offsets (0, 0) and the mask 1; segments are
    set even without special tokens. Quirks: overflowing encodings keep their segment. The number of parts decides
    between the templates, and after another template these parts need not be texts.

    >>> template = TemplateProcessing((SpecialToken((1,), ("<s>",), 0), Sequence("A", 0)))
    >>> encoding = Encoding([7], ["a"], [(0, 1)], [0], [0], [0])
    >>> joined(template.process([encoding], add_special_tokens=True)).ids
    [1, 7]
    """

    single: tuple[SpecialToken | Sequence, ...]
    pair: tuple[SpecialToken | Sequence, ...] = ()

    def added_tokens(self, is_pair: bool) -> int:
        template = self.pair if is_pair else self.single
        return sum(len(piece.ids) for piece in template if isinstance(piece, SpecialToken))

    def process(self, parts: Parts[Encoding], add_special_tokens: bool) -> list[Encoding]:
        if len(parts) not in (1, 2):
            problem = f"a TemplateProcessing after another one cannot take {len(parts)} parts; the library panics"
            raise UnsupportedFeature("", "post_processor", problem)
        template = self.single if len(parts) == 1 else self.pair
        # A template may name a text many times, and the next template that one again.
        repeated = sum(len(parts[piece.sequence_id]) for piece in template if isinstance(piece, Sequence))
        refuse_explosion(repeated, sum(map(len, parts)))
        return [
            _in_template(parts[piece.sequence_id], piece)
            if isinstance(piece, Sequence)
            else inserted(piece.ids, piece.tokens, piece.type_id)
            for piece in template
            if add_special_tokens or isinstance(piece, Sequence)
        ]


def _in_template(part: Encoding, piece: Sequence) -> Encoding:
    type_ids = [piece.type_id] * len(part)
    return numbered(part if part.type_ids == type_ids else replace(part, type_ids=type_ids), piece.sequence_id)


def default_processing(encodings: Parts[Encoding]) -> Encoding:
    """The encoding of one text or of a pair by a tokenizer without post-processors.

    Source: `default_process`, tokenizers 0.23 tokenizer/mod.rs. Quirk: a single text has no range, and neither have
    overflowing encodings, so that `sequence_ids` counts padding as text.
    """
    uncounted = [_throughout(encoding, partial(replace, sequence_ranges={})) for encoding in encodings]
    if len(uncounted) == 1:  # the library returns it as it is
        return uncounted[0]
    return joined([numbered(encoding, sequence_id) for sequence_id, encoding in enumerate(uncounted)])
