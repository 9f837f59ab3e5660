from __future__ import annotations

import sys
from unicodedata import normalize

import pytest
import tokenizers
import tokenizers.normalizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.rewriting import CLUSTERS_OF_ONE, rewriter
from reftok.rules.huggingface.normalizers import NFC, NFD, NFKC, NFKD, UnicodeForm
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import CharacterTable
from reftok.unicode.graphemes import graphemes

from ...official import Json, bpe, own, tokenizer_json
from ...tokenizers_strategies import normalizers, texts

FORMS = [NFC(), NFD(), NFKC(), NFKD()]
OF_LLAMA = [ReadCodePoints(), *(BertText(a, b) for a in (0, 1) for b in (0, 1))]


def plainly(normalizer: Normalizer, text: str) -> str:
    return normalizer.normalize(NormalizedString(text)).text


@settings(max_examples=1000)
@given(normalizers, texts)
def test_the_fast_path_makes_the_same_text(component: Json, text: str) -> None:
    [normalizer] = own(tokenizer_json(bpe("a"), normalizer=component)).rules.normalizers
    assert rewriter(normalizer)(text) == plainly(normalizer, text)


@given(st.sampled_from(OF_LLAMA), texts)
def test_the_fast_path_of_a_stage_of_llama_makes_the_same_text(normalizer: Normalizer, text: str) -> None:
    assert rewriter(normalizer)(text) == plainly(normalizer, text)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.form)
def test_every_scalar_value_is_brought_into_a_form_as_plainly(form: UnicodeForm) -> None:
    rewrite = rewriter(form)
    for first in range(0, 0x30000, 16):
        scalars = [chr(code) for code in range(first, first + 16) if not 0xD800 <= code < 0xE000]
        text = "".join(f"e{scalar}\u0301" for scalar in scalars)
        assert rewrite(text) == plainly(form, text)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.form)
def test_what_has_composed_only_since_a_later_unicode_stays_apart(form: UnicodeForm) -> None:
    library, rewrite = getattr(tokenizers.normalizers, form.form)(), rewriter(form)
    for text in {normalize("NFD", chr(code)) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000}:
        if len(text) > 1:
            assert rewrite(text) == plainly(form, text) == library.normalize_str(text)


def test_what_a_character_becomes_is_asked_for_once() -> None:
    asked: list[str] = []

    def rule(character: str) -> str:
        asked.append(character)
        return character * 2

    assert "aba".translate(CharacterTable(rule)) == "aabbaa"
    assert asked == ["a", "b"]


def test_the_clusters_of_one_join_nothing() -> None:
    alone = [chr(code) for code in range(0x11000) if CLUSTERS_OF_ONE.fullmatch(chr(code))]
    assert len(alone) > 29_000
    for before in ("a", "\r", "👩\u200d", "क\u094d", "\u1100", "🇩", "中", "\u0301", "ｶ"):
        for character in alone:
            if CLUSTERS_OF_ONE.fullmatch(before) or character != "\n":
                assert graphemes(f"{before}{character}a")[-2:] == [character, "a"]
