"""Text that remembers where each of its characters came from, and how to cut it.

This is the `NormalizedString` of `tokenizers` (tokenizer/normalizer.rs, 0.23), with two simplifications that
change no result: positions count code points instead of bytes, and every alignment is a span of the whole original
text instead of a slice of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reftok.rules.patterns import Match
from reftok.rules.types import Span, Token
from reftok.unicode.forms import Change

Behavior: TypeAlias = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


class NormalizedString:
    r"""A text on its way through the stages, aligned with the original.

    text: what the stages have made of it so far.
    original_start: where in the original text this part of it began, in code points.
    alignments: for each character of `text` the span of the original that it stands for; None says that the
        text is still the original one, character by character.

    >>> accented = NormalizedString("élan")
    >>> decomposed = accented.transform([("e", 0), ("\u0301", 1), ("l", 0), ("a", 0), ("n", 0)])
    >>> decomposed.original_span(0, 2), decomposed.original_span(2, 3)
    ((0, 1), (1, 2))
    """

    __slots__ = ("alignments", "original_start", "text")

    def __init__(self, text: str, original_start: int = 0, alignments: Sequence[Span] | None = None) -> None:
        self.text = text
        self.original_start = original_start
        self.alignments = alignments

    def __repr__(self) -> str:
        return f"NormalizedString({self.text!r}, {self.original_start}, {self.alignments!r})"

    def __len__(self) -> int:
        return len(self.text)

    def spans(self) -> Sequence[Span]:
        """The alignment of each character, written out."""
        if self.alignments is not None:
            return self.alignments
        start = self.original_start
        return [(i, i + 1) for i in range(start, start + len(self.text))]

    def original_span(self, start: int, end: int) -> Span:
        """The span of the original that the characters from `start` up to `end` stand for.

        An empty range gives the empty span before the character at `start`.
        """
        if self.alignments is None:
            return self.original_start + start, self.original_start + end
        if start == end:
            here = self._before(start)
            return here, here
        return self.alignments[start][0], self.alignments[end - 1][1]

    def _before(self, position: int) -> int:
        """Where in the original the character at `position` begins; at the end, where the last one ended."""
        if not self.alignments:
            return self.original_start
        return self.alignments[position][0] if position < len(self.alignments) else self.alignments[-1][1]

    def slice(self, start: int, end: int) -> NormalizedString:
        """The characters from `start` up to `end`, still aligned with the original.

        A slice begins where its first character does, even that of the whole text: what was removed before it no longer
        belongs to it. `AddedVocabulary` relies on that.
        """
        if start == 0 and end == len(self.text):
            if not self.alignments:
                return self
            return NormalizedString(self.text, self.alignments[0][0], self.alignments)
        alignments = None if self.alignments is None else self.alignments[start:end]
        return NormalizedString(self.text[start:end], self.original_span(start, end)[0], alignments)

    def transform(self, changes: Iterable[Change]) -> NormalizedString:
        """The text that `changes` describes, each character aligned by the rule of `Change`.

        An inserted character shares the alignment of the old character before it; at the very start, where there
        is none, it stands for the empty span.
        """
        old = self.spans()
        position = 0
        characters: list[str] = []
        alignments: list[Span] = []
        for character, change in changes:
            characters.append(character)
            if change > 0:
                alignments.append(old[position - 1] if position else (self.original_start, self.original_start))
            else:
                alignments.append(old[position])
                position += 1 - change
        return NormalizedString("".join(characters), self.original_start, alignments)

    def prepend(self, prefix: str) -> NormalizedString:
        """`prefix` before the text; it shares the alignment of the first character. Nothing is prepended to ''."""
        if not self.text or not prefix:
            return self
        spans = self.spans()
        return NormalizedString(prefix + self.text, self.original_start, [spans[0]] * len(prefix) + [*spans])

    def replace(self, matches: Iterable[Match], content: str) -> NormalizedString:
        """Every match replaced by `content`, which shares the alignment of the last character of the match."""
        old = self.spans()
        parts: list[str] = []
        alignments: list[Span] = []
        for start, end, is_match in matches:
            if is_match:
                parts.append(content)
                inserted = old[end - 1] if end else (self.original_start, self.original_start)
                alignments += [inserted] * len(content)
            else:
                parts.append(self.text[start:end])
                alignments += old[start:end]
        return NormalizedString("".join(parts), self.original_start, alignments)

    def split(self, matches: Sequence[Match], behavior: Behavior) -> list[NormalizedString]:
        """The parts that `matches` and `behavior` cut the text into; empty parts are kept."""
        return [self.slice(start, end) for start, end in split_spans(matches, behavior)]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the text between two stages; `tokens` is None until it is final."""

    normalized: NormalizedString
    tokens: tuple[Token, ...] | None = None


def resplit(splits: Iterable[Part], cut: Callable[[NormalizedString], Iterable[NormalizedString]]) -> list[Part]:
    """Cut every part that has no tokens yet, and drop the parts that come out empty.

    Source: `PreTokenizedString::split`, tokenizers 0.23 tokenizer/pre_tokenizer.rs.
    """
    result: list[Part] = []
    for split in splits:
        if split.tokens is not None:
            result.append(split)
        else:
            result += [Part(part) for part in cut(split.normalized) if part.text]
    return result


JOINED: dict[Behavior, frozenset[tuple[bool, bool]]] = {
    "Isolated": frozenset(),
    "Removed": frozenset(),
    "Contiguous": frozenset({(True, True), (False, False)}),
    "MergedWithPrevious": frozenset({(False, True)}),
    "MergedWithNext": frozenset({(True, False)}),
}
"""By behavior the neighbours that stay together: whether the one is a delimiter, and whether the other is.

Source: `SplitDelimiterBehavior`, tokenizer/normalizer.rs.
"""


def split_spans(matches: Sequence[Match], behavior: Behavior) -> list[Span]:
    """The pieces that the matches, which are delimiters, and a behavior cut a text into.

    >>> split_spans([(0, 1, False), (1, 2, True), (2, 3, False)], "MergedWithPrevious")
    [(0, 2), (2, 3)]
    """
    spans: list[Span] = []
    previous: bool | None = None
    for start, end, is_match in matches:
        if is_match and behavior == "Removed":
            continue
        if (previous, is_match) in JOINED[behavior]:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
        previous = is_match
    return spans
