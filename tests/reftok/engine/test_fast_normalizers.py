from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.fast_normalizers import FastSentencePieceNormalizer, fast_normalizer
from reftok.rules.huggingface.normalizers import NFC, NFD, NFKC, NFKD, UnicodeForm
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PrefixMatcher
from reftok.rules.text import NormalizedString
from reftok.unicode.charsmap import Charsmap

from ..sentencepiece_strategies import RULES, charsmap, inputs

options = st.builds(NormalizerOptions, *[st.booleans()] * 4)
symbols = st.lists(st.text("ab A▁x", min_size=1, max_size=4), max_size=4).map(PrefixMatcher)
texts_of_rules = st.lists(st.sampled_from([*RULES, "a", "b", " ", "中", "\udcff"]), max_size=9).map("".join)


@given(options, st.booleans(), symbols, inputs | texts_of_rules)
def test_the_fast_normalizer_of_sentencepiece_gives_what_the_plain_one_gives(
    options: NormalizerOptions, has_rules: bool, symbols: PrefixMatcher, text: str | bytes
) -> None:
    decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    assert_same(SentencePieceNormalizer(options, Charsmap(charsmap()) if has_rules else None, symbols), decoded)


def assert_same(normalizer: SentencePieceNormalizer, text: str) -> None:
    """Ask twice: the second time what becomes of characters is looked up."""
    fast = fast_normalizer(normalizer)
    assert isinstance(fast, FastSentencePieceNormalizer)
    plain, origins = normalizer.rewrite(text)
    expected = normalizer.normalize(NormalizedString(text))
    for _ in range(2):
        found, found_origins = fast.rewrite(text)
        assert found == plain
        assert fast.rewritten_text(text) == plain
        if plain:
            assert list(found_origins) == list(origins)
        normalized = fast.normalize(NormalizedString(text))
        assert (normalized.text, [*normalized.spans()]) == (expected.text, [*expected.spans()])


@pytest.mark.parametrize(
    "text",
    ["", "中国a", "中国b", "ab ab", "AAA", "b Aab x", "a…b", "a …b", "a▁ ", "a\udcffb", "a\ufffd", "e\u0301", "e"],
)
@pytest.mark.parametrize("symbols", [(), ("A", "AA"), ("b A",), ("a", "ab ab")])
@pytest.mark.parametrize("is_suffix", [False, True])
def test_rules_and_symbols_that_reach_across_characters_are_found(
    text: str, symbols: tuple[str, ...], is_suffix: bool
) -> None:
    options = NormalizerOptions(treat_whitespace_as_suffix=is_suffix)
    assert_same(SentencePieceNormalizer(options, Charsmap(charsmap()), PrefixMatcher(symbols)), text)


@pytest.mark.parametrize("unit", [" ", "a", "a ", "<", "中"], ids=ascii)
def test_a_long_run_ends_soon_and_as_by_the_plain_rule(unit: str) -> None:
    matcher = PrefixMatcher(["<" * 10 + ">"])
    assert_same(SentencePieceNormalizer(charsmap=Charsmap(charsmap()), symbols=matcher), unit * 200_000)


@pytest.mark.parametrize("normalizer", [NFC(), NFD(), NFKC(), NFKD()])
def test_a_text_that_is_normalized_is_given_back(normalizer: UnicodeForm) -> None:
    normalized = NormalizedString("plain")
    assert fast_normalizer(normalizer).normalize(normalized) is normalized
