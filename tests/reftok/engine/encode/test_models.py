"""The models of llama.cpp, those that hold a part until it ends, and what all of them share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.engine.encode.models import stream_model
from reftok.errors import UnsupportedFeature
from reftok.spec.llama.spm import LlamaSPM
from reftok.spec.llama.ugm import LlamaUGM
from reftok.spec.llama.wpm import LlamaWPM
from reftok.spec.models.wordlevel import WordLevel
from reftok.spec.models.wordpiece import WordPiece
from reftok.spec.stages import Model

from ..gguf_writer import BYTE_TOKENS
from ..official import Json, own, tokenizer_json
from ..tokenizers_strategies import wordlevel_models, wordpiece_models, words
from .model_streams import assert_final, assert_streams, cut, places, stream

SCORES = st.sampled_from([-3.0, -2.0, -1.0, 0.0])
PIECES = [*"ab▁é", "ab", "▁a", "\udcc3", "a\udcc3", "\udca9b"]


@settings(max_examples=150)
@given(
    st.dictionaries(st.one_of(st.text("ab▁é", min_size=1, max_size=4), st.sampled_from(PIECES)), SCORES),
    st.lists(st.sampled_from([*"aab▁é中", "\udcc3", "\udca9", "\udcf0"]), max_size=10).map("".join),
    places,
)
def test_spm_of_llama(scores: dict[str, float], text: str, cuts: list[int]) -> None:
    tokens = [*BYTE_TOKENS, *scores]
    model = LlamaSPM({token: index for index, token in enumerate(tokens)}, [0.0] * 256 + list(scores.values()))
    assert_streams(model, text, cuts)
    assert_final(model, text, ["a", "ab▁", "\udca9b", "é"])


@settings(max_examples=150)
@given(st.one_of(wordlevel_models, wordpiece_models()), words.filter(bool), places)
def test_models_of_words(model: Json, text: str, cuts: list[int]) -> None:
    loaded = own(tokenizer_json(model)).model
    assert_streams(loaded, text, cuts)
    assert_final(loaded, text, ["a", "b中"])


HELD: list[tuple[Model, str]] = [
    (WordLevel({"a": 0, "ab": 1}, "a"), "WordLevel looks a word up as a whole"),
    (WordPiece({"[UNK]": 0, "a": 1, "##b": 2}), "WordPiece: one character can make a whole word unknown"),
    (LlamaWPM({"[UNK]": 0, "▁a": 1, "b": 2}, 0), "LlamaWPM: one character can make a whole word unknown"),
    (LlamaUGM({"<unk>": 0, "a": 1}, [0.0, -1.0], {1}, set(), -1.0, 0), "LlamaUGM: its search is not made to go on"),
]


@pytest.mark.parametrize(("model", "reason"), HELD)
def test_models_that_hold_a_part_say_why(model: Model, reason: str) -> None:
    assert stream_model(model, []).holds_parts == reason
    assert_streams(model, "abba")
    assert stream(model, ["a", "b"])[:2] == [[], []]


EMBEDDED = reftok.embedded_models()


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_models_give_the_ids_of_a_text_in_chunks(name: str) -> None:
    model = reftok.load(name).model
    text = "▁The▁house's▁blue,▁unbelievably▁▁old▁naïve▁roofs▁中国家▁😀▁" * 3
    expected = [token.id for token in model.tokenize(text)]
    for size in (1, 7, 256):
        chunks = cut(text, range(0, len(text), size))
        given_ids = stream(model, chunks)
        assert given_ids[-1] == expected
        assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(given_ids))


@pytest.mark.parametrize("name", ["spm-bpe", "spm-bpe-hf", "spm-unigram", "spm-unigram-hf", "spm-char"])
def test_long_texts_are_not_held(name: str) -> None:
    model = reftok.load(name).model
    ids: list[int] = []
    stage = stream_model(model, ids)
    for character in "▁the▁house▁and▁its▁roof" * 40:
        stage.text(character)
        assert stage.held <= 64
    assert stage.holds_parts == ""


def test_a_model_of_another_kind_is_refused() -> None:
    class Other:
        size = 0

        @property
        def vocab(self) -> dict[str, int]:
            return {}

        def tokenize(self, text: str) -> list[reftok.Token]:
            return []

        def id_to_token(self, token_id: int) -> None:
            return None

    with pytest.raises(UnsupportedFeature, match="Other has no streamed twin"):
        stream_model(Other(), [])
