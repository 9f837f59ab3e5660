"""The scope of a finding: what the inputs have in common on which a subject differs, as a predicate over texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Literal

from conformance.core.unicode_ages import age_of

LEAST_PRECISION = 0.5
"""The share of the texts in a scope that differ, from which on it says something."""
LEAST_PRECISION_OF_LISTS = 0.9
"""Of some characters that the texts themselves were searched for: by chance, such a list holds for many."""
LONGEST_LIST = 6
"""So many characters are named one by one."""
_KINDS: tuple[tuple[str, str], ...] = (
    ("NUL", "\0"),
    ("CR", "\r"),
    ("line ends", "[\\r\\n\x85\\u2028\\u2029]"),
    ("digits 0 to 9", "[0-9]"),
    ("capitals", "[A-Z]"),
    ("an apostrophe", "'"),
    ("several spaces in a row", "  "),
    ("control characters", "[\x00-\x08\x0e-\x1f\x7f-\x9f]"),
    ("white space besides space and line ends", "[^\\S \\r\\n]"),
    ("characters that are not ASCII", "[^\x00-\x7f]"),
    ("characters above U+FFFF", "[\\U00010000-\\U0010ffff]"),
    ("white space at the start", "\\A\\s"),
    ("white space at the end", "\\s\\Z"),
    ("white space at the ends", "\\A\\s|\\s\\Z"),
    ("white space", "\\s"),
    ("more than one word", "\\S\\s+\\S"),
    ("U+FFFD", "\\ufffd"),
)
_CATEGORIES = {
    "M": "combining marks",
    "N": "numbers",
    "Cf": "format characters",
    "Co": "private-use characters",
    "Lu": "capitals",
}
_FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")
_VERSIONS = tuple(f"{number}.0" for number in range(17, 8, -1))


@dataclass(frozen=True, slots=True)
class Scope:
    """A predicate over texts. words: after "only" in a sentence."""

    words: str
    holds: Callable[[str], bool]
    least_precision: float = LEAST_PRECISION


@dataclass(frozen=True, slots=True)
class Learned:
    """The scope that the texts show: how many of those in it differ, of how many; outside of it none does."""

    scope: Scope
    differing: int
    asked: int

    @property
    def precision(self) -> float:
        """The share of the texts in the scope that differ."""
        return self.differing / self.asked

    @property
    def sentence(self) -> str:
        """As reports show it."""
        return f"only {self.scope.words}: {self.differing:,} of {self.asked:,} asked differ"


def learned(
    differing: Sequence[str],
    right: Sequence[str],
    contents: Sequence[str] = (),
    words: Callable[[str], Sequence[str]] = str.split,
) -> Learned | None:
    r"""The narrowest predicate that holds for all texts that differ; None where each holds for most right ones too.

    contents: of the added tokens. words: those of a text, as the model takes them.

    >>> learned(["a\x85", "\x85b"], ["a", "b", "\xe9"]).sentence
    'only with U+0085: 2 of 2 asked differ'
    >>> learned(["a" * 65, "b" * 80], ["a" * 64, "b b " * 40]).sentence
    'only words of 65 characters and more: 2 of 2 asked differ'
    """
    if not differing:
        return None
    best: Learned | None = None
    for scope in _scopes(differing, contents, words):
        if not all(map(scope.holds, differing)):
            continue
        found = Learned(scope, len(differing), len(differing) + sum(map(scope.holds, right)))
        if found.precision >= scope.least_precision and (best is None or found.precision > best.precision):
            best = found
    return best


def _scopes(
    differing: Sequence[str], contents: Sequence[str], words: Callable[[str], Sequence[str]]
) -> Iterator[Scope]:
    """The predicates that texts give rise to, of two that say the same the plainer first."""
    shortest = min(differing, key=len)
    if not shortest:
        yield Scope("the empty text", lambda text: not text)
    for form in _FORMS:
        yield Scope(f"texts that {form} changes", partial(_is_changed, form))
    for character in dict.fromkeys(shortest):
        yield Scope(f"with {_name(character)}", _has(character))
    for byte in dict.fromkeys(shortest.encode("utf-8", "surrogatepass")):
        if byte > 0x7F:
            yield Scope(f"with the byte {byte:02X} in UTF-8", partial(_has_byte, byte))
    yield from _of_tokens(contents)
    for name, pattern in _KINDS:
        yield Scope(f"with {name}", partial(_is_found, re.compile(pattern)))
    for category, name in _CATEGORIES.items():
        yield Scope(f"with {name}", partial(_has_category, category))
    for version in _VERSIONS:
        yield Scope(f"with characters assigned in Unicode {version} and later", partial(_has_newer, float(version)))
    yield from _of_lengths(differing, words)
    yield from _of_several(differing)


def _of_tokens(contents: Sequence[str]) -> Iterator[Scope]:
    if not contents:
        return
    token = re.compile("|".join(map(re.escape, sorted(contents, key=len, reverse=True))), re.IGNORECASE)
    beside = {
        "that begin with an added token": lambda text: token.match(text) is not None,
        "with text before an added token": lambda text: any(found.start() for found in token.finditer(text)),
        "with text after an added token": lambda text: any(found.end() < len(text) for found in token.finditer(text)),
        "with several added tokens": lambda text: len(token.findall(text)) > 1,
        "with an added token": lambda text: token.search(text) is not None,
    }
    for words, holds in beside.items():
        yield Scope(words, holds)


def _of_lengths(differing: Sequence[str], words: Callable[[str], Sequence[str]]) -> Iterator[Scope]:
    measures: dict[str, Callable[[str], int]] = {
        "words of {} characters and more": lambda text: max(map(len, words(text)), default=0),
        "words of {} bytes and more": lambda text: max(map(_bytes, words(text)), default=0),
        "runs of {} equal characters and more": _longest_run,
        "texts of {} characters and more": len,
        "texts of {} bytes and more": _bytes,
        "texts of {} words and more": lambda text: len(text.split()),
    }
    for name, measure in measures.items():
        least = min(map(measure, differing))
        if least > 1:
            yield Scope(name.format(f"{least:,}"), partial(_reaches, measure, least))


def _of_several(differing: Sequence[str]) -> Iterator[Scope]:
    """Characters of which each text has one, the most frequent first."""
    left = list(differing)
    found: list[str] = []
    while left:
        odd = (one for text in left for one in {*text} if not (one.isascii() and one.isalnum()))
        counts = Counter(odd)
        if not counts:
            return
        best = max(counts, key=lambda one: (counts[one], not one.isascii(), one))
        found.append(best)
        left = [text for text in left if best not in text]
    if len(found) > 1:
        more = f" and {len(found) - LONGEST_LIST} more" if len(found) > LONGEST_LIST else ""
        names = ", ".join(map(_name, sorted(found)[:LONGEST_LIST]))
        holds: Callable[[str], bool] = lambda text: not {*found}.isdisjoint(text)
        yield Scope(f"with one of {names}{more}", holds, LEAST_PRECISION_OF_LISTS)


def _has(character: str) -> Callable[[str], bool]:
    return lambda text: character in text


def _has_byte(byte: int, text: str) -> bool:
    return byte in text.encode("utf-8", "surrogatepass")


def _is_changed(form: Literal["NFC", "NFKC"], text: str) -> bool:
    return unicodedata.normalize(form, text) != text


def _is_found(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _has_category(category: str, text: str) -> bool:
    return any(unicodedata.category(character).startswith(category) for character in text)


def _has_newer(version: float, text: str) -> bool:
    return any(_age(character) >= version for character in text if not character.isascii())


def _reaches(measure: Callable[[str], int], least: int, text: str) -> bool:
    return measure(text) >= least


def _age(character: str) -> float:
    return float(age_of(character) or 99)


def _longest_run(text: str) -> int:
    return max((len([*run]) for _, run in groupby(text)), default=0)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _name(character: str) -> str:
    """A character that can be read as it is, any other by its number."""
    return f"“{character}”" if "!" <= character <= "~" else f"U+{ord(character):04X}"
