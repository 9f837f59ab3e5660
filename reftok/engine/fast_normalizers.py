"""Normalizers that keep the text aligned, fast: the same answers as those of the spec, from what they remember."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate
from typing import TypeAlias

import regex

from reftok.engine.caches import Results
from reftok.engine.encode.sentencepiece_rewriting import rewriter
from reftok.fast.normalization_boundaries import segments
from reftok.rules.huggingface.normalizers import NFC, NFD, NFKC, NFKD, Precompiled, Replace, UnicodeForm
from reftok.rules.sentencepiece.normalizer import Rewritten, SentencePieceNormalizer
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import Form, is_normalized
from reftok.unicode.charsmap import Charsmap

NormalizedSegment: TypeAlias = tuple[str, tuple[int, ...]]
"""A normalized text, and for each of its code points the index of the old one that it stands for."""

_SPACES = regex.compile("  +")


def fast_normalizer(normalizer: Normalizer) -> Normalizer:
    r"""The fast form of a normalizer, the normalizer itself where it has none.

    >>> fast_normalizer(NFC()).normalize(NormalizedString("e\u0301")).spans()
    [(0, 1)]
    """
    if isinstance(normalizer, UnicodeForm) and type(normalizer) in (NFC, NFD, NFKC, NFKD):
        return FastForm(normalizer.form)
    if type(normalizer) is Precompiled:
        return Precompiled(remembering(normalizer.charsmap))
    if type(normalizer) is SentencePieceNormalizer:
        return FastSentencePieceNormalizer(normalizer)
    if type(normalizer) is Replace and isinstance(normalizer.pattern, str) and len(normalizer.pattern) == 1:
        return FastReplace(normalizer.pattern, normalizer.content) if len(normalizer.content) == 1 else normalizer
    return normalizer


class FastReplace(Replace):
    """One character for another: the alignment stays as it is."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text.replace(str(self.pattern), self.content)
        return NormalizedString(text, normalized.original_start, normalized.alignments)


class FastForm(UnicodeForm):
    """Looks up the text between two normalization boundaries."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        if is_normalized(self.form, normalized.text):
            return normalized
        parts = segments(self.form, normalized.text)
        found = [*map(_normalized_segments(self.form).__getitem__, parts)]
        starts = accumulate(map(len, parts), initial=0)
        sources = [start + index for start, (_, indexes) in zip(starts, found, strict=False) for index in indexes]
        alignments = [*map(normalized.spans().__getitem__, sources)]
        return NormalizedString("".join([text for text, _ in found]), normalized.original_start, alignments)


@cache
def _normalized_segments(form: Form) -> Results[NormalizedSegment]:
    """The normalized segments of a form, remembered for all tokenizers."""
    return Results(partial(_normalized_segment, UnicodeForm(form)))


def _normalized_segment(normalizer: UnicodeForm, segment: str) -> NormalizedSegment:
    """No span is empty: what a decomposition inserts comes behind the character that it replaces."""
    found = normalizer.normalize(NormalizedString(segment))
    return found.text, tuple(start for start, _ in found.spans())


class RememberingCharsmap(Charsmap):
    """A character map that remembers the shortest rules of short texts."""

    def __init__(self, charsmap: Charsmap) -> None:
        vars(self).update(vars(charsmap))
        self._shortest: Results[str | None] = Results(charsmap.shortest_prefix, longest=5)

    def shortest_prefix(self, text: str) -> str | None:
        return self._shortest[text]


@lru_cache(maxsize=32)
def remembering(charsmap: Charsmap) -> RememberingCharsmap:
    """The character map, remembering: one for all that ask."""
    return RememberingCharsmap(charsmap)


class FastSentencePieceNormalizer(SentencePieceNormalizer):
    """Every prefix is rewritten at once, and the spaces are collapsed after that, where that gives the same."""

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        super().__init__(normalizer.options, normalizer.charsmap, normalizer.symbols)
        self._rewriter = rewriter(normalizer)

    def end_of_leading_spaces(self, text: str) -> int:
        return 0 if text and self._rewriter.begins_otherwise(text) else super().end_of_leading_spaces(text)

    def rewrite(self, text: str) -> Rewritten:
        replaced = self._rewriter.whole(text)
        if replaced is None:
            return super().rewrite(text)
        start = self.end_of_leading_spaces(text)
        if start == len(text):
            return "", [0]
        normalized, origins = replaced
        if self.options.remove_extra_whitespaces:
            normalized, origins = _collapsed(normalized, origins)
        return self.finished([normalized.replace(" ", self._space)], origins, start)

    def rewritten_text(self, text: str) -> str:
        """The text of `rewrite` without the origins, which is quicker."""
        replaced = self._rewriter.whole_text(text)
        if replaced is None:
            return super().rewrite(text)[0]
        if self.end_of_leading_spaces(text) == len(text):
            return ""
        options, space = self.options, self._space
        if options.remove_extra_whitespaces:
            replaced = _SPACES.sub(" ", replaced.lstrip(" "))
        replaced = replaced.replace(" ", space)
        if options.add_dummy_prefix and not options.treat_whitespace_as_suffix:
            replaced = space + replaced
        if options.remove_extra_whitespaces:
            replaced = replaced.rstrip(space)
        return replaced + space if options.add_dummy_prefix and options.treat_whitespace_as_suffix else replaced


def _collapsed(text: str, origins: Sequence[int]) -> Rewritten:
    """No spaces at the start, and one instead of many; the first of them stays.

    >>> _collapsed(" a   b", [0, 1, 2, 3, 4, 5, 6])
    ('a b', [1, 2, 5, 6])
    """
    if text.startswith(" "):
        stripped = text.lstrip(" ")
        origins = origins[len(text) - len(stripped) :]
        text = stripped
    if "  " not in text:
        return text, origins
    parts: list[str] = []
    kept: list[int] = []
    end = 0
    for match in _SPACES.finditer(text):
        parts.append(text[end : match.start() + 1])
        kept += origins[end : match.start() + 1]
        end = match.end()
    parts.append(text[end:])
    kept += origins[end:]
    return "".join(parts), kept
