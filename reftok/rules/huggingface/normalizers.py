"""The normalizers of tokenizer.json.

Source: tokenizers 0.23, folder normalizers/. Each class is named as the `type` in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.patterns import pattern_matches
from reftok.rules.text import NormalizedString, substitute_each
from reftok.unicode.characters import (
    WHITE_SPACE,
    Form,
    is_chinese,
    is_combining_mark,
    is_control,
    is_nonspacing_mark,
    lower_case,
)
from reftok.unicode.charsmap import Charsmap
from reftok.unicode.forms import Change, decompose, recompose
from reftok.unicode.graphemes import graphemes


class UnicodeForm:
    r"""A Unicode normalization form, with the tables of Unicode 9.0.

    Source: crate unicode-normalization-alignments 0.1 (decompose.rs, recompose.rs, UNICODE_VERSION in tables.rs).

    >>> UnicodeForm("NFC").normalize(NormalizedString("e\u0301")).spans()
    [(0, 1)]
    """

    def __init__(self, form: Form) -> None:
        self.form = form

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        changes = decompose(normalized.text, compatible="K" in self.form)
        if self.form.endswith("C"):
            changes = recompose(changes)
        return normalized.transform(changes)


class NFC(UnicodeForm):
    """Canonical decomposition, then composition."""

    def __init__(self) -> None:
        super().__init__("NFC")


class NFD(UnicodeForm):
    """Canonical decomposition."""

    def __init__(self) -> None:
        super().__init__("NFD")


class NFKC(UnicodeForm):
    """Compatible decomposition, then composition."""

    def __init__(self) -> None:
        super().__init__("NFKC")


class NFKD(UnicodeForm):
    """Compatible decomposition."""

    def __init__(self) -> None:
        super().__init__("NFKD")


@dataclass(frozen=True, slots=True)
class Prepend:
    """A fixed text before every text that is not empty; it shares the alignment of the first character.

    >>> Prepend("▁").normalize(NormalizedString("a")).spans()
    [(0, 1), (0, 1)]
    """

    prepend: str

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return normalized.prepend(self.prepend)


@dataclass(frozen=True, slots=True)
class Replace:
    """Every match of a pattern becomes a fixed text.

    pattern: a str is matched literally. After an empty match the library's alignment is wrong; only stages that
        replace and cut do not show it, and tokenizer.json files with other stages after it are refused.
    Raises ModelFormatError if it makes the text too long.

    >>> Replace("ab", "x").normalize(NormalizedString("cab")).spans()
    [(0, 1), (2, 3)]
    """

    pattern: str | Pattern
    content: str

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        matches = pattern_matches(self.pattern, text)
        if not any(is_match for _, _, is_match in matches):
            return normalized
        # Before the text is built: a single match may become a million characters.
        refuse_expansion(len(text) + len(self.content) * sum(is_match for _, _, is_match in matches), len(text))
        return normalized.replace(matches, self.content)


@dataclass(frozen=True, slots=True)
class Strip:
    """White space off the ends.

    >>> Strip(True, True).normalize(NormalizedString(" a ")).spans()
    [(1, 2)]
    """

    strip_left: bool
    strip_right: bool

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        start, end = 0, len(text)
        while self.strip_left and start < end and text[start] in WHITE_SPACE:
            start += 1
        while self.strip_right and end > start and text[end - 1] in WHITE_SPACE:
            end -= 1
        if (start, end) == (0, len(text)):
            return normalized
        # No slice, which would begin at its first character: what is stripped still belongs to the text.
        return NormalizedString(text[start:end], normalized.original_start, normalized.spans()[start:end])


@dataclass(frozen=True, slots=True)
class Precompiled:
    """The character map of a sentencepiece model, as `tokenizers` applies it.

    Source: tokenizers 0.23 normalizers/precompiled.rs and the crate spm_precompiled. Quirks: a grapheme cluster of
    fewer than 6 bytes is looked up as a whole, the *shortest* rule that matches at its start wins, and the rest of the
    cluster is dropped; otherwise each code point is looked up alone. sentencepiece takes the longest rule at each byte.
    """

    charsmap: Charsmap

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        changes: list[Change] = []
        return normalized.transform(changes) if self.add_changes(normalized.text, changes) else normalized

    def add_changes(self, text: str, changes: list[Change]) -> bool:
        """Append the changes that rewrite `text` to those of the text before it; whether any rule matched."""
        modified = False
        shortest_prefix = self.charsmap.shortest_prefix
        for cluster in graphemes(text):
            if len(cluster.encode("utf-8")) < 6:
                replacement = shortest_prefix(cluster)
                if replacement is not None:
                    modified = True
                    _substitute(changes, cluster, replacement)
                    continue
            for character in cluster:  # the cluster is long, or has no rule
                replacement = shortest_prefix(character)
                if replacement is None:
                    changes.append((character, 0))
                else:
                    modified = True
                    _substitute(changes, character, replacement)
        return modified


def _substitute(changes: list[Change], old: str, new: str) -> None:
    """Append `new` in place of `old`: surplus new characters are insertions, surplus old ones belong to the last one.

    If `new` is empty and nothing was written before, the removal is lost, as in the library.
    """
    changes.extend((character, 0) for character in new)
    surplus = len(new) - len(old)
    if surplus > 0:  # the last ones count as inserted
        for index in range(len(changes) - surplus, len(changes)):
            changes[index] = changes[index][0], 1
    elif surplus < 0 and changes:
        character, change = changes[-1]
        changes[-1] = character, change + surplus


@dataclass(frozen=True, slots=True)
class Nmt:
    r"""Control characters are removed; what sentencepiece's rule `nmt` counts as white space becomes a space.

    Source: normalizers/unicode.rs. Quirks: only two of the controls U+0080 to U+009F are removed, and U+0085 and U+00A0
    stay.

    >>> Nmt().normalize(NormalizedString("\x07\u200b▁a")).text
    '  a'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, lambda character: _NMT.get(character, character))


