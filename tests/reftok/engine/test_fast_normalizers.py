from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.fast_normalizers import fast_normalizer
from reftok.spec.charsmap import Charsmap
from reftok.spec.normalizers import NFC, NFD, NFKC, NFKD, UnicodeForm
from reftok.spec.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.spec.sentencepiece.pieces import PrefixMatcher
from reftok.spec.text import NormalizedString

from ..sentencepiece_strategies import charsmap, inputs

options = st.builds(NormalizerOptions, *[st.booleans()] * 4)
symbols = st.lists(st.text("ab A▁x", min_size=1, max_size=4), max_size=4).map(PrefixMatcher)


@given(options, st.booleans(), symbols, inputs)
def test_the_fast_normalizer_of_sentencepiece_gives_what_the_plain_one_gives(
    options: NormalizerOptions, has_rules: bool, symbols: PrefixMatcher, text: str | bytes
) -> None:
    decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    normalizer = SentencePieceNormalizer(options, Charsmap(charsmap()) if has_rules else None, symbols)
    fast = fast_normalizer(normalizer)
    assert isinstance(fast, SentencePieceNormalizer)
    assert type(fast) is not SentencePieceNormalizer
    plain, origins = normalizer.rewrite(decoded)
    expected = normalizer.normalize(NormalizedString(decoded))
    for _ in range(2):
        found, found_origins = fast.rewrite(decoded)
        assert found == plain
        if plain:
            assert list(found_origins) == list(origins)
        normalized = fast.normalize(NormalizedString(decoded))
        assert (normalized.text, [*normalized.spans()]) == (expected.text, [*expected.spans()])


@pytest.mark.parametrize("normalizer", [NFC(), NFD(), NFKC(), NFKD()])
def test_a_text_that_is_normalized_is_given_back(normalizer: UnicodeForm) -> None:
    normalized = NormalizedString("plain")
    assert fast_normalizer(normalizer).normalize(normalized) is normalized
