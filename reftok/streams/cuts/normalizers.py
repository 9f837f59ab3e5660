"""What the normalizers surely make of the beginning of a text, and of how much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from reftok.fast.normalization_boundaries import BEGINS, ENDS, boundaries
from reftok.fast.normalizers import fast_normalizer
from reftok.limits import MOST_GROWTH
from reftok.rules.huggingface import normalizers as rules
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import BertText, SimpleLowercase
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.streams.cuts.patterns import Rewrite, replacing
from reftok.unicode.characters import WHITE_SPACE, is_control
from reftok.unicode.graphemes import JOINED_BY_MARKS_ONLY, MARKS, class_letters, graphemes

_BLANKS = "".join(sorted(WHITE_SPACE))
_ESCAPED_BYTES = "".join(map(chr, range(0xDC80, 0xDD00)))


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


class SentencePieceState(NamedTuple):
    """What the normalizer of sentencepiece keeps between two fragments of a text.

    rest: the text that a longer rule or symbol may match. spaces: how many spaces are held, which may be the last.
    is_begun: whether anything but spaces to be removed came before. follows_space: whether that ended with a space.
    """

    rest: str = ""
    spaces: int = 0
    is_begun: bool = False
    follows_space: bool = True

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self.rest) + self.spaces


def sentencepiece(
    normalizer: SentencePieceNormalizer, state: SentencePieceState, fragment: str, ends: bool
) -> tuple[str, SentencePieceState]:
    """The text that a fragment of a text makes sure. Also the denormalizer of a decoder.

    >>> text, state = sentencepiece(SentencePieceNormalizer(), SentencePieceState(), "a ", False)
    >>> text, state.held, sentencepiece(SentencePieceNormalizer(), state, " b", True)[0]
    ('▁a', 1, '▁b')
    """
    options = normalizer.options
    trims, space = options.remove_extra_whitespaces, SPACE_SYMBOL if options.escape_whitespaces else " "
    rest, spaces, was_begun, follows_space = state
    text, position, parts = rest + fragment, 0, list[str]()
    is_begun = was_begun or (bool(text) and not trims)
    while position < len(text) and (ends or not _is_open(normalizer, text, position)):
        part, length = normalizer.prefix(text, position)
        position += length
        if not is_begun and part == " ":
            continue
        is_begun = True
        part = part.lstrip(" ") if trims and follows_space else part
        follows_space = part.endswith(" ") if part else follows_space
        parts.append(part.replace(" ", space))
    is_prefixed = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
    ready = space * spaces + space * (is_prefixed and is_begun and not was_begun) + "".join(parts)
    kept = ready.rstrip(space) if trims else ready
    spaces = len(ready) - len(kept)
    if ends and is_begun and options.add_dummy_prefix and options.treat_whitespace_as_suffix:
        kept += space
    return kept, SentencePieceState(text[position:], spaces, is_begun, follows_space)


sentencepiece_of_short = lru_cache(maxsize=1 << 12)(sentencepiece)
"""For fragments that are likely to come again."""


def _is_open(normalizer: SentencePieceNormalizer, text: str, position: int) -> bool:
    """Whether longer text could have a longer symbol or rule at a position."""
    symbols, charsmap = normalizer.symbols, normalizer.charsmap
    if symbols is not None and symbols.every.may_continue(text, position):
        return True
    if charsmap is None or (symbols is not None and symbols.length_at(text, position)):
        return False
    node = charsmap.root()
    for character in text[position:]:
        found = charsmap.step(node, character.encode("utf-8", "surrogateescape"))
        if found is None:
            return False
        node, _ = found
    return True


NORMALIZERS: Mapping[type[Any], Callable[[Any], Rewrite]] = {
    **dict.fromkeys(
        (rules.Nmt, rules.StripAccents, rules.Lowercase, rules.ByteLevel, BertText, SimpleLowercase),
        lambda step: _at_cut(step, len),
    ),
    **dict.fromkeys((rules.UnicodeForm, rules.NFC, rules.NFD, rules.NFKC, rules.NFKD), _form),
    rules.BertNormalizer: _bert,
    rules.Precompiled: _precompiled,
    rules.Prepend: _prepend,
    rules.Strip: _strip,
    rules.Replace: _replace,
    ReadCodePoints: lambda step: _at_cut(step, lambda tail: len(tail.rstrip(_ESCAPED_BYTES))),
}
r"""By class, which derived classes do not share.

>>> NORMALIZERS[rules.NFC](rules.NFC()).rewrite("e\u0301a", "", False)
('é', 2)
"""
