"""What the normalizers surely make of the beginning of a text, and of how much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import product
from typing import Any

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
from reftok.streams.cuts.patterns import Rewrite, replacing
from reftok.unicode.characters import WHITE_SPACE, is_control
from reftok.unicode.graphemes import JOINED_BY_MARKS_ONLY, MARKS, class_letters, graphemes

_BLANKS = "".join(sorted(WHITE_SPACE))
_ESCAPED_BYTES = "".join(map(chr, range(0xDC80, 0xDD00)))
_SHORT = 16


def _at_cut(normalizer: Normalizer, cut: Callable[[str], int]) -> Rewrite:
    """A normalizer that rewrites the two sides of a place apart. cut: the last such place of a tail."""
    fast = fast_normalizer(normalizer)

    def rewrite(tail: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(tail) if ends else cut(tail)
        return fast.normalize(NormalizedString(tail[:end])).text if end else "", end

    return Rewrite(rewrite)


def _last_boundary(kind: Callable[[str], int]) -> Callable[[str], int]:
    """Finds the last place where a text can be cut for a normalization form, however it goes on."""

    def cut(tail: str) -> int:
        for place in range(len(tail), 0, -1):
            if kind(tail[place - 1]) & ENDS or (place < len(tail) and kind(tail[place]) & BEGINS):
                return place
        return 0

    return cut


def _form(normalizer: rules.UnicodeForm) -> Rewrite:
    return _at_cut(normalizer, _last_boundary(boundaries(normalizer.form).__getitem__))


def _bert(normalizer: rules.BertNormalizer) -> Rewrite:
    kinds = boundaries("NFD")

    def kind(character: str) -> int:
        # What is removed before the decomposition leaves its neighbours side by side.
        return 0 if normalizer.clean_text and is_control(character) else kinds[character]

    return _at_cut(normalizer, _last_boundary(kind) if normalizer.decomposes else len)


@lru_cache(maxsize=32)  # for all streams
def _precompiled(normalizer: rules.Precompiled) -> Rewrite:
    fast, has_part = fast_normalizer(normalizer), normalizer.charsmap.has_part

    def is_alone(character: str) -> bool:
        # Nothing but marks joins it, and no rule has a cluster that it begins: its marks are looked up one by one.
        return class_letters(character) == JOINED_BY_MARKS_ONLY and not has_part(character)

    def rewrite(tail: str, before: str, ends: bool) -> tuple[str, int]:
        joining = 0
        if before and (class_letters(before[-1]) in MARKS or is_alone(before[-1])):
            joining = len(tail) - len(class_letters(tail).lstrip(MARKS))
        # What follows may join the last cluster. The text can be cut at any boundary before it: no rule of UAX #29
        # looks past one but that for regional indicators, and before a boundary between two their number is even.
        *_, last = graphemes(tail[joining:]) or [""]
        end = len(tail) if ends or not last or is_alone(last[0]) else len(tail) - len(last)
        parts = [*tail[:joining], tail[joining:end]]
        return "".join([fast.normalize(NormalizedString(part)).text for part in parts if part]), end

    return Rewrite(rewrite)


def _prepend(normalizer: rules.Prepend) -> Rewrite:
    return Rewrite(lambda tail, before, ends: (tail if before or not tail else normalizer.prepend + tail, len(tail)))


def _strip(normalizer: rules.Strip) -> Rewrite:
    def rewrite(tail: str, before: str, ends: bool) -> tuple[str, int]:
        end = len(tail.rstrip(_BLANKS)) if normalizer.strip_right else len(tail)
        kept = tail[:end].lstrip(_BLANKS) if normalizer.strip_left and not before else tail[:end]
        return kept, len(tail) if ends else end if kept else 0

    return Rewrite(rewrite)


def _replace(normalizer: rules.Replace) -> Rewrite:
    if 1 + 2 * len(normalizer.content) > MOST_GROWTH:
        held = _at_cut(normalizer, lambda _: 0)
        return Rewrite(held.rewrite, "Replace refuses a long text that it makes much longer")
    return replacing(normalizer.pattern, normalizer.content)


@lru_cache(maxsize=32)  # for all streams
def _sentencepiece(normalizer: SentencePieceNormalizer) -> Rewrite:
    options, charsmap, symbols = normalizer.options, normalizer.charsmap, normalizer.symbols
    trims = options.remove_extra_whitespaces
    both = True, False
    parts = {ends: SentencePieceNormalizer(options, charsmap, symbols, *ends) for ends in product(both, both)}

    def rewrite(tail: str, before: str, ends: bool) -> tuple[str, int]:
        return (remembered if len(tail) <= _SHORT else rewritten)(tail, not before, ends)

    def rewritten(tail: str, begins: bool, ends: bool) -> tuple[str, int]:
        end = len(tail) if ends else last_cut(tail, begins)
        return parts[begins, ends].rewrite(tail[:end])[0] if end or ends else "", end

    remembered = lru_cache(maxsize=1 << 12)(rewritten)

    def last_cut(tail: str, begins: bool) -> int:
        """The last cut: spaces at the start are removed, those behind another collapsed, those at the end trimmed."""
        cut = position = 0
        is_begun = not (begins and trims)
        ends_with_space = not is_begun
        while position < len(tail) and not is_open(tail, position):
            part, length = normalizer.prefix(tail, position)
            if part:
                if is_begun and ends_with_space and part[0] not in (" ", SPACE_SYMBOL):
                    cut = position
                ends_with_space = trims and part[-1] in (" ", SPACE_SYMBOL)
            is_begun = is_begun or part != " "
            position += length
            if is_begun and not ends_with_space:
                cut = position
        return cut

    def is_open(tail: str, position: int) -> bool:
        """Whether longer text could have a longer symbol or rule at a position."""
        if symbols is not None and symbols.every.may_continue(tail, position):
            return True
        node = None if charsmap is None else charsmap.root()
        for character in tail[position:]:
            found = charsmap and node is not None and charsmap.step(node, character.encode("utf-8", "surrogateescape"))
            if not found:
                return False
            node, _ = found
        return True

    return Rewrite(rewrite)


NORMALIZERS: Mapping[type[Any], Callable[[Any], Rewrite]] = {
    **dict.fromkeys(
        (rules.Nmt, rules.StripAccents, rules.Lowercase, rules.ByteLevel, BertText), lambda step: _at_cut(step, len)
    ),
    **dict.fromkeys((rules.UnicodeForm, rules.NFC, rules.NFD, rules.NFKC, rules.NFKD), _form),
    rules.BertNormalizer: _bert,
    rules.Precompiled: _precompiled,
    rules.Prepend: _prepend,
    rules.Strip: _strip,
    rules.Replace: _replace,
    ReadCodePoints: lambda step: _at_cut(step, lambda tail: len(tail.rstrip(_ESCAPED_BYTES))),
    SentencePieceNormalizer: _sentencepiece,
}
r"""By class, which derived classes do not share.

>>> NORMALIZERS[rules.NFC](rules.NFC()).rewrite("e\u0301a", "", False)
('é', 2)
"""
