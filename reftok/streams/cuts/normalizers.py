"""What the normalizers surely make of the beginning of a text, and of how much of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from reftok.fast.normalization_boundaries import BEGINS, ENDS, boundaries
from reftok.fast.normalizers import fast_normalizer
from reftok.limits import MOST_GROWTH
from reftok.rules.huggingface import normalizers as rules
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.streams.cuts.pre_tokenizers import at_pattern
from reftok.unicode.characters import WHITE_SPACE, is_control, quickly_normalized
from reftok.unicode.graphemes import JOINED_BY_MARKS_ONLY, MARKS, class_letters, graphemes

Rewrite: TypeAlias = Callable[[str, str, bool], tuple[str, int]]
"""Given a text, the character before it, '' if it begins there, and whether it ends: what is sure, and of how much."""

_BLANKS = "".join(sorted(WHITE_SPACE))
_SPACES = (" ", SPACE_SYMBOL)
_SHORT = 16
_ESCAPED_BYTES = "".join(map(chr, range(0xDC80, 0xDD00)))


def rewrite_of(normalizer: Normalizer) -> Rewrite:
    r"""What rewrites a text in parts. normalizer: of a class of `STREAMED`.

    >>> rewrite_of(rules.NFC())("e\u0301a", "", False)
    ('é', 2)
    """
    return _rewrites(normalizer) if isinstance(normalizer, Hashable) else STREAMED[type(normalizer)](normalizer)


@lru_cache(maxsize=64)
def _rewrites(normalizer: Normalizer) -> Rewrite:
    """One for all streams, with what it remembers."""
    return STREAMED[type(normalizer)](normalizer)


def why_uncut(normalizer: Normalizer) -> str:
    """Why nothing is sure before the end of a text, '' if something is."""
    if not isinstance(normalizer, rules.Replace):
        return ""
    if 1 + 2 * len(normalizer.content) > MOST_GROWTH:
        return "Replace refuses a long text that it makes much longer"
    return at_pattern(normalizer.pattern).why_uncut


def _normalized(normalizer: Normalizer, text: str) -> str:
    return normalizer.normalize(NormalizedString(text)).text


def _each_character(normalizer: Normalizer) -> Rewrite:
    return lambda text, before, ends: (_normalized(normalizer, text), len(text))


def _form(normalizer: rules.UnicodeForm) -> Rewrite:
    kinds = boundaries(normalizer.form)

    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(text) if ends else _boundary(kinds.__getitem__, text)
        quick = quickly_normalized(normalizer.form, text[:end])
        return _normalized(normalizer, text[:end]) if quick is None else quick, end

    return rewrite


def _bert(normalizer: rules.BertNormalizer) -> Rewrite:
    if not (normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents):
        return _each_character(normalizer)
    kinds = boundaries("NFD")

    def kind(character: str) -> int:
        # What is removed before the decomposition leaves its neighbours side by side.
        return 0 if normalizer.clean_text and is_control(character) else kinds[character]

    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(text) if ends else _boundary(kind, text)
        return _normalized(normalizer, text[:end]), end

    return rewrite


def _boundary(kind: Callable[[str], int], text: str) -> int:
    """The last place where a text can be cut for a normalization form, however it goes on."""
    for place in range(len(text), 0, -1):
        if kind(text[place - 1]) & ENDS or (place < len(text) and kind(text[place]) & BEGINS):
            return place
    return 0


def _precompiled(normalizer: rules.Precompiled) -> Rewrite:
    has_part = normalizer.charsmap.has_part

    def is_alone(character: str) -> bool:
        # Nothing but marks joins it, and no rule has a cluster that it begins: its marks are looked up one by one.
        return class_letters(character) == JOINED_BY_MARKS_ONLY and not has_part(character)

    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        joining = 0
        if before and (class_letters(before) in MARKS or is_alone(before)):
            joining = len(text) - len(class_letters(text).lstrip(MARKS))
        # What follows may join the last cluster. The text can be cut at any boundary before it: no rule of UAX #29
        # looks past one but that for regional indicators, and before a boundary between two their number is even.
        *_, last = graphemes(text[joining:]) or [""]
        end = len(text) if ends or not last or is_alone(last[0]) else len(text) - len(last)
        marks = "".join([_normalized(normalizer, mark) for mark in text[:joining]])
        return marks + _normalized(normalizer, text[joining:end]), end

    return rewrite


def _prepend(normalizer: rules.Prepend) -> Rewrite:
    return lambda text, before, ends: (text if before or not text else normalizer.prepend + text, len(text))


def _strip(normalizer: rules.Strip) -> Rewrite:
    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(text.rstrip(_BLANKS)) if normalizer.strip_right else len(text)
        kept = text[:end].lstrip(_BLANKS) if normalizer.strip_left and not before else text[:end]
        return kept, len(text) if ends else end if kept else 0

    return rewrite


def _replace(normalizer: rules.Replace) -> Rewrite:
    cuts = at_pattern(normalizer.pattern)
    is_held = bool(why_uncut(normalizer))

    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        if is_held:
            return (_normalized(normalizer, text), len(text)) if ends else ("", 0)
        parts: list[str] = []
        place = 0
        spans, settled = cuts.matches(text, ends)
        for start, end in spans:
            parts += text[place:start], normalizer.content
            place = end
        return "".join([*parts, text[place:settled]]), settled

    return rewrite


def _read_code_points(normalizer: ReadCodePoints) -> Rewrite:
    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(text) if ends else len(text.rstrip(_ESCAPED_BYTES))
        return _normalized(normalizer, text[:end]), end

    return rewrite


def _sentencepiece(normalizer: SentencePieceNormalizer) -> Rewrite:
    trims = normalizer.options.remove_extra_whitespaces
    parts = {
        (begins, ends): SentencePieceNormalizer(
            normalizer.options, normalizer.charsmap, normalizer.symbols, begins=begins, ends=ends
        )
        for begins in (True, False)
        for ends in (True, False)
    }

    def rewrite(text: str, before: str, ends: bool) -> tuple[str, int]:
        return (remembered if len(text) <= _SHORT else rewritten)(text, not before, ends)

    def rewritten(text: str, begins: bool, ends: bool) -> tuple[str, int]:
        end = len(text) if ends else last_cut(text, begins)
        return parts[begins, ends].rewrite(text[:end])[0] if end or ends else "", end

    remembered = lru_cache(maxsize=1 << 12)(rewritten)

    def last_cut(text: str, begins: bool) -> int:
        """Spaces at the start are removed, those behind another collapsed, and those at the end may be trimmed."""
        cut = position = 0
        is_begun = not (begins and trims)
        ends_with_space = not is_begun
        while position < len(text) and not is_open(text, position):
            part, length = normalizer.prefix(text, position)
            if part:
                if is_begun and ends_with_space and part[0] not in _SPACES:
                    cut = position
                ends_with_space = trims and part[-1] in _SPACES
            is_begun = is_begun or part != " "
            position += length
            if is_begun and not ends_with_space:
                cut = position
        return cut

    def is_open(text: str, position: int) -> bool:
        """Whether longer text could have a longer symbol or rule at a position."""
        symbols, charsmap = normalizer.symbols, normalizer.charsmap
        if symbols is not None and symbols.every.may_continue(text, position):
            return True
        if charsmap is None:
            return False
        node = charsmap.root()
        for character in text[position:]:
            found = charsmap.step(node, character.encode("utf-8", "surrogateescape"))
            if found is None:
                return False
            node, _ = found
        return True

    return rewrite


STREAMED: Mapping[type[Any], Callable[[Any], Rewrite]] = {
    **dict.fromkeys((rules.Nmt, rules.StripAccents, rules.Lowercase, rules.ByteLevel, BertText), _each_character),
    **dict.fromkeys((rules.UnicodeForm, rules.NFC, rules.NFD, rules.NFKC, rules.NFKD), _form),
    rules.BertNormalizer: _bert,
    rules.Precompiled: _precompiled,
    rules.Prepend: _prepend,
    rules.Strip: _strip,
    rules.Replace: _replace,
    ReadCodePoints: _read_code_points,
    SentencePieceNormalizer: _sentencepiece,
}
"""By class; derived ones are not known here."""
