"""Ways to have the Unicode tables of another version than the library: in patterns, in normalizers, or in both."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TypeAlias

import regex

from conformance.causes.edits.added_tokens import seen_otherwise, with_normalizers
from conformance.causes.edits.fault import Faults, of_rules
from conformance.causes.edits.normalizers import Rewritten
from conformance.causes.edits.translated import TranslatedStep, splits_by_class, with_other_splits
from conformance.core.unicode_ages import LATER_CLASSES, age_of, of_each_age
from reftok import Tokenizer
from reftok.regex_dialects.executor import spans_of
from reftok.regex_dialects.pattern import Pattern, needs_deadline
from reftok.rules.huggingface.normalizers import Lowercase, UnicodeForm
from reftok.rules.huggingface.pre_tokenizers import Digits, Split
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part, resplit, with_gaps
from reftok.unicode.characters import NONCHARACTER, CharacterTable, Form, lower_case
from reftok.unicode.ranges import ranges_of

Version: TypeAlias = tuple[int, int]

VERSIONS: tuple[Version, ...] = (
    (3, 2), (5, 2), (6, 0), (6, 2), (7, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0),
    (15, 1), (16, 0), (17, 0), (18, 0),
)  # fmt: skip
"""Those that runtimes have had, and all since 9 that brought letters, digits or marks: 12.1 has one symbol more."""
_OF_PATTERNS, _OF_FORMS, _OF_NUMBERS = (16, 0), (9, 0), (17, 0)
"""The versions of tokenizers: see reftok.unicode.characters."""
_NEVER: Version = (99, 0)

_LATER_COMPOSITES = """
    105D2+307=105C9 105DA+307=105E4 11382+113C9=11383 11384+113BB=11385 1138B+113C2=1138E 11390+113C9=11391
    113C2+113C2=113C5 113C2+113B8=113C7 113C2+113C9=113C8 1611E+1611E=16121 1611E+16129=16122 1611E+1611F=16123
    16129+1611F=16124 1611E+16120=16125 16121+1611F=16126 16122+1611F=16127 16121+16120=16128 16D67+16D67=16D68
    16D63+16D67=16D69 16D69+16D67=16D6A
"""
"""The canonical compositions of Unicode 15 to 18, all of them of 16: Python may know an older version.

