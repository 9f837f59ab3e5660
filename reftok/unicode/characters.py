r"""The Unicode version of each part of the official libraries, whatever version is installed here.

Every component of `tokenizers` carries tables of its own: its regexes and word classes know Unicode 16.0, its
normalization forms and its scripts Unicode 9.0, its grapheme clusters, its lower case and its numbers Unicode 17.0. A
version is emulated in three ways:

- Classes (`\p{L}`, `\w`): code points that were unassigned are replaced, before matching, by a noncharacter, which
  is unassigned in every version. Positions do not move.
- Normalization: code points that had no combining class and no decomposition are treated as if they still had none.
- Small classes, scripts, lower case and grapheme clusters (graphemes.py): whole tables of our own. Those of BERT
  (normalizers/bert.rs, pre_tokenizers/bert.rs) are of the crate unicode_categories, which knows Unicode 8.0.

Checked against tokenizers 0.23.3 over all 1,112,064 scalar values by tests/reftok/unicode/test_characters.py.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby
from typing import Literal, TypeAlias

import regex

from reftok.unicode.ranges import CharacterSearch, class_with_higher_planes, ranges_of
from reftok.unicode.tables import (
    BERT_CONTROLS,
    BERT_NONSPACING_MARKS,
    BERT_PUNCTUATION,
    COMBINING_MARKS_IN_9,
    INERT_IN_9,
    LOWERCASE,
    NUMERIC_IN_17,
    SCRIPTS_IN_9,
    UNASSIGNED_IN_16,
)

WHITE_SPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    map(chr, range(0x2000, 0x200B))
)
"""The property White_Space: Rust's `char::is_whitespace`, and `\\s` in Oniguruma, in Rust and in `regex`. It has been
the same since Unicode 6.3. Python's `str.isspace` is another set: it has U+001C to U+001F as well."""

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

REPLACEMENT_CHARACTER = "\ufffd"
"""The stand-in of bytes that are not part of a character."""

NONCHARACTER = "\U0010ffff"


class CharacterTable(dict[int, str]):
    """A table for `str.translate` that fills itself, with what a rule makes of each character.

    >>> "aba".translate(CharacterTable({"a": "", "b": "cd"}.__getitem__))
    'cd'
    """

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        found = self[code] = self._rule(chr(code))
        return found


@cache
def members(table: str) -> frozenset[str]:
    """The characters of a table of code point ranges.

    >>> sorted(members("61-63 78"))
    ['a', 'b', 'c', 'x']
    """
    return frozenset(chr(code) for first, last in ranges_of(table) for code in range(first, last + 1))


def character_class(table: str) -> str:
    """The class of `regex` that has the members of a table."""
    return "[" + "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in ranges_of(table)) + "]"


_PIECE = 1 << 14
_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


@cache
def newer_than_16() -> frozenset[str]:
    """Characters that the installed `regex` counts as assigned, though Unicode 16 does not."""
    assigned = regex.compile(r"\P{Cn}")
    newer: set[str] = set()
    for first, last in ranges_of(UNASSIGNED_IN_16):
        # 800,000 code points: in pieces for the memory, and as UTF-32, which is four times as fast as `chr` for each.
        for start in range(first, last + 1, _PIECE):
            codes = array("I", range(start, min(start + _PIECE, last + 1)))
            newer.update(assigned.findall(codes.tobytes().decode(_UTF_32)))
    return frozenset(newer)


@cache
def _as_of_16() -> dict[int, str]:
    """The stand-ins of characters for `as_of_16`."""
    return {**dict.fromkeys(map(ord, newer_than_16()), NONCHARACTER), 0x295: "\u0296"}


@cache
def _changed_since_16() -> frozenset[str]:
    return frozenset(map(chr, _as_of_16()))


def as_of_16(text: str) -> str:
    r"""`text` for matching with Unicode 16 classes: the same length, newer code points made unassigned.

    U+0295 was a lower-case letter until it became one without case in 17.0; a neighbour stands in for it.

    >>> regex.fullmatch(r"a\p{Cn}b", as_of_16("a\U0001e6c0b")) is not None
    True
    """
    if text.isascii() or _changed_since_16().isdisjoint(text):
        return text
    return text.translate(_as_of_16())


