"""The normalizers that most models have, fast.

A normalizer that rewrites parts of a text apart from each other (characters, grapheme clusters, what stands between two
normalization boundaries) is asked once for each such part. Other normalizers are asked themselves. The alignment with
the original is worked out only if somebody asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

from reftok.fast.lazy_string import LazyString
from reftok.fast.memo import Memo
from reftok.fast.normalization_boundaries import segments
from reftok.fast.sentencepiece_normalizer import FastSentencePieceNormalizer
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
    StripAccents,
    UnicodeForm,
)
from reftok.rules.llama_cpp.wpm import BertText, SimpleLowercase
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.rules.types import Span
from reftok.unicode.characters import CharacterTable, is_normalized, quickly_normalized
from reftok.unicode.forms import Change
from reftok.unicode.graphemes import graphemes

Part: TypeAlias = tuple[str, tuple[int, ...]]
"""What becomes of a part of the text, and for each code point of that the index of the old one that it stands for."""

_FORMS = (UnicodeForm, NFC, NFD, NFKC, NFKD)
_BY_CHARACTER = (Nmt, StripAccents, Lowercase, ByteLevel, BertText, SimpleLowercase)
_CLUSTERS_OF_ONE = re.compile(
    "[\\0-\f\x0e-\xa8\xaa-\xac\xaf-\u02ff\u0370-\u0482\u048a-\u0590\u2010-\u2027\u3000-\u3029\u3041-\u3096\u309b-\u30ff"
    "\u3400-\u9fff\uff01-\uff9d]*"
)
"""Some common characters that are grapheme clusters of their own if nothing else is around."""


def fast_normalizer(normalizer: Normalizer) -> Normalizer:
    r"""The fast form of a normalizer, the normalizer itself if it has none. A derived class may have a rule of its own.

    >>> fast_normalizer(NFC()).normalize(NormalizedString("e\u0301")).spans()
    [(0, 1)]
    """
    kind = type(normalizer)
    if isinstance(normalizer, UnicodeForm) and kind in _FORMS:
        return FastForm(normalizer)
    if kind in _BY_CHARACTER:
        return ByCharacter(normalizer)
    if isinstance(normalizer, BertNormalizer) and kind is BertNormalizer and not normalizer.decomposes:
        return ByCharacter(normalizer)
    if isinstance(normalizer, Precompiled) and kind is Precompiled:
        return FastPrecompiled(normalizer)
    if isinstance(normalizer, SentencePieceNormalizer) and kind is SentencePieceNormalizer:
        return FastSentencePieceNormalizer(normalizer)
    match normalizer:
        case Replace(str() as pattern, content) if kind is Replace and len(pattern) == len(content) == 1:
            return OneForOne(pattern, content)
        case Prepend() if kind is Prepend:
            return FastPrepend(normalizer)
    return normalizer


class FastForm:
    """A Unicode normalization form: most texts have it already."""

    def __init__(self, normalizer: UnicodeForm) -> None:
        self._normalizer = normalizer
        self._parts: Memo[Part] = Memo(self._part)

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        form, text = self._normalizer.form, normalized.text
        if is_normalized(form, text):
            return normalized
        rewritten = quickly_normalized(form, text)
        if rewritten is None:
            rewritten = "".join([part for part, _ in map(self._parts.__getitem__, segments(form, text))])
        return LazyString(rewritten, normalized.original_start, lambda: self._alignment(normalized))

    def _part(self, part: str) -> Part:
        found = self._normalizer.normalize(NormalizedString(part))
        # Each character stands for one old one: what a decomposition inserts comes behind the one that it replaces.
        return found.text, tuple([start for start, _ in found.spans()])

    def _alignment(self, normalized: NormalizedString) -> list[Span]:
        parts = segments(self._normalizer.form, normalized.text)
        starts = accumulate(map(len, parts), initial=0)
        found = map(self._parts.__getitem__, parts)
        old = normalized.spans()
        return [old[start + index] for start, (_, indexes) in zip(starts, found, strict=False) for index in indexes]


class ByCharacter:
    """A normalizer that rewrites each character by itself."""

    def __init__(self, normalizer: Normalizer) -> None:
        self._table = CharacterTable(lambda character: normalizer.normalize(NormalizedString(character)).text)

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        rewritten = text.translate(self._table)
        if rewritten == text:
            return normalized
        return LazyString(rewritten, normalized.original_start, lambda: self._alignment(normalized))

    def _alignment(self, normalized: NormalizedString) -> list[Span]:
        pairs = zip(normalized.text, normalized.spans(), strict=True)
        return [span for character, span in pairs for _ in self._table[ord(character)]]


class FastPrecompiled:
    """The character map of a sentencepiece model as `tokenizers` applies it, cluster by cluster."""

    def __init__(self, normalizer: Precompiled) -> None:
        self._normalizer = normalizer
        self._parts: Memo[str] = Memo(self._part)
        self._table = CharacterTable(self._parts.__getitem__)

    def _part(self, cluster: str) -> str:
        if len(cluster) > 1 and len(cluster.encode("utf-8")) >= 6:
            # The rule looks such a cluster up character by character; joined emoji can be one of any length.
            return cluster.translate(self._table)
        changes: list[Change] = []
        self._normalizer.add_changes(cluster, changes)
        return "".join([character for character, _ in changes])

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        clusters: Sequence[str] = text
        if _CLUSTERS_OF_ONE.fullmatch(text):
            rewritten = text.translate(self._table)
        else:
            clusters = graphemes(text)
            rewritten = "".join(map(self._parts.__getitem__, clusters))
        # Rules that remove one character and insert another may give the same text with another alignment.
        if rewritten == text and all(self._parts[cluster] == cluster for cluster in {*clusters}):
            return normalized
        # What is removed goes with the character written before it, in whatever cluster that is: so the alignment is
        # that of the whole text.
        return LazyString(rewritten, normalized.original_start, lambda: self._normalizer.normalize(normalized).spans())


class OneForOne:
    """One character for another: the alignment stays as it is."""

    def __init__(self, pattern: str, content: str) -> None:
        self._pattern = pattern
        self._content = content

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text.replace(self._pattern, self._content)
        return normalized if text == normalized.text else LazyString(text, normalized.original_start, normalized.spans)


class FastPrepend:
    """A fixed text before every text that is not empty."""

    def __init__(self, normalizer: Prepend) -> None:
        self._normalizer = normalizer

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text, prefix = normalized.text, self._normalizer.prepend
        if not text or not prefix:
            return normalized
        align = lambda: self._normalizer.normalize(normalized).spans()
        return LazyString(prefix + text, normalized.original_start, align)
