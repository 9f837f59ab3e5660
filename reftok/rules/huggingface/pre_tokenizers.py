"""The pre-tokenizers of tokenizer.json.

Source: tokenizers 0.23, folder pre_tokenizers/. Each class is named as the `type` in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from reftok.regex_dialects.pattern import Pattern, compile_oniguruma, rust_pattern, spans
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.patterns import literal_matches, pattern_matches
from reftok.rules.text import Behavior, NormalizedString, Part, resplit, split_at
from reftok.rules.types import Match, PrependScheme, Span
from reftok.unicode.characters import WHITE_SPACE, is_numeric, is_punctuation, script

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The built-in pattern of ByteLevel; tiktoken writes it differently (formats/tiktoken/encodings.py).

Source: openai/gpt-2 src/encoder.py.
"""

WORDS = rust_pattern(regex.compile(r"\w+|[^\w\s]+"))
"""Source: tokenizers 0.23 pre_tokenizers/whitespace.rs; matched with the classes of Unicode 16."""


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """GPT-2's split, then every character as the visible characters of its UTF-8 bytes.

    add_prefix_space: put a space before every part that does not start with one, not only before the first.
    use_regex: False leaves out the split.

    >>> parts = ByteLevel(add_prefix_space=False, use_regex=True).pre_tokenize([Part(NormalizedString("né 1"))])
    >>> [(part.normalized.text, part.normalized.spans()) for part in parts]
    [('nÃ©', [(0, 1), (1, 2), (1, 2)]), ('Ġ1', [(2, 3), (3, 4)])]
    """

    add_prefix_space: bool
    use_regex: bool

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        cut = resplit(parts, self._cut)
        return [part if part.tokens is not None else Part(byte_level(part.normalized)) for part in cut]

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        # The space is added before the split, so that GPT-2's pattern takes it into the first word.
        if self.add_prefix_space and not normalized.text.startswith(" "):
            normalized = normalized.prepend(" ")
        if not self.use_regex:
            return [normalized]
        matches = pattern_matches(compile_oniguruma(GPT2_PATTERN), normalized.text)
        return normalized.split(matches, "Isolated")


def byte_level(normalized: NormalizedString) -> NormalizedString:
    """The text in the characters of its bytes; each byte has the alignment of its character.

    Surrogates, which only bytes given to llama.cpp can contain, are encoded like any other code point.
    """
    text = normalized.text
    encoded = to_byte_characters(text.encode("utf-8", "surrogatepass"))
    if len(encoded) == len(text):  # a byte for each character
        return NormalizedString(encoded, normalized.original_start, normalized.alignments)
    alignments: list[Span] = []
    for character, span in zip(text, normalized.spans(), strict=True):
        alignments += [span] * len(character.encode("utf-8", "surrogatepass"))
    return NormalizedString(encoded, normalized.original_start, alignments)


@dataclass(frozen=True, slots=True)
class Split:
    """Cut by a pattern.

    pattern: a str is matched literally.
    behavior: what happens to the matches, which are the delimiters.
    invert: the gaps between the matches are the delimiters instead.

    >>> parts = Split("-", "MergedWithPrevious", False).pre_tokenize([Part(NormalizedString("a-b"))])
    >>> [part.normalized.text for part in parts]
    ['a-', 'b']
    """

    pattern: str | Pattern
    behavior: Behavior
    invert: bool

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, lambda normalized: normalized.split(self._matches(normalized.text), self.behavior))

    def _matches(self, text: str) -> list[Match]:
        matches = pattern_matches(self.pattern, text)
        return [(start, end, not matched) for start, end, matched in matches] if self.invert else matches


@dataclass(frozen=True, slots=True)
class Metaspace:
    """Spaces as a visible character, and a cut before each of them.

    replacement: the visible character, usually `▁`.
    prepend_scheme: whether a part that does not start with it gets one: "always", "never", or "first", which means
        every part that begins where the original text does. After a normalizer that inserts there can be several of
        them, after one that removes the start there is none.
    Quirk: only U+0020 is replaced, no other white space.

    >>> parts = Metaspace("▁", "first", True).pre_tokenize([Part(NormalizedString("a b"))])
    >>> [(part.normalized.text, part.normalized.spans()) for part in parts]
    [('▁a', [(0, 1), (0, 1)]), ('▁b', [(1, 2), (2, 3)])]
    """

    replacement: str
    prepend_scheme: PrependScheme
    split: bool

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        if " " in normalized.text:
            # One character for one, so the alignments stay.
            text = normalized.text.replace(" ", self.replacement)
            normalized = NormalizedString(text, normalized.original_start, normalized.alignments)
        if self._prepends(normalized) and not normalized.text.startswith(self.replacement):
            normalized = normalized.prepend(self.replacement)
        if not self.split:
            return [normalized]
        return normalized.split(literal_matches(normalized.text, self.replacement), "MergedWithNext")

    def _prepends(self, normalized: NormalizedString) -> bool:
        if self.prepend_scheme == "first":
            return normalized.original_start == 0
        return self.prepend_scheme == "always"