@dataclass(frozen=True, slots=True)
class RustClasses:
    """The classes of the Rust crate `regex` 1.11 (Unicode 16), which the added tokens are matched with."""

    def is_space(self, character: str) -> bool:
        r"""`\s`, the property White_Space."""
        return character in WHITE_SPACE

    def is_word(self, character: str) -> bool:
        r"""`\w`: alphabetic, marks, decimal numbers, connectors and the two joiners.

        >>> RUST.is_word("\u200d"), RUST.is_word("²"), RUST.is_word("Ⅳ")
        (True, False, True)
        """
        return _WORD.match(as_of_16(character)) is not None


RUST = RustClasses()
_WORD = regex.compile(r"\w")


@cache
def _inert_search() -> CharacterSearch:
    return CharacterSearch(members(INERT_IN_9))


def combining_class(character: str) -> int:
    """The canonical combining class in Unicode 9."""
    return 0 if character in members(INERT_IN_9) else unicodedata.combining(character)


def decomposition(character: str, compatible: bool) -> str:
    """The full canonical (or compatible) decomposition in Unicode 9; the character itself where it has none."""
    if character in members(INERT_IN_9):
        return character
    return unicodedata.normalize("NFKD" if compatible else "NFD", character)


def composition(first: str, second: str) -> str | None:
    """The primary composite of two characters in Unicode 9, None where there is none."""
    composed = unicodedata.normalize("NFC", first + second)
    return composed if len(composed) == 1 and composed not in members(INERT_IN_9) and len(first) == 1 else None


def is_normalized(form: Form, text: str) -> bool:
    """Whether normalization to `form` ("NFC", "NFD", "NFKC", "NFKD") in Unicode 9 surely changes nothing.

    A quick answer: False may also mean that it takes a closer look.
    """
    return text.isascii() or (unicodedata.is_normalized(form, text) and _inert_search().is_absent(text))


def quickly_normalized(form: Form, text: str) -> str | None:
    r"""The normalization of `text` to `form` in Unicode 9; None where the installed tables do not tell it.

    >>> quickly_normalized("NFC", "e\u0301"), quickly_normalized("NFC", "e\u0897")
    ('é', None)
    >>> quickly_normalized("NFC", "\U00011935\U00011930")    # composed since Unicode 13
    """
    if text.isascii():
        return text
    if not _inert_search().is_absent(text):
        return None
    normalized = unicodedata.normalize(form, with_marks_in_order(text, compatible="K" in form))
    is_composed_later = normalized != text and not _inert_search().is_absent(normalized)
    return None if is_composed_later else normalized


_LONG_RUN = 31


@cache
def _marks() -> frozenset[str]:
    """The characters whose decomposition may begin with a combining class: besides marks, the halfwidth sound marks."""
    return members(COMBINING_MARKS_IN_9) | {"\uff9e", "\uff9f"}


@cache
def _long_runs() -> re.Pattern[str]:
    # Other characters of the higher planes come out as they are, so that a class with all of them does no harm.
    return re.compile(f"{class_with_higher_planes(_marks())}{{{_LONG_RUN},}}")


def with_marks_in_order(text: str, compatible: bool) -> str:
    r"""`text` with every long run of marks decomposed and in canonical order, which changes no normalization of it.

    `unicodedata.normalize` brings marks into order by swapping neighbours: without this, the time for a run grows with
    its square.

    >>> with_marks_in_order("a" + "\u0301\u0323" * 16, compatible=False) == "a" + "\u0323" * 16 + "\u0301" * 16
    True
    """
    # Every run of that length holds one of these places, so most texts are done after a look at each 31st character.
    if _marks().isdisjoint(text[_LONG_RUN - 1 :: _LONG_RUN]):
        return text
    return _long_runs().sub(lambda run: "".join(_in_order(run[0], compatible)), text)


