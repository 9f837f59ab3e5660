"""Ports whose normalizer is another one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby
from typing import Any, ClassVar
from unicodedata import combining, normalize

from official import Official, Spans
from reference import Reference, with_charsmap, with_options

from conformance.core.unicode_ages import age_of
from reftok import Tokenizer
from reftok.rules.huggingface.normalizers import NFC
from reftok.rules.text import NormalizedString


class Compatibility(Official):
    """NFKC in place of NFC."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "normalizer": {"type": "NFKC"}}


class Decomposed(Official):
    """NFD in place of NFC."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "normalizer": {"type": "NFD"}}


class LowerCase(Official):
    """The text is lower-cased, as for an uncased model."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        steps = [step for step in (model["normalizer"], {"type": "Lowercase"}) if step]
        return {**model, "normalizer": {"type": "Sequence", "normalizers": steps}}


class NoPrepend(Official):
    """The prefix `▁` is missing: Prepend is not implemented."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        steps = [step for step in model["normalizer"]["normalizers"] if step["type"] != "Prepend"]
        return {**model, "normalizer": {"type": "Sequence", "normalizers": steps}}


class NoReplace(Official):
    """Spaces stay spaces: Replace is not implemented."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        steps = [step for step in model["normalizer"]["normalizers"] if step["type"] != "Replace"]
        return {**model, "normalizer": {"type": "Sequence", "normalizers": steps}}


class PlainCompatibility(Official):
    """NFKC in place of the charsmap, which is not the same."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        steps = [
            {"type": "NFKC"} if step["type"] == "Precompiled" else step for step in model["normalizer"]["normalizers"]
        ]
        return {**model, "normalizer": {"type": "Sequence", "normalizers": steps}}


class NoDummyPrefix(Reference):
    """The dummy prefix is missing."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_options(tokenizer, add_dummy_prefix=False)


class DummyPrefix(Reference):
    """A dummy prefix is added by a model that wants none."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_options(tokenizer, add_dummy_prefix=True)


class OneDummyPrefix(Reference):
    """No dummy prefix where the text begins with a space already."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text.removeprefix(" ") or text, add_special_tokens)


class ExtraSpacesKept(Reference):
    """Runs of spaces are not collapsed."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_options(tokenizer, remove_extra_whitespaces=False)


class ExtraSpacesRemoved(Reference):
    """Runs of spaces are collapsed by a model that keeps them."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_options(tokenizer, remove_extra_whitespaces=True)


class NoCharsmap(Reference):
    """The charsmap is not read."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_charsmap(tokenizer, charsmap=False)


class CharsmapFirst(Reference):
    """The charsmap rewrites user-defined symbols as well."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_charsmap(tokenizer, charsmap=True, symbols=False)


class CharsmapIsCompatibility(NoCharsmap):
    """NFKC in place of the charsmap, which is not the same."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(normalize("NFKC", text), add_special_tokens)


class CharsmapNotForAscii(Reference):
    """A text of ASCII goes past the charsmap, which would have nothing to do there, it is thought."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        self.short_cut = with_charsmap(tokenizer, charsmap=False)
        return tokenizer

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        tokenizer = self.short_cut if text.isascii() else self.tokenizer
        encoding = tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return list(encoding.ids), list(encoding.tokens), list(encoding.offsets)


class _OtherForm(Reference):
    """NFC by tables of its own."""

    def composed(self, text: str) -> str:
        """NFC of a text."""
        raise NotImplementedError

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return Tokenizer(replace(tokenizer.rules, normalizers=(_Form(self.composed),)), tokenizer)


class _Form:
    """NFC of one's own; where that is not NFC, every character comes from the whole text."""

    def __init__(self, composed: Callable[[str], str]) -> None:
        self.composed = composed

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = self.composed(normalized.text)
        right = NFC().normalize(normalized)
        if text == right.text:
            return right
        span = normalized.original_span(0, len(normalized.text))
        return NormalizedString(text, span[0], [span] * len(text))


class WithoutHangul(_OtherForm):
    """NFC by a table of pairs, which does not hold what Unicode makes by arithmetic."""

    def composed(self, text: str) -> str:
        parts = re.split("([\u1100-\u11ff\uac00-\ud7a3]+)", text)
        return "".join(part if index % 2 else normalize("NFC", part) for index, part in enumerate(parts))