_NMT = dict.fromkeys([*map(chr, range(0x01, 0x20)), "\x7f", "\x8f", "\x9f"], "") | dict.fromkeys(
    "\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029▁\ufeff\ufffd", " "
)


@dataclass(frozen=True, slots=True)
class StripAccents:
    r"""Combining marks are removed, spacing and enclosing ones as well; precomposed characters keep their accents.

    Source: normalizers/strip.rs.

    >>> StripAccents().normalize(NormalizedString("e\u0301é\u0903")).text
    'eé'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, lambda character: "" if is_combining_mark(character) else character)


@dataclass(frozen=True, slots=True)
class Lowercase:
    """Every character in lower case, without regard to its context: a sigma at the end of a word is no exception.

    Source: `NormalizedString::lowercase`, tokenizer/normalizer.rs.

    >>> Lowercase().normalize(NormalizedString("ΟΣ")).text
    'οσ'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, lower_case)


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """Every byte of the text as its character in the map of GPT-2.

    Source: normalizers/byte_level.rs.

    >>> ByteLevel().normalize(NormalizedString("né")).spans()
    [(0, 1), (1, 2), (1, 2)]
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, lambda character: to_byte_characters(character.encode("utf-8")))


@dataclass(frozen=True, slots=True)
class BertNormalizer:
    r"""The cleaning that the BERT models were trained with.

    clean_text: remove control characters, and turn white space into spaces.
    handle_chinese_chars: put a space on either side of every ideograph.
    strip_accents: decompose (NFD) and remove the marks; None does what `lowercase` does.
    lowercase: as Lowercase.
    Source: normalizers/bert.rs.

    >>> BertNormalizer(True, True, None, True).normalize(NormalizedString("É\x07\t中")).text
    'e  中 '
    """

    clean_text: bool
    handle_chinese_chars: bool
    strip_accents: bool | None
    lowercase: bool

    @property
    def decomposes(self) -> bool:
        """Whether accents are stripped."""
        return self.lowercase if self.strip_accents is None else self.strip_accents

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        if self.clean_text:
            normalized = substitute_each(normalized, _cleaned)
        if self.handle_chinese_chars:
            normalized = substitute_each(normalized, _set_apart)
        if self.decomposes:  # so marks that were precomposed are removed as well, unlike with StripAccents
            normalized = substitute_each(NFD().normalize(normalized), _unaccented)
        if self.lowercase:
            normalized = substitute_each(normalized, lower_case)
        return normalized


def _cleaned(character: str) -> str:
    if is_control(character):
        return ""
    return " " if character in WHITE_SPACE else character


def _set_apart(character: str) -> str:
    return f" {character} " if is_chinese(character) else character


def _unaccented(character: str) -> str:
    return "" if is_nonspacing_mark(character) else character
