"""The matches of a pattern that nothing behind a text can change."""

from __future__ import annotations

from reftok.engine.patterns.streamable import streamable
from reftok.rules.patterns import Pattern, for_16, needs_timer, spans
from reftok.rules.types import Span


def settled_matches(
    pattern: Pattern, text: str, start: int = 0, last_end: int = -1, is_end: bool = False
) -> tuple[list[Span], int]:
    r"""The final matches from `start` on, and a place: everything before it is final, the gaps between matches as well.

    start: the text before it is only looked at.
    last_end: where the last match ended, which an empty match must not touch; -1 if there was none.
    is_end: whether the text is complete.
    Raises InvalidText if the pattern takes too long.

    >>> from reftok.rules.patterns import compile_oniguruma
    >>> settled_matches(compile_oniguruma(r"\d+"), "1 22")
    ([(0, 1)], 2)
    """
    if is_end:
        timed = needs_timer(pattern.as_oniguruma(), text)
        return spans(*for_16(pattern, text), timed, start, last_end), len(text)
    known = streamable(pattern)
    if isinstance(known, str) or known.automaton.after(text, start).alive:
        return [], start
    pieces, are_matches, settled, _, _ = known.decide(text, start, last_end)
    found: list[Span] = []
    for index, piece in enumerate(pieces):
        if are_matches is None or are_matches[index]:
            found.append((start, start + len(piece)))
        start += len(piece)
    return found, settled


def context_size(pattern: Pattern) -> int:
    """How many characters before its start a match may look at."""
    known = streamable(pattern)
    return 0 if isinstance(known, str) else known.context


def why_unsettled(pattern: Pattern) -> str:
    """Why no match of the pattern is final before the text has ended, '' if some are."""
    known = streamable(pattern)
    return known if isinstance(known, str) else ""