class NotDecomposed(_OtherForm):
    """Marks are ordered and put together with the character before, but nothing is taken apart: U+212B stays so."""

    def composed(self, text: str) -> str:
        given: list[str] = []
        first, last = 0, -1  # the place of the latest character that is no mark, the class of what came after it
        for one in "".join(chain.from_iterable(sorted(run, key=combining) for run in re.findall(_RUNS, text))):
            mark = combining(one)
            if given and (last < mark or last < 0) and (whole := _whole(given[first], one)):
                given[first] = whole
                continue
            first, last = (first, mark) if mark else (len(given), -1)
            given.append(one)
        return "".join(given)


_MARKS = "".join(one for one in map(chr, range(0x300, 0x20000)) if combining(one))
_RUNS = f"[{_MARKS}]+|[^{_MARKS}]"


def _whole(first: str, second: str) -> str:
    """The character that is taken apart into just these two, "" where there is none."""
    whole = normalize("NFC", first + second)
    is_made = len(whole) == 1 and normalize("NFC", first) == first and normalize("NFC", second) == second
    return whole if is_made else ""


class ExclusionsComposed(_OtherForm):
    """Every pair that has a character of its own becomes it, those too that Unicode excludes: U+0915 U+093C."""

    @cached_property
    def pairs(self) -> dict[str, str]:
        """The excluded characters by their two parts."""
        excluded = (one for one in map(chr, range(0x300, 0x30000)) if len(normalize("NFC", one)) == 2)
        return {normalize("NFC", one): one for one in excluded if not combining(one)}

    def composed(self, text: str) -> str:
        text = normalize("NFC", text)
        for pair, whole in self.pairs.items():
            text = text.replace(pair, whole)
        return text


class FormOf12(_OtherForm):
    """NFC of Unicode 12.1: a later character is unassigned, and so neither moves nor composes."""

    version: ClassVar[tuple[int, ...]] = (12, 1)

    def composed(self, text: str) -> str:
        parts = groupby(text, lambda one: tuple(map(int, (age_of(one) or "99").split("."))) <= self.version)
        return "".join(normalize("NFC", "".join(part)) if known else "".join(part) for known, part in parts)


class FormOf6(FormOf12):
    """NFC of Unicode 6.2, the tables of Java 8."""

    version: ClassVar[tuple[int, ...]] = (6, 2)


class OldTables(FormOf12):
    """NFC of Unicode 3.2, which knows fewer marks and so leaves these in another order."""

    version: ClassVar[tuple[int, ...]] = (3, 2)


class FormOf14(_OtherForm):
    """NFC of the module `unicodedata`, whose tables are later than those of the library."""

    def composed(self, text: str) -> str:
        return normalize("NFC", text)


class FormOf16(_OtherForm):
    """NFC of Unicode 16, which brought compositions for Todhri, Tulu-Tigalari, Gurung Khema and Kirat Rai."""

    pairs: ClassVar[tuple[tuple[str, str], ...]] = (
        ("\U000105d2\u0307", "\U000105c9"),
        ("\U000105da\u0307", "\U000105e4"),
        ("\U00011382\U000113c9", "\U00011383"),
        ("\U00011384\U000113bb", "\U00011385"),
        ("\U0001138b\U000113c2", "\U0001138e"),
        ("\U00011390\U000113c9", "\U00011391"),
        ("\U000113c2\U000113c2", "\U000113c5"),
        ("\U000113c2\U000113b8", "\U000113c7"),
        ("\U000113c2\U000113c9", "\U000113c8"),
        ("\U0001611e\U0001611e", "\U00016121"),
        ("\U00016d67\U00016d67", "\U00016d68"),
        ("\U00016d63\U00016d67", "\U00016d69"),
    )

    def composed(self, text: str) -> str:
        text = normalize("NFC", text)
        for parts, whole in self.pairs:
            text = text.replace(parts, whole)
        return text


class TurkishCase(Reference):
    """The text is lower-cased first, by a locale in which I is the capital of the dotless i."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text.replace("I", "ı").replace("İ", "i"), add_special_tokens)