def _in_order(run: str, compatible: bool) -> Iterator[str]:
    """The decompositions of the marks of a run, sorted by combining class between two of class 0."""
    form: Form = "NFKD" if compatible else "NFD"
    parts = chain.from_iterable(unicodedata.normalize(form, character) for character in run)
    for _, group in groupby(parts, lambda part: unicodedata.combining(part) == 0):
        yield from sorted(group, key=unicodedata.combining)


def is_combining_mark(character: str) -> bool:
    r"""Whether it has general category M in Unicode 9, as the crate unicode-normalization-alignments has it.

    >>> is_combining_mark("\u0301"), is_combining_mark("\u0903"), is_combining_mark("\u0897")
    (True, True, False)
    """
    return character in members(COMBINING_MARKS_IN_9)


def lower_case(character: str) -> str:
    r"""Its lower case in Unicode 17, Rust's `char::to_lowercase`: one character, two for İ.

    >>> lower_case("Σ"), lower_case("İ") == "i\u0307"
    ('σ', True)
    """
    return _lower_case().get(character, character)


@cache
def _lower_case() -> dict[str, str]:
    pairs = (item.partition(">") for item in LOWERCASE.split())
    return {"İ": "i\u0307"} | {chr(int(upper, 16)): chr(int(lower, 16)) for upper, _, lower in pairs}


def is_numeric(character: str) -> bool:
    """Whether it has general category N in Unicode 17, Rust's `char::is_numeric`.

    >>> [is_numeric(character) for character in "1²½Ⅳ一"]
    [True, True, True, True, False]
    """
    return character in members(NUMERIC_IN_17)


_CHINESE = tuple(ranges_of("3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F"))
"""The blocks of ideographs that BERT knows. Quirks: Extension E begins at U+2B920 there instead of U+2B820, and what
Unicode has added after it is missing."""


def is_control(character: str) -> bool:
    r"""Whether the cleaning of BERT removes it: category Cc, Cf or Co, or U+FFFD.

    The tabulator, line feed and carriage return stay. Unassigned code points stay, other than in the BERT of Google.

    >>> [is_control(character) for character in "\0\t\ue000\u0378"]
    [True, False, True, False]
    """
    return character in members(BERT_CONTROLS) or unicodedata.category(character) == "Co"


def is_nonspacing_mark(character: str) -> bool:
    r"""Whether it counts as an accent for BERT: category Mn.

    >>> is_nonspacing_mark("\u0301"), is_nonspacing_mark("\u0903")
    (True, False)
    """
    return character in members(BERT_NONSPACING_MARKS)


def is_punctuation(character: str) -> bool:
    """Whether the pre-tokenizer of BERT isolates it: category P, and what ASCII has of category S.

    >>> [is_punctuation(character) for character in "-$€"]
    [True, True, False]
    """
    return character in members(BERT_PUNCTUATION)


def is_chinese(character: str) -> bool:
    """Whether it is in a block of ideographs that BERT knows, assigned or not.

    >>> [is_chinese(character) for character in "中あ\U0002b820"]
    [True, False, False]
    """
    return any(first <= ord(character) <= last for first, last in _CHINESE)


def script(character: str) -> str | None:
    """The name of a character's script, as UnicodeScripts has it; None for the space and what Unicode 9 did not have.

    Source: tokenizers 0.23, pre_tokenizers/unicode_scripts/, whose table is sentencepiece's.

    Quirk: Hiragana, Katakana and the prolonged sound mark U+30FC are Han, so that Japanese is not cut to pieces.

    >>> [script(character) for character in "aж漢かー1 "]
    ['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common', None]
    """
    starts, ranges = _table()
    last, name = ranges[bisect_right(starts, ord(character)) - 1]
    return name if ord(character) <= last else None


@cache
def _table() -> tuple[list[int], list[tuple[int, str]]]:
    """Where each range of one script starts, from U+0000 on, and for each its last code point and its script."""
    ranges = sorted((*span, name) for name, table in SCRIPTS_IN_9.items() for span in ranges_of(table))
    return [first for first, _, _ in ranges], [(last, name) for _, last, name in ranges]
