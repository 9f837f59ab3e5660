"""Pre-tokenizers that cut at single characters, on text that comes bit by bit."""

from __future__ import annotations

import re
from functools import lru_cache

from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.text import Behavior
from reftok.unicode.characters import character_class

_PRE_TOKENS: dict[Behavior, str] = {
    "Removed": "[^{}]+",
    "Isolated": "[{0}]|[^{0}]+",
    "Contiguous": "[{0}]+|[^{0}]+",
    "MergedWithPrevious": "[^{0}]*[{0}]|[^{0}]+",
    "MergedWithNext": "[{0}][^{0}]*|[^{0}]+",
}
"""The pre-tokens that a text is cut into at the characters of a class."""


@lru_cache(maxsize=64)
def _patterns(delimiters: str, behavior: Behavior) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(f"[{delimiters}]"), re.compile(_PRE_TOKENS[behavior].format(delimiters))


class StreamedCharacterSplit(StreamedStage):
    """Cuts at every character of a class; `behavior` says where the delimiters go.

    delimiters: the inside of a character class of `re`, which finds members of a large class faster than `regex`.

    With Removed, Isolated and MergedWithPrevious a delimiter ends its pre-token. With MergedWithNext what is none goes
    on with it, with Contiguous what is one.
    """

    def __init__(self, delimiters: str, behavior: Behavior, sink: TextSink) -> None:
        super().__init__(sink)
        is_delimiter, pre_tokens = _patterns(delimiters, behavior)
        self._search = is_delimiter.search
        self._match = is_delimiter.match
        self._find_pre_tokens = pre_tokens.findall
        self._is_contiguous = behavior == "Contiguous"
        self._joins_previous = behavior == "MergedWithPrevious"
        self._ends_pre_token = behavior not in ("Contiguous", "MergedWithNext")
        self._is_in_delimiters = False
        self._has_begun = False

    def text(self, fragment: str) -> None:
        if self._search(fragment) is None:
            if self._is_in_delimiters:
                self._end()
            self._is_in_delimiters = False
            self._has_begun = True
            self.sink.text(fragment)
            return
        starts_with_delimiter = self._match(fragment) is not None
        if self._is_in_delimiters != starts_with_delimiter and not self._joins_previous:
            self._end()
        ends_with_delimiter = self._match(fragment, len(fragment) - 1) is not None
        self._hand_on(self._find_pre_tokens(fragment), self._ends_pre_token and ends_with_delimiter)
        self._is_in_delimiters = self._is_contiguous and ends_with_delimiter

    def _end(self) -> None:
        self._has_begun = False
        self.sink.end_pre_token()

    def _hand_on(self, pre_tokens: list[str], is_whole: bool) -> None:
        """The parts of a fragment; is_whole: the last one ends with it."""
        if not pre_tokens:
            return
        last = "" if is_whole else pre_tokens.pop()
        if pre_tokens and self._has_begun:
            self.sink.text(pre_tokens.pop(0))
            self._end()
        if pre_tokens:
            self.sink.pre_tokens(pre_tokens)
        if last:
            self._has_begun = True
            self.sink.text(last)

    def end_pre_token(self) -> None:
        self._is_in_delimiters = False
        self._end()


def class_of(characters: str | frozenset[str]) -> str:
    r"""The inside of the class that has these characters.

    >>> class_of("-a")
    '\\U0000002D\\U00000061'
    """
    return "".join(f"\\U{ord(character):08X}" for character in sorted(characters))


@lru_cache(maxsize=8)
def class_of_table(table: str) -> str:
    """The inside of the class that has the members of a table of code point ranges."""
    return character_class(table)[1:-1]
