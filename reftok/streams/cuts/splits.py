"""Where a pre-token can be cut for a stage that cuts it at matches: by a pattern, a string, a class of characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reftok.rules.patterns import Pattern
from reftok.rules.text import JOINED, Behavior
from reftok.rules.types import Span
from reftok.streams.cuts.patterns import SettledMatches, settled_matches

_MOST_TRIES = 4
"""A cut that the end of the text would change is moved to an earlier place so often; then there is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """A stage that cuts a pre-token at matches.

    matches: in the beginning of a pre-token, the final ones, and up to where it is decided.
    behavior, invert: as of `Split`.
    matches_of_whole: in a pre-token that ends; None if the end changes none of those before it.
    rewrite: what becomes of the text of a pre-token, character by character.
    """

    matches: Callable[[str], tuple[Sequence[Span], int]]
    behavior: Behavior = "Isolated"
    invert: bool = False
    matches_of_whole: Callable[[str], Sequence[Span]] | None = None
    rewrite: Callable[[str], str] = str

    def cut(self, text: str, limit: int) -> tuple[int, int]:
        """The last place up to the limit between two pre-tokens, and the last one, behind it, within a pre-token.

        On both sides of either, the stage does what it does to the whole; what it makes of the two sides of the second
        is then to be joined.
        """
        spans, settled = self.matches(text)
        limit = min(limit, settled)
        for _ in range(_MOST_TRIES):
            count = bisect_left(spans, (limit, -1))
            if count and spans[count - 1][1] > limit:
                limit = spans[count - 1][0]
                count -= 1
            if self._ends_alike(text, limit, spans[:count]):
                boundary = self._boundary(spans, count, limit, settled)
                before = spans[: bisect_left(spans, (boundary, -1))]
                if boundary == limit or self._ends_alike(text, boundary, before):
                    return boundary, limit
                limit = boundary
            limit -= 1
        return 0, 0

    def _ends_alike(self, text: str, end: int, spans: Sequence[Span]) -> bool:
        """Whether these are the matches in a pre-token that ends there, where a look ahead sees nothing."""
        return self.matches_of_whole is None or not end or [*self.matches_of_whole(text[:end])] == [*spans]

    def _boundary(self, spans: Sequence[Span], count: int, limit: int, settled: int) -> int:
        """The last boundary between two pre-tokens up to the limit, behind so many matches."""
        end = spans[count - 1][1] if count else 0
        if limit > end and self.behavior == "Removed" and self.invert:
            return limit  # nothing is left of a gap
        # What follows the place is a match, or a gap, or not known yet.
        follows = {True, False} if limit == settled else {count < len(spans) and spans[count][0] == limit}
        place, is_match = limit, limit == end and count > 0
        while place > 0:
            if is_match or follows == {True}:
                joined = JOINED[self.behavior]
                if not any((is_match ^ self.invert, after ^ self.invert) in joined for after in follows):
                    return place
            follows = {is_match}
            if is_match:
                count -= 1
                place = spans[count][0]
                is_match = count > 0 and spans[count - 1][1] == place
            else:
                place = spans[count - 1][1] if count else 0
                is_match = True
        return 0


@lru_cache(maxsize=256)
def pattern_step(
    pattern: str | Pattern,
    behavior: Behavior = "Isolated",
    invert: bool = False,
    reading: Callable[[str], str] | None = None,
) -> Step | str:
    """The step that cuts by a pattern, or why it knows nothing before the end of a pre-token; see `settled_matches`."""
    if isinstance(pattern, str):
        if not pattern:
            return "an empty string matches before each character"
        return Step(lambda text: _literal_matches(pattern, text), behavior, invert)
    found = settled_matches(pattern, reading)
    if not isinstance(found, SettledMatches):
        return found
    return Step(found.of, behavior, invert, found.of_whole)


def class_step(is_delimiter: Callable[[str], bool], behavior: Behavior) -> Step:
    """The step that cuts at each character of a class."""

    def matches(text: str) -> tuple[list[Span], int]:
        return [(i, i + 1) for i, character in enumerate(text) if is_delimiter(character)], len(text)

    return Step(matches, behavior)


def _literal_matches(literal: str, text: str) -> tuple[list[Span], int]:
    """The matches of a string, and where the text ends that is not the beginning of another.

    >>> _literal_matches("aab", "xaabaa")
    ([(1, 4)], 4)
    """
    spans: list[Span] = []
    end = 0
    while (start := text.find(literal, end)) >= 0:
        end = start + len(literal)
        spans.append((start, end))
    rest = max(end, len(text) - len(literal) + 1)
    while rest < len(text) and not literal.startswith(text[rest:]):
        rest += 1
    return spans, rest
