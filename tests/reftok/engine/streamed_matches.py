"""What a matcher gives for a text in fragments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from reftok.engine.patterns.patterns import Matcher
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.patterns import literal_matches, pattern_matches

from .recording import cut_at

Piece = tuple[str, bool]
"""A text, and whether it is a match."""


def whole_matches(pattern: str | Pattern, text: str) -> list[Piece]:
    """The matches of the whole text and the gaps between them."""
    matches = literal_matches(text, pattern) if isinstance(pattern, str) else pattern_matches(pattern, text)
    return [(text[start:end], is_match) for start, end, is_match in matches]


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces, those of a gap together."""
    result: list[Piece] = []
    for text, is_match in pieces:
        if result and not is_match and not result[-1][1]:
            result[-1] = result[-1][0] + text, False
        else:
            result.append((text, is_match))
    return result


def streamed(matcher: Matcher, fragments: Sequence[str]) -> list[Piece]:
    """The pieces of a part, those of a gap or match together, which are those of the whole; what is held is not out."""
    pieces: list[Piece] = []
    fed = 0
    for fragment in [*fragments, ""]:
        was_open = matcher.is_open
        found = matcher.feed(fragment) if fragment else matcher.finish()
        if was_open and found:
            (text, is_match), *found = found
            assert is_match
            pieces[-1] = pieces[-1][0] + text, True
        assert fragment or not matcher.is_open
        pieces += found
        fed += len(fragment)
        assert matcher.held == fed - sum(len(text) for text, _ in pieces)
    assert matcher.held == 0
    texts, are_matches = matcher.whole("".join(fragments))
    assert joined(zip(texts, are_matches or [True] * len(texts), strict=True)) == joined(pieces)
    return joined(pieces)


@st.composite
def fragmented(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[str]:
    """A text that is not empty, character by character or cut at random places."""
    text = draw(texts)
    if draw(st.booleans()):
        return list(text)
    return cut_at(text, draw(st.lists(st.integers(1, len(text)), max_size=5)))