@dataclass(frozen=True, slots=True)
class WhitespaceSplit:
    """Cut at white space, which is removed.

    >>> parts = WhitespaceSplit().pre_tokenize([Part(NormalizedString(" a  b"))])
    >>> [part.normalized.text for part in parts]
    ['a', 'b']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(parts, WHITE_SPACE.__contains__, "Removed")


@dataclass(frozen=True, slots=True)
class CharDelimiterSplit:
    """Cut at one character, which is removed.

    >>> parts = CharDelimiterSplit("-").pre_tokenize([Part(NormalizedString("a--b c"))])
    >>> [part.normalized.text for part in parts]
    ['a', 'b c']
    """

    delimiter: str

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(parts, lambda character: character == self.delimiter, "Removed")


@dataclass(frozen=True, slots=True)
class Digits:
    """Numbers are cut out of the text, whole or digit by digit.

    individual_digits: whether each numeric character is a part of its own.
    Quirk: every numeric character counts as a digit, also fractions and Roman numerals (`½`, `Ⅳ`), by Unicode 17; the
        patterns of the same library follow Unicode 16.

    >>> parts = Digits(individual_digits=False).pre_tokenize([Part(NormalizedString("a12²b"))])
    >>> [part.normalized.text for part in parts]
    ['a', '12²', 'b']
    """

    individual_digits: bool

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(parts, is_numeric, "Isolated" if self.individual_digits else "Contiguous")


@dataclass(frozen=True, slots=True)
class Punctuation:
    """Cut at each punctuation character in the sense of BERT: all ASCII symbols are.

    >>> parts = Punctuation("Isolated").pre_tokenize([Part(NormalizedString("a, b..."))])
    >>> [part.normalized.text for part in parts]
    ['a', ',', ' b', '.', '.', '.']
    """

    behavior: Behavior

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(parts, is_punctuation, self.behavior)


@dataclass(frozen=True, slots=True)
class BertPreTokenizer:
    """Cut at white space, which is removed, and around each punctuation character.

    >>> parts = BertPreTokenizer().pre_tokenize([Part(NormalizedString("a, b"))])
    >>> [part.normalized.text for part in parts]
    ['a', ',', 'b']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(split_at(parts, WHITE_SPACE.__contains__, "Removed"), is_punctuation, "Isolated")


@dataclass(frozen=True, slots=True)
class Whitespace:
    r"""Runs of word characters, and runs of other characters but white space, which is removed.

    The pattern is `\w+|[^\w\s]+` of the Rust crate `regex`, with the classes of Unicode 16: marks and the joiners
    U+200C and U+200D are word characters, superscripts and fractions are not.

    >>> parts = Whitespace().pre_tokenize([Part(NormalizedString("a_1, b²"))])
    >>> [part.normalized.text for part in parts]
    ['a_1', ',', 'b', '²']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        return [normalized.slice(*span) for span in spans(WORDS, normalized.text)]


@dataclass(frozen=True, slots=True)
class UnicodeScripts:
    """Cut where the script changes.

    Quirks: characters without a script (the space, and what Unicode 9 did not have) join the part before them, and are
    lost at the start of the text. Digits and punctuation have the script Common, combining marks the script Inherited,
    so that there is a cut between a letter and its accent.

    >>> parts = UnicodeScripts().pre_tokenize([Part(NormalizedString(" Go 漢字かな.1ж"))])
    >>> [part.normalized.text for part in parts]
    ['Go ', '漢字かな', '.1', 'ж']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        starts: list[int] = []
        previous = None
        for position, character in enumerate(normalized.text):
            here = script(character)
            # The first place needs a script too: what comes before it is in no part.
            if here is not None and here != previous:
                starts.append(position)
                previous = here
        return [normalized.slice(start, end) for start, end in pairwise([*starts, len(normalized)])]


@dataclass(frozen=True, slots=True)
class FixedLength:
    """Parts of the same length; the last one may be shorter.

    length: in code points.

    >>> parts = FixedLength(2).pre_tokenize([Part(NormalizedString("añb"))])
    >>> [part.normalized.text for part in parts]
    ['añ', 'b']
    """

    length: int

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return resplit(parts, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        end = len(normalized)
        return [normalized.slice(start, min(start + self.length, end)) for start in range(0, end, self.length)]
