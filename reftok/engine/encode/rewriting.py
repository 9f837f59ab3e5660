r"""The fast path of `reftok.rules.huggingface.normalizers`: the text alone, and how much longer it becomes.

    rewriter(normalizer)(text) == normalizer.normalize(NormalizedString(text)).text

for every normalizer and text; tests/reftok/engine/encode/test_rewriting.py holds them equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache, lru_cache
from math import inf, prod
from typing import Any, TypeAlias

from reftok.engine.caches import Results
from reftok.limits import MOST_GROWTH
from reftok.rules.byte_level import to_byte_characters
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
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import WHITE_SPACE, CharacterTable, quickly_normalized
from reftok.unicode.charsmap import Charsmap
from reftok.unicode.forms import decompose, recompose
from reftok.unicode.graphemes import graphemes

BLANKS = "".join(sorted(WHITE_SPACE))
"""White space, for the methods of str."""

Rewrite: TypeAlias = Callable[[str], str]

_MOST_CLUSTERS = 1 << 15

CLUSTERS_OF_ONE = re.compile(
    "[\\0-\f\x0e-\xa8\xaa-\xac\xaf-\u02ff\u0370-\u0482\u048a-\u0590\u2010-\u2027\u3000-\u3029\u3041-\u3096\u309b-\u30ff"
    "\u3400-\u9fff\uff01-\uff9d]*"
)
"""Some common characters that are grapheme clusters of their own, whatever is before them, if one of them follows."""


def rewriter(normalizer: Normalizer) -> Rewrite:
    r"""The fast path of a normalizer; of one that has none, its own `normalize`.

    >>> from reftok.rules.huggingface.normalizers import NFC
    >>> rewriter(NFC())("e\u0301")
    'é'
    """
    return _remembered(normalizer) if isinstance(normalizer, Hashable) else _made(normalizer)


def _made(normalizer: Normalizer) -> Rewrite:
    return _REWRITES.get(type(normalizer), _of_whole_text)(normalizer)


_remembered = lru_cache(maxsize=64)(_made)


def _of_whole_text(normalizer: Normalizer) -> Rewrite:
    return lambda text: _normalized(normalizer, text)


def _replace(normalizer: Replace) -> Rewrite:
    pattern, content = normalizer.pattern, normalizer.content
    if not isinstance(pattern, str) or not pattern:
        return _of_whole_text(normalizer)
    return lambda text: text.replace(pattern, content)


def _prepend(normalizer: Prepend) -> Rewrite:
    return lambda text: text and normalizer.prepend + text


def _strip(normalizer: Strip) -> Rewrite:
    left, right = BLANKS * normalizer.strip_left, BLANKS * normalizer.strip_right
    return lambda text: text.lstrip(left).rstrip(right)


def _normalized(normalizer: Normalizer, text: str) -> str:
    return normalizer.normalize(NormalizedString(text)).text


def _by_character(normalizer: Normalizer) -> Rewrite:
    """For normalizers that rewrite each character by itself."""
    table = CharacterTable(lambda character: _normalized(normalizer, character))
    return lambda text: text.translate(table)


def _form(normalizer: UnicodeForm) -> Rewrite:
    form = normalizer.form

    def rewrite(text: str) -> str:
        quick = quickly_normalized(form, text)
        if quick is not None:
            return quick
        changes = decompose(text, compatible="K" in form)
        return "".join(character for character, _ in (recompose(changes) if form.endswith("C") else changes))

    return rewrite


@cache
def bert_steps(normalizer: BertNormalizer) -> tuple[BertNormalizer, BertNormalizer]:
    """The same in two steps: what is done before the decomposition, and what with it and after it.

    >>> bert_steps(BertNormalizer(True, False, None, True))[1]
    BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=True)
    """
    before = BertNormalizer(normalizer.clean_text, normalizer.handle_chinese_chars, False, False)
    strips = normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents
    return before, BertNormalizer(False, False, strips, normalizer.lowercase)


def _bert(normalizer: BertNormalizer) -> Rewrite:
    before, after = bert_steps(normalizer)
    if not after.strip_accents:
        return _by_character(normalizer)
    first = CharacterTable(lambda character: _normalized(before, character))
    decomposed = _form(NFD())
    last = CharacterTable(lambda character: _normalized(after, character))

    def rewrite(text: str) -> str:
        return decomposed(text.translate(first)).translate(last)

    return rewrite


def _precompiled(normalizer: Precompiled) -> Rewrite:
    replacements = Results(normalizer.charsmap.shortest_prefix, longest=5)

    def of_character(character: str) -> str:
        replacement = replacements[character]
        return character if replacement is None else replacement

    def of_cluster(cluster: str) -> str:
        replacement = replacements[cluster] if len(cluster.encode("utf-8")) < 6 else None
        return "".join(map(of_character, cluster)) if replacement is None else replacement

    clusters = Results(of_cluster, capacity=_MOST_CLUSTERS)
    characters = CharacterTable(of_character)

    def rewrite(text: str) -> str:
        if CLUSTERS_OF_ONE.fullmatch(text) is not None:
            return text.translate(characters)
        return "".join(map(clusters.__getitem__, graphemes(text)))

    return rewrite


_REWRITES: Mapping[type[Any], Callable[[Any], Rewrite]] = {
    **dict.fromkeys((UnicodeForm, NFC, NFD, NFKC, NFKD), _form),
    **dict.fromkeys((Nmt, StripAccents, Lowercase, BertText), _by_character),
    BertNormalizer: _bert,
    Precompiled: _precompiled,
    ByteLevel: lambda _: lambda text: to_byte_characters(text.encode("utf-8")),
    Replace: _replace,
    Prepend: _prepend,
    Strip: _strip,
}

_GROWTH: Mapping[type[Any], Callable[[Any], float]] = {
    **dict.fromkeys((Nmt, Strip, StripAccents), lambda _: 1),
    Lowercase: lambda _: 3,
    ByteLevel: lambda _: 4,
    **dict.fromkeys((UnicodeForm, NFC, NFD, NFKC, NFKD), lambda _: 18),
    BertNormalizer: lambda _: 3 * 3 * 4,
    Prepend: lambda step: 1 + len(step.prepend),
    # A pattern may match nothing, before each character and behind the last.
    Replace: lambda step: 1 + 2 * len(step.content),
    # The space that is put before the text is one more.
    SentencePieceNormalizer: lambda step: (
        1 + (1 if step.charsmap is None else max(1, longest_replacement(step.charsmap)))
    ),
    Precompiled: lambda step: max(1, longest_replacement(step.charsmap)),
}
"""Lowercase: U+0130 becomes two code points, and none more than three. ByteLevel: bytes of UTF-8. UnicodeForm: U+FDFA
becomes 18 code points in NFKD, as many as any. BertNormalizer: spaces around a character, lower case, and NFD.
Of a class that is not here, derived ones too, nothing is known."""


def may_grow_too_much(normalizers: Iterable[Normalizer]) -> bool:
    """Whether there can be a text that `reftok.limits.growth.refuse_expansion` refuses behind one of them.

    >>> may_grow_too_much([Prepend("▁"), Replace(" ", "▁")]), may_grow_too_much([Replace(" ", 1000 * "▁")])
    (False, True)
    """
    return prod(map(most_growth, normalizers)) > MOST_GROWTH


def most_growth(normalizer: Normalizer) -> float:
    """How many times as long it makes a text at most, and at least 1."""
    return _GROWTH.get(type(normalizer), lambda _: inf)(normalizer)


def longest_replacement(charsmap: Charsmap) -> int:
    """The size of the longest replacement, in bytes."""
    return max(map(len, charsmap.replacements.split(b"\0")))
