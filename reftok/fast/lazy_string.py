"""A text on its way through the stages whose alignment is worked out only if somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reftok.rules.text import NormalizedString
from reftok.rules.types import Span


class LazyString(NormalizedString):
    """A normalized string whose alignment is a function: ids alone never need it.

    original_start: None for a slice, which begins where its first character does.

    >>> string = LazyString("a", 0, lambda: [(2, 3)])
    >>> string.slice(0, 1).original_start, string.spans()
    (2, [(2, 3)])
    """

    __slots__ = ("_align", "_found", "_start")

    def __init__(self, text: str, original_start: int | None, align: Callable[[], Sequence[Span]]) -> None:
        self.text = text
        self._start = original_start
        self._align = align
        self._found: Sequence[Span] | None = None

    @property
    def alignments(self) -> Sequence[Span]:  # type: ignore[override]  # a slot of the base class
        """For each character the span of the original that it stands for."""
        if self._found is None:
            self._found = self._align()
        return self._found

    @property
    def original_start(self) -> int:  # type: ignore[override]  # likewise
        """Where in the original text this part of it begins, in code points."""
        return self.alignments[0][0] if self._start is None else self._start

    def slice(self, start: int, end: int) -> NormalizedString:
        if start == 0 and end == len(self.text) and self.text:
            return LazyString(self.text, None, lambda: self.alignments)
        return super().slice(start, end)
