"""Text that remembers where each of its characters came from, and how to cut it.

This is the `NormalizedString` of `tokenizers` (tokenizer/normalizer.rs, 0.23) with two simplifications that change no
result: positions count code points instead of bytes, and alignments are spans of the whole original text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reftok.rules.types import Match, Span, Token
from reftok.unicode.forms import Change

Behavior: TypeAlias = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


class NormalizedString:
    r"""A text on its way through the stages, aligned with the original.

    text: what the stages have made of it so far.
    original_start: where this part begins in the original text, in code points.
    alignments: for each character of `text` the span of the original that it stands for; None if the text is still the
        original, character by character.

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

        A slice begins where its first character does, even the slice of the whole text: what a stage removed before
        that character no longer belongs to it. `AddedVocabulary` relies on this.
        """
        if start == 0 and end == len(self.text):
            if not self.alignments:  # nothing was removed before its first character
                return self
            return NormalizedString(self.text, self.alignments[0][0], self.alignments)
        alignments = None if self.alignments is None else self.alignments[start:end]
        return NormalizedString(self.text[start:end], self.original_span(start, end)[0], alignments)

    def transform(self, changes: Iterable[Change]) -> NormalizedString:
        """The text that `changes` describes, each character aligned by the rule of `Change`.

        An inserted character shares the alignment of the old character before it; at the very start it stands for the
        empty span.
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
                position += 1 - change  # the old character, and those that `change` removes after it
        return NormalizedString("".join(characters), self.original_start, alignments)

    def prepend(self, prefix: str) -> NormalizedString:
        """`prefix` before the text, aligned as the first character; an empty text stays empty."""
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
                # An empty match inserts behind the character before it, at the start behind none.
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
    """A part of the text between two stages: a pre-token, or an added token.

    tokens: of an added token, or after the model; None before.
    Source: `Split`, tokenizers 0.23 tokenizer/pre_tokenizer.rs, renamed since a pre-tokenizer has that name too.
    """

    normalized: NormalizedString
    tokens: tuple[Token, ...] | None = None


def resplit(parts: Iterable[Part], cut: Callable[[NormalizedString], Iterable[NormalizedString]]) -> list[Part]:
    """Every part without tokens cut into smaller ones; empty ones are dropped.

    Source: `PreTokenizedString::split`, tokenizers 0.23 tokenizer/pre_tokenizer.rs.
    """
    result: list[Part] = []
    for part in parts:
        if part.tokens is not None:
            result.append(part)
        else:
            result += [Part(piece) for piece in cut(part.normalized) if piece.text]
    return result


JOINED: dict[Behavior, frozenset[tuple[bool, bool]]] = {
    "Isolated": frozenset(),
    "Removed": frozenset(),
    "Contiguous": frozenset({(True, True), (False, False)}),
    "MergedWithPrevious": frozenset({(False, True)}),
    "MergedWithNext": frozenset({(True, False)}),
}
"""The neighbours that a behavior keeps together: whether the left one is a delimiter, and whether the right one is.

Source: `SplitDelimiterBehavior`, tokenizer/normalizer.rs.
"""


def split_spans(matches: Sequence[Match], behavior: Behavior) -> list[Span]:
    """The spans of the pieces of a text; the matches are delimiters, the behavior says what happens to them.

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


def substitute_each(normalized: NormalizedString, rule: Callable[[str], str]) -> NormalizedString:
    """The text with `rule` applied to every character; the result of a character keeps its alignment.

    >>> substitute_each(NormalizedString("-a"), {"-": "", "a": "bc"}.__getitem__).spans()
    [(1, 2), (1, 2)]
    """
    # What each distinct character becomes; a rule may be slow.
    substitutes = {character: rule(character) for character in set(normalized.text)}
    text = "".join(map(substitutes.__getitem__, normalized.text))
    if text == normalized.text:
        return normalized
    pairs = zip(normalized.text, normalized.spans(), strict=True)
    alignments = [span for character, span in pairs for _ in substitutes[character]]
    return NormalizedString(text, normalized.original_start, alignments)


def with_gaps(spans: Iterable[Span], size: int) -> list[Match]:
    """The matches, and what lies between them in a text of `size` characters; an empty text is one gap.

    >>> with_gaps([(1, 2), (2, 3)], 4)
    [(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False)]
    """
    matches: list[Match] = []
    covered = 0
    for start, end in spans:
        if start != covered:
            matches.append((covered, start, False))
        matches.append((start, end, True))
        covered = end
    if covered != size or not size:
        matches.append((covered, size, False))
    return matches


def split_at(parts: Sequence[Part], is_delimiter: Callable[[str], bool], behavior: Behavior) -> list[Part]:
    """Cut at every character that is a delimiter."""

    def cut(normalized: NormalizedString) -> list[NormalizedString]:
        places = [(i, i + 1) for i, character in enumerate(normalized.text) if is_delimiter(character)]
        return normalized.split(with_gaps(places, len(normalized)), behavior)

    return resplit(parts, cut)