Source: UnicodeData.txt of Unicode 17.0, field Decomposition_Mapping, and unicodedata2 18.0.0 for what came with 18; so
are the compatible ones below.
"""
_LATER_COMPATIBLE = (
    ("1E030-1E06D", "абвгдежзиклмопрстуфхцчшыэюꚉәіјөүӏабвгдежзиклопсуфхцчшъыґіѕџҫꙑұ"),
    ("1CCD6-1CCF9", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    ("A7F1", "S"),
    ("558", "է"),
    ("58B-58C", "իյ"),
    ("209D-209F", "wyz"),
    ("107BB-107BF", "ʇʖʗʞ\U0001df0b"),
    ("1D6A6 1DF95", "ßß"),
    ("1DFCD-1DFE0", "\U0001df57\U0001df58\U0001df59ɣᴘƀđǥłƚ\U0001df50\U0001df3eɉᵿ\U0001df3fƞɼȸȹ\U0001df2b"),
    ("1DFE1-1DFFF", "\U0001df19ʆᶘ\U0001df2c\U0001df1cʓᶚᴅᴀᴇɿʅʮʯȡȴȵȶψωᶁꞕᶇᶊᶎƈƙƥʠƭ\U0001df09"),
)
_LATER_LIGATURES = {"\U0001b123": "こと", "\U0001b124": "トキ", "\U0001b125": "トテ", "\U0001b126": "ヨリ"}


def of_unicode_versions(tokenizer: Tokenizer) -> Faults:
    """Characters that came with another version of Unicode are unassigned, or assigned already.

    The stage is that in which it shows: a library whose patterns and forms are both of one version is at fault in the
    PreTokenizer, and in the Normalizer too; in AddedTokens, where `single_word` looks for characters of a word.
    """
    steps = with_other_splits(tokenizer.rules.pre_tokenizers)
    splits = {_OF_NUMBERS if isinstance(step, Digits) else _OF_PATTERNS for step in steps if splits_by_class(step)}
    has_words = any(token.single_word for token in tokenizer.rules.added_tokens.tokens.values())
    forms = {_version_of(step) for step in tokenizer.rules.normalizers} - {None}
    for version in VERSIONS:
        rule = f"characters are those of Unicode {name(version)}"
        changes = partial(_changed, tokenizer, version)
        other_splits = bool(splits - {version}) and (version <= _OF_PATTERNS or is_known(version))
        other_forms = bool(forms - {version})
        if other_forms and version == (15, 1):  # which has no marks and no compositions
            other_forms = False
        concerns = partial(_concerns, version, frozenset(filter(None, splits | forms)))
        if other_forms:
            yield of_rules("Normalizer", rule, tokenizer, partial(changes, False, True), concerns)
        if other_splits:
            yield of_rules("PreTokenizer", rule, tokenizer, partial(changes, True, False), concerns)
        if other_splits and other_forms:
            yield of_rules("PreTokenizer", rule, tokenizer, partial(changes, True, True), concerns)
        if has_words and version < _OF_PATTERNS:
            others = partial(_concerns, version, frozenset({_OF_PATTERNS}))
            words = partial(seen_otherwise, tokenizer, _unassigned_after(version))
            yield of_rules("AddedTokens", rule, tokenizer, words, others)


def is_known(version: Version) -> bool:
    """Whether the installed `regex` has the classes of a version."""
    came = next((one for one in of_each_age() if version_of(one) == version), "a")
    return regex.match(r"\P{Cn}", came) is not None


def name(version: Version) -> str:
    """The version in words.

    >>> name((15, 0)), name((15, 1))
    ('15', '15.1')
    """
    return ".".join(map(str, version if version[1] else version[:1]))


def _version_of(step: Normalizer) -> Version | None:
    return _OF_FORMS if isinstance(step, UnicodeForm) else _OF_NUMBERS if isinstance(step, Lowercase) else None


@lru_cache(maxsize=1 << 14)
def version_of(character: str) -> Version:
    """The version of Unicode that a character came with; of one that is not assigned, a version that never comes.

    >>> version_of("a"), version_of("\U0001f937"), version_of("\u0378")
    ((1, 1), (9, 0), (99, 0))
    """
    major, _, minor = age_of(character).partition(".")
    return (int(major), int(minor)) if major else _NEVER


@lru_cache(maxsize=64)
def _versions(text: str) -> frozenset[Version]:
    return frozenset(map(version_of, text))


def _concerns(version: Version, right: frozenset[Version], text: str) -> bool:
    """Whether a character came between the version and one of the right ones."""
    if text.isascii():
        return False
    lowest, highest = min(version, *right), max(version, *right)
    return any(lowest < one <= highest for one in _versions(text))


def _changed(tokenizer: Tokenizer, version: Version, splits: bool, forms: bool) -> Pipeline:
    changed = tokenizer.rules
    if forms:
        changed = with_normalizers(changed, [_normalizer(version, step) for step in tokenizer.rules.normalizers])
    if not splits:
        return changed
    steps = with_other_splits(tokenizer.rules.pre_tokenizers, splits_by_class, partial(_splitter, version))
    return replace(changed, pre_tokenizers=steps)


# --- patterns


def _splitter(version: Version, step: PreTokenizer) -> PreTokenizer:
    if version > _OF_PATTERNS and isinstance(step, Split) and isinstance(step.pattern, Pattern):
        return NewestSplit(step, step.pattern, version)
    return TranslatedStep(step, _unassigned_after(version))


@cache
def _unassigned_after(version: Version) -> Mapping[int, str]:
    """What no version until this one has, to be taken for a noncharacter."""
    return CharacterTable(lambda character: NONCHARACTER if version_of(character) > version else character)


@dataclass(frozen=True, slots=True, eq=False)
class NewestSplit:
    """A split by the classes of a later version, as the installed `regex` has them; what is newer is unassigned."""

    step: Split
    pattern: Pattern
    version: Version

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return resplit(splits, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        text = normalized.text.translate(_unassigned_after(self.version))
        is_timed = needs_deadline(self.pattern, text)
        matches = with_gaps(spans_of(self.pattern.compiled, text, is_timed), len(text))
        if self.step.invert:
            matches = [(start, end, not matched) for start, end, matched in matches]
        return normalized.split(matches, self.step.behavior)


# --- normalization


def _normalizer(version: Version, step: Normalizer) -> Normalizer:
    if isinstance(step, UnicodeForm):
        return Rewritten(partial(normalized, step.form, version))
    return Rewritten(partial(_lower_case, version)) if isinstance(step, Lowercase) else step


def _lower_case(version: Version, text: str) -> str:
    return "".join(lower_case(one) if version_of(one) <= version else one for one in text)


def normalized(form: Form, version: Version, text: str) -> str:
    r"""The text in a normalization form of a version of Unicode.

    >>> [ascii(normalized("NFC", version, "\U00011935\U00011930")) for version in ((12, 0), (13, 0))]
    ["'\\U00011935\\U00011930'", "'\\U00011938'"]
    """
    if text.isascii():
        return text
    decomposed = [*_in_order(version, (part for one in text for part in _decomposition(form, version, one)))]
    return "".join(_composed(version, decomposed) if form.endswith("C") else decomposed)


def _decomposition(form: Form, version: Version, character: str) -> str:
    if character.isascii() or version_of(character) > version:
        return character
    compatible = "K" in form
    if compatible and (found := _later_compatible().get(character)) is not None:
        return found
    if (pair := _later_decompositions().get(character)) is not None:
        return _decomposition(form, version, pair[0]) + pair[1]
    return unicodedata.normalize("NFKD" if compatible else "NFD", character)


def _combining_class(version: Version, character: str) -> int:
    if character.isascii() or version_of(character) > version:
        return 0
    return unicodedata.combining(character) or _later_combining_class(character)


@lru_cache(maxsize=1 << 12)
def _later_combining_class(character: str) -> int:
    """That of a mark that Python may not know, by the installed `regex`."""
    if version_of(character) <= (14, 0):
        return 0
    return next((number for number in LATER_CLASSES if regex.match(rf"\p{{ccc={number}}}", character)), 0)


def _in_order(version: Version, characters: Iterator[str]) -> Iterator[str]:
    """Marks in the order of their combining classes."""
    pending: list[tuple[int, str]] = []
    for character in characters:
        number = _combining_class(version, character)
        if number == 0:
            yield from (mark for _, mark in sorted(pending, key=lambda one: one[0]))
            pending.clear()
            yield character
        else:
            pending.append((number, character))
    yield from (mark for _, mark in sorted(pending, key=lambda one: one[0]))


def _composed(version: Version, characters: Sequence[str]) -> list[str]:
    """Starters composed with the marks after them that are not blocked."""
    done: list[str] = []
    starter = -1
    last_class = 0
    for character in characters:
        number = _combining_class(version, character)
        is_next = starter == len(done) - 1
        whole = _composition(version, done[starter], character) if starter >= 0 else None
        if whole is not None and (is_next or 0 < last_class < number):
            done[starter] = whole
            continue
        if number == 0:
            starter = len(done)
        last_class = number
        done.append(character)
    return done


def _composition(version: Version, first: str, second: str) -> str | None:
    whole = later_compositions().get(first + second)
    if whole is None:
        whole = unicodedata.normalize("NFC", first + second)
    return whole if len(whole) == 1 and version_of(whole) <= version else None


@cache
def later_compositions() -> Mapping[str, str]:
    """The pairs that Unicode composes since 15, and what of them becomes."""
    entries = (entry.partition("=") for entry in _LATER_COMPOSITES.split())
    return {"".join(chr(int(code, 16)) for code in pair.split("+")): chr(int(whole, 16)) for pair, _, whole in entries}


@cache
def _later_decompositions() -> Mapping[str, str]:
    return {whole: pair for pair, whole in later_compositions().items()}


@cache
def _later_compatible() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for table, letters in _LATER_COMPATIBLE:
        codes = (chr(code) for first, last in ranges_of(table) for code in range(first, last + 1))
        found |= dict(zip(codes, letters, strict=True))
    return found | _LATER_LIGATURES
