"""Where a text can be cut for the normalizers, and how a part of it is normalized."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate, product
from typing import Any, TypeAlias

from reftok.limits import MOST_GROWTH
from reftok.rules.huggingface.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Precompiled,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    UnicodeForm,
)
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.streams.cuts.normalization_boundaries import BEGINS, ENDS, boundaries
from reftok.streams.cuts.splits import Step, pattern_step
from reftok.unicode.characters import WHITE_SPACE, is_control, is_normalized
from reftok.unicode.graphemes import JOINED_BY_MARKS_ONLY, class_letters, graphemes

Cut: TypeAlias = Callable[[Any, str, int, bool], int]
"""Given a normalizer, the beginning of a text, a limit and whether the text begins there: the last cut up to the limit.

It is a cut whatever follows the text; the other side of it is normalized by `part_of(normalizer, begins=False, ...)`.
"""

_BLANKS = "".join(sorted(WHITE_SPACE))
_ESCAPED_BYTES = "".join(map(chr, range(0xDC80, 0xDD00)))
_MOST_TRIES = 32
"""A cut of the first normalizer that is none of the others is tried so often a character earlier; then there is none."""


def _anywhere(normalizer: Normalizer, text: str, limit: int, begins: bool) -> int:
    return limit


def _form(normalizer: UnicodeForm, text: str, limit: int, begins: bool) -> int:
    kinds = boundaries(normalizer.form)
    for place in range(limit, 0, -1):
        if kinds[text[place - 1]] & ENDS or (place < len(text) and kinds[text[place]] & BEGINS):
            return place
    return 0


def _bert(normalizer: BertNormalizer, text: str, limit: int, begins: bool) -> int:
    if not (normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents):
        return limit
    kinds = boundaries("NFD")

    def kind(character: str) -> int:
        # What is removed before the decomposition leaves its neighbours side by side.
        return 0 if normalizer.clean_text and is_control(character) else kinds[character]

    for place in range(limit, 0, -1):
        if kind(text[place - 1]) & ENDS or (place < len(text) and kind(text[place]) & BEGINS):
            return place
    return 0


def _precompiled(normalizer: Precompiled, text: str, limit: int, begins: bool) -> int:
    # What follows may join the last cluster. At any boundary before it the text can be cut: no rule of UAX #29 looks
    # past one but that for regional indicators, and before a boundary between two of them their number is even.
    *starts, _ = accumulate(map(len, graphemes(text)), initial=0)
    return max((start for start in starts if start <= limit), default=0)


def _strip(normalizer: Strip, text: str, limit: int, begins: bool) -> int:
    if normalizer.strip_right:
        limit = min(limit, len(text.rstrip(_BLANKS)))
    leading = len(text) - len(text.lstrip(_BLANKS)) if normalizer.strip_left and begins else 0
    return limit if limit > leading else 0


def _replace(normalizer: Replace, text: str, limit: int, begins: bool) -> int:
    step = pattern_step(normalizer.pattern)
    if isinstance(step, str) or 1 + 2 * len(normalizer.content) > MOST_GROWTH:
        return 0
    return step.cut(text, limit)[1]


def _read_code_points(normalizer: ReadCodePoints, text: str, limit: int, begins: bool) -> int:
    if limit < len(text) and not "\udc80" <= text[limit] <= "\udcff":
        return limit
    return len(text[:limit].rstrip(_ESCAPED_BYTES))


def _sentencepiece(normalizer: SentencePieceNormalizer, text: str, limit: int, begins: bool) -> int:
    trims = normalizer.options.remove_extra_whitespaces
    space = SPACE_SYMBOL + " "
    last = position = 0
    is_begun = not begins
    while position < limit and not _is_open(normalizer, text, position):
        part, length = normalizer.prefix(text, position)
        position += length
        is_begun = is_begun or part != " " or not trims
        # Spaces at the end may be trimmed, and those that follow are collapsed.
        if position <= limit and is_begun and part and not (trims and part[-1] in space):
            last = position
    return last


def _is_open(normalizer: SentencePieceNormalizer, text: str, position: int) -> bool:
    """Whether longer text could have a longer symbol or rule at a position."""
    symbols, charsmap = normalizer.symbols, normalizer.charsmap
    if symbols is not None and text[position] in symbols.first_characters and symbols.every.may_continue(text, position):
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


_CUTS: Mapping[type[Any], Cut] = {
    **dict.fromkeys((Nmt, StripAccents, Lowercase, ByteLevel, BertText, Prepend), _anywhere),
    **dict.fromkeys((UnicodeForm, NFC, NFD, NFKC, NFKD), _form),
    BertNormalizer: _bert,
    Precompiled: _precompiled,
    Strip: _strip,
    Replace: _replace,
    ReadCodePoints: _read_code_points,
    SentencePieceNormalizer: _sentencepiece,
}
"""By class; one that is not here, derived ones too, has no cut."""


def _nowhere(normalizer: Normalizer, text: str, limit: int, begins: bool) -> int:
    return 0


def why_uncut(normalizer: Normalizer) -> str:
    """Why there is no cut for a normalizer, '' if there are some."""
    if type(normalizer) not in _CUTS:
        return f"{type(normalizer).__name__} is not streamed"
    if isinstance(normalizer, Replace):
        if 1 + 2 * len(normalizer.content) > MOST_GROWTH:
            return "Replace refuses a long text that it makes much longer"
        step = pattern_step(normalizer.pattern)
        return step if isinstance(step, str) else ""
    return ""


def part_of(normalizer: Normalizer, begins: bool, ends: bool) -> Normalizer | None:
    """The normalizer for a part of a text; None if it leaves such a part as it is. begins, ends: whether the text does."""
    if type(normalizer) is Prepend:
        return normalizer if begins else None
    if type(normalizer) is Strip:
        return Strip(normalizer.strip_left and begins, normalizer.strip_right and ends)
    if type(normalizer) is SentencePieceNormalizer:
        return SentencePieceNormalizer(normalizer.options, normalizer.charsmap, normalizer.symbols, begins, ends)
    return normalizer


class Normalized:
    """The beginning of a text and what the normalizers surely make of it.

    text: normalized.
    limit: the last place in it that is the image of a cut of all normalizers; what is behind it is only known.
    """

    def __init__(self, normalization: Normalization, raw: NormalizedString, begins: bool) -> None:
        self._normalization = normalization
        self._begins = begins
        self._texts = [raw]
        self._limits = [len(raw)]
        for normalizer, part in normalization.parts[begins, False]:
            text, limit = self._texts[-1], self._limits[-1]
            cut = _CUTS.get(type(normalizer), _nowhere)
            known = cut(normalizer, text.text, len(text), begins)
            lower = known if known <= limit else cut(normalizer, text.text, limit, begins)
            out = _applied(part, text, known)
            self._limits.append(len(out) if lower == known else len(_applied(part, text, lower)))
            self._texts.append(_with_known(normalizer, text, known, out))
        self.text = self._texts[-1]
        self.limit = self._limits[-1]

    def raw_cut(self, limit: int, most: int) -> tuple[int, list[int]]:
        """The last cut of the raw text, `most` at most, whose image is not behind a limit; it and its images."""
        if not self._normalization.normalizers:
            cut = min(limit, most)
            return cut, [cut]
        raw, text = self._texts[0], self.text
        guess = len(raw)
        if limit < len(text):
            guess = limit if text.text == raw.text[: len(text)] else text.spans()[limit][0] - raw.original_start
        guess = min(guess, most)
        for _ in range(_MOST_TRIES):
            images = self._images(guess)
            if images and images[-1] <= limit:
                return images[0], images
            guess = (images[0] if images else guess) - 1
            if guess <= 0:
                break
        return 0, [0]

    def _images(self, place: int) -> list[int]:
        """A place in the raw text and its images, [] if it is no cut of each normalizer; the first moves it back."""
        images: list[int] = []
        steps = self._normalization.parts[self._begins, False]
        for (normalizer, part), text in zip(steps, self._texts, strict=False):
            cut = _CUTS.get(type(normalizer), _nowhere)(normalizer, text.text, place, self._begins)
            if not images:
                images.append(cut)
            elif cut != place:
                return []
            place = len(_applied(part, text, cut))
            images.append(place)
        return images


class Normalization:
    """The normalizers of a pipeline, for the parts of a text.

    parts: by whether the text begins and ends with the part, each normalizer and what it is for that.
    """

    def __init__(self, normalizers: tuple[Normalizer, ...]) -> None:
        self.normalizers = normalizers
        self.parts = {
            (begins, ends): [(normalizer, part_of(normalizer, begins, ends)) for normalizer in normalizers]
            for begins, ends in product((True, False), repeat=2)
        }

    def settled(self, text: NormalizedString, begins: bool) -> Normalized:
        """What is settled of the beginning of a text."""
        return Normalized(self, text, begins)

    def last(self, text: NormalizedString, begins: bool) -> list[NormalizedString]:
        """The last part of a text, behind each normalizer. begins: whether it is the only one."""
        texts = [text]
        for _, part in self.parts[begins, True]:
            texts.append(_applied(part, texts[-1], len(texts[-1])))
        return texts


def _applied(normalizer: Normalizer | None, text: NormalizedString, end: int) -> NormalizedString:
    """What a normalizer makes of a text up to a place."""
    if end < len(text):
        alignments = None if text.alignments is None else text.alignments[:end]
        text = NormalizedString(text.text[:end], text.original_start, alignments)
    if normalizer is None or (isinstance(normalizer, UnicodeForm) and is_normalized(normalizer.form, text.text)):
        return text
    return normalizer.normalize(text)


def _with_known(
    normalizer: Normalizer, text: NormalizedString, cut: int, normalized: NormalizedString
) -> NormalizedString:
    """The normalized text, with a last character that stays the same whatever joins its cluster."""
    if type(normalizer) is not Precompiled or cut + 1 != len(text):
        return normalized
    last = text.text[cut]
    if class_letters(last) != JOINED_BY_MARKS_ONLY or normalizer.charsmap.has_part(last):
        return normalized
    # No rule has the cluster: its characters are looked up one by one.
    spans = [*normalized.spans(), text.original_span(cut, cut + 1)]
    return NormalizedString(normalized.text + last, normalized.original_start, spans)
