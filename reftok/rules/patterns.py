"""The matches of a pattern in a text, and the gaps between them.

Source: tokenizers 0.23 tokenizer/pattern.rs. How expressions are translated and run: reftok.regex_dialects.
"""

from __future__ import annotations

from reftok.regex_dialects.pattern import Pattern, spans
from reftok.rules.text import with_gaps
from reftok.rules.types import Match, Span


def pattern_matches(pattern: str | Pattern, text: str) -> list[Match]:
    r"""The matches of a pattern and the gaps between them, with the character classes of Unicode 16.

    pattern: a str is matched literally.
    Source: `impl Pattern for &SysRegex`. An empty text is one gap, even for a pattern that matches it.
    Raises InvalidText if the patterns take too long on this text.

    >>> from reftok.regex_dialects.pattern import compile_oniguruma
    >>> pattern_matches(compile_oniguruma(r"\p{N}"), "a12")
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    if isinstance(pattern, str):  # as in the library, no expression is made of it
        return literal_matches(text, pattern)
    return with_gaps(spans(pattern, text) if text else (), len(text))


def literal_matches(text: str, literal: str) -> list[Match]:
    """The matches of a fixed string in `text`, leftmost first and without overlap.

    '' matches before each character and at the end.

    >>> literal_matches("a--b-", "-")
    [(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False), (4, 5, True)]
    """
    if text and not literal:
        between = [match for i in range(len(text)) for match in ((i, i, True), (i, i + 1, False))]
        return [*between, (len(text), len(text), True)]
    spans: list[Span] = []
    found = text.find(literal) if literal else -1
    while found >= 0:
        spans.append((found, found + len(literal)))
        found = text.find(literal, spans[-1][1])
    return with_gaps(spans, len(text))
