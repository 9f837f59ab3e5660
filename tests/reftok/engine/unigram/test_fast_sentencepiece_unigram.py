from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.unigram.fast_sentencepiece_unigram import FastSentencePieceUnigram
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram

from ...protobuf_writer import UNIGRAM
from ...rules.sentencepiece.test_unigram import SCALES, random_model
from ...sentencepiece_strategies import load_both, models
from ..model_streams import stream


def assert_same(model: object, text: str) -> None:
    """Ask twice: the second time words are looked up."""
    assert isinstance(model, SentencePieceUnigram)
    fast = FastSentencePieceUnigram(model)
    expected = [token.id for token in model.tokenize(text)]
    for _ in range(2):
        assert stream(fast, [text] if text else [])[-1] == expected


@given(models(UNIGRAM), st.text("ab▁é中 x", max_size=60))
def test_the_fast_path_gives_what_the_plain_one_gives(data: bytes, text: str) -> None:
    assert_same(load_both(data)[0].rules.model, text)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_where_float32_rounds_or_starts_again_it_gives_what_the_plain_one_gives(scale: float, seed: int) -> None:
    generator = random.Random(seed)
    data = random_model(generator, scale)
    assert_same(load_both(data)[0].rules.model, "".join(generator.choices("aabbcc▁▁x", k=30_000)))
