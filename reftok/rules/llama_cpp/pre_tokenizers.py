r"""How llama.cpp cuts text into words before byte-pair encoding.

Source: llama.cpp src/unicode.cpp (`unicode_regex_split`), as in llama-cpp-python 0.3.36. A pre-tokenizer is a list of
expressions; each one cuts the parts that the one before it has made. Some have a handwritten splitter, the others go
through `std::regex`; text between matches is a part of its own, and nothing is dropped. Quirks:

- An expression with a category (`\p{L}`) reads folded text (see characters.py): above ASCII it cannot distinguish upper
  from lower case, and cannot match a certain code point.
- An expression without categories reads the code points. `\s` is then every white space, but white space above ASCII
  matches nothing else: a class with U+3000 in it does not match U+3000.
- `$` is the end of the part, not of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import regex

from reftok.regex_dialects.pattern import Pattern, rust_pattern
from reftok.rules.huggingface.pre_tokenizers import byte_level
from reftok.rules.llama_cpp.characters import CLASSES, folded, folded_with_han, folded_with_joiners, with_ascii_spaces
from reftok.rules.patterns import literal_matches
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.text import NormalizedString, Part, resplit, with_gaps
from reftok.rules.types import Match

Reading = Literal["categories", "categories and Han", "categories and joiners", "code points"]

_READINGS: dict[Reading, Callable[[str], str]] = {
    "categories": folded,
    "categories and Han": folded_with_han,
    "categories and joiners": folded_with_joiners,
    "code points": with_ascii_spaces,
}

_SPACES = r" \t\n\v\f\r"
_PART = regex.compile(r"\\p\{(?P<category>[LMNPS])\}|\\(?P<class>[sSd])|\\.|(?P<open>\[)|(?P<close>\])|.", regex.DOTALL)
_NUMBERS = regex.compile(f"[{CLASSES['N']}]+")
_DIGITS = regex.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class RegexSplit:
    r"""Cut by an expression; its matches and the text between them are the parts.

    expression: in the notation of llama.cpp, with categories as `\p{L}`.
    reading: the form of the text that it is run over.

    >>> parts = RegexSplit(r" ?\p{L}+").pre_tokenize([Part(NormalizedString("né né12"))])
    >>> [part.normalized.text for part in parts]
    ['né', ' né', '12']
    """

    expression: str
    reading: Reading = "categories"

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, lambda normalized: normalized.split(self.matches(normalized.text), "Isolated"))

    @property
    def pattern(self) -> Pattern:
        """The expression for the package `regex`."""
        return _compiled(self.expression)

    @property
    def read(self) -> Callable[[str], str]:
        """Makes the text that the pattern is run over, of the same length."""
        return _READINGS[self.reading]

    def matches(self, text: str) -> list[Match]:
        """The matches and the gaps between them."""
        return with_gaps((match.span() for match in self.pattern.compiled.finditer(self.read(text))), len(text))


@cache
def _compiled(expression: str) -> Pattern:
    r"""The expression for the package `regex`, with the classes of `std::regex`, which are ASCII, written out."""
    parts: list[str] = []
    is_inside = False
    for match in _PART.finditer(expression):
        part = match.group()
        if match["category"] is not None:
            # Inside brackets the members alone, outside a class of their own.
            part = CLASSES[match["category"]] if is_inside else f"[{CLASSES[match['category']]}]"
        elif match["class"] == "S":
            part = f"[^{_SPACES}]"
        elif match["class"] is not None:
            inside = "0-9" if match["class"] == "d" else _SPACES
            part = inside if is_inside else f"[{inside}]"
        elif match["open"] is not None:
            part, is_inside = r"\[" if is_inside else "[", True  # `[` inside a class is a member to std::regex
        elif match["close"] is not None:
            is_inside = False
        parts.append(part)
    return rust_pattern(regex.compile("".join(parts)))


@dataclass(frozen=True, slots=True)
class DigitGroups:
    """Runs of numbers in groups of three, counted from the end of the run.

    Source: `unicode_regex_split_custom_afmoe`. Quirk: text before a run stays with its first group.

    >>> parts = DigitGroups().pre_tokenize([Part(NormalizedString("ab1234567 c"))])
    >>> [part.normalized.text for part in parts]
    ['ab1', '234', '567', ' c']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, lambda normalized: _cut_at(normalized, _ends_of_groups(normalized.text)))


def _ends_of_groups(text: str) -> list[int]:
    ends: list[int] = []
    for run in _NUMBERS.finditer(folded(text)):
        start, end = run.span()
        # The first group is the one that may be shorter.
        ends += range(start + ((end - start) % 3 or 3), end + 1, 3)
    return ends


@dataclass(frozen=True, slots=True)
class ThousandsSplit:
    r"""A run of ASCII digits is cut before every multiple of three digits, counted from its end.

    Source: the expression `(?=(\d{3})+(?!\d))` of the pre-tokenizer superbpe, whose matches are empty.

    >>> parts = ThousandsSplit().pre_tokenize([Part(NormalizedString("1234567"))])
    >>> [part.normalized.text for part in parts]
    ['1', '234', '567']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, lambda normalized: _cut_at(normalized, _starts_of_thousands(normalized.text)))


def _starts_of_thousands(text: str) -> list[int]:
    starts: list[int] = []
    for run in _DIGITS.finditer(text):
        start, end = run.span()
        starts += range(start + (end - start) % 3, end, 3)
    return starts


def _cut_at(normalized: NormalizedString, positions: Sequence[int]) -> list[NormalizedString]:
    bounds = [0, *positions, len(normalized)]
    return [normalized.slice(bounds[i], bounds[i + 1]) for i in range(len(bounds) - 1)]


@dataclass(frozen=True, slots=True)
class LineWords:
    r"""A cut before each `▁` of a line, which gets one at its start if it has none; line feeds stay as they are.

    Source: what xllamacpp 2026.10.11549, which has llama.cpp b11549, answers for the pre-tokenizer mmbert. Quirk: the
    text after an added token is a line of its own and gets a `▁`, too.

    >>> parts = LineWords().pre_tokenize([Part(NormalizedString(text)) for text in ("a▁▁b", "\n", "▁c")])
    >>> [part.normalized.text for part in parts]
    ['▁a', '▁', '▁b', '\n', '▁c']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        if normalized.text.startswith("\n"):
            return [normalized]
        if not normalized.text.startswith(SPACE_SYMBOL):
            normalized = normalized.prepend(SPACE_SYMBOL)
        return normalized.split(literal_matches(normalized.text, SPACE_SYMBOL), "MergedWithNext")


@dataclass(frozen=True, slots=True)
class ByteCharacters:
    """Every word in the visible characters of its UTF-8 bytes.

    Source: `unicode_byte_encoding_process`.

    >>> [part.normalized.text for part in ByteCharacters().pre_tokenize([Part(NormalizedString(" é"))])]
    ['ĠÃ©']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return [part if part.tokens is not None else Part(byte_level(part.normalized)) for part in parts]
