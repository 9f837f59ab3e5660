from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.encode.rewriting import may_grow_too_much, most_growth
from reftok.regex_dialects.pattern import compile_oniguruma
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
)
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.charsmap import Charsmap

from ...official import precompiled_charsmap
from ...protobuf_writer import compile_charsmap

NORMALIZERS: list[Normalizer] = [
    *(NFC(), NFD(), NFKC(), NFKD(), Nmt(), StripAccents(), Lowercase(), ByteLevel(), Strip(True, True)),
    *(BertNormalizer(True, True, accents, lowercase) for accents in (None, True) for lowercase in (True, False)),
    *(Prepend("▁"), Prepend("abc"), Replace("a", "bcd"), Replace(compile_oniguruma("b*"), "xy")),
    *(SentencePieceNormalizer(), SentencePieceNormalizer(charsmap=Charsmap(compile_charsmap({"a": "é中é"})))),
    *(Precompiled(Charsmap(precompiled_charsmap())), Precompiled(Charsmap(compile_charsmap({"a": "é中é"})))),
]


def growth(normalizer: Normalizer, text: str) -> float:
    return len(normalizer.normalize(NormalizedString(text)).text) / len(text)


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda normalizer: type(normalizer).__name__)
@given(text=st.text(min_size=1, max_size=6) | st.text("aAb İ中\u0345\ufdfa\u1f82ᄀ힣", min_size=1, max_size=6))
def test_no_text_grows_by_more_than_is_said(normalizer: Normalizer, text: str) -> None:
    assert growth(normalizer, text) <= most_growth(normalizer)


@pytest.mark.parametrize("normalizer", NORMALIZERS, ids=lambda normalizer: type(normalizer).__name__)
def test_no_character_that_becomes_several_grows_by_more_than_is_said(normalizer: Normalizer) -> None:
    most = most_growth(normalizer)
    for character in map(chr, range(0x110000)):
        if len(character.lower()) > 1 or unicodedata.decomposition(character):
            assert growth(normalizer, character) <= most


@pytest.mark.parametrize(
    ("normalizers", "may"),
    [
        ([NFKD(), Lowercase(), Prepend("▁")], False),
        ([NFKD(), NFKD(), NFKD()], True),
        ([Replace("a", 149 * "b")], False),
        ([Replace("a", 150 * "b")], True),
    ],
)
def test_growths_of_several_normalizers_multiply(normalizers: list[Normalizer], may: bool) -> None:
    assert may_grow_too_much(normalizers) is may
