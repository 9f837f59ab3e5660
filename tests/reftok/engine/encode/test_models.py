"""The models of llama.cpp, those that hold a part until it ends, and what all of them share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.engine.encode.models import fast_model, stream_model
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.wordlevel import WordLevel
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.llama_cpp.ugm import LlamaUGM
from reftok.rules.llama_cpp.wpm import LlamaWPM
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Model
from reftok.rules.types import AddedToken, Token
from reftok.tokenizer import Tokenizer
from tests.models import load

from ...gguf_writer import BYTE_TOKENS
from ...official import Json, own, tokenizer_json
from ...tokenizers_strategies import wordlevel_models, wordpiece_models, words
from ..model_streams import assert_final, assert_streams, cut, places, stream, whole_ids

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
    vocab = {token: index for index, token in enumerate(tokens)}
    model = fast_model(LlamaSPM(vocab, [0.0] * 256 + list(scores.values())))
    assert_streams(model, text, cuts)
    assert_final(model, text, ["a", "ab▁", "\udca9b", "é"])


@settings(max_examples=150)
@given(st.one_of(wordlevel_models, wordpiece_models()), words.filter(bool), places)
def test_models_of_words(model: Json, text: str, cuts: list[int]) -> None:
    loaded = fast_model(own(tokenizer_json(model)).rules.model)
    assert_streams(loaded, text, cuts)
    assert_final(loaded, text, ["a", "b中"])


HELD: list[tuple[Model, str]] = [
    (WordLevel({"a": 0, "ab": 1}, "a"), "WordLevel: a word is looked up as a whole"),
    (WordPiece({"[UNK]": 0, "a": 1, "##b": 2}), "WordPiece: one character can make a whole word unknown"),
    (LlamaWPM({"[UNK]": 0, "▁a": 1, "b": 2}, 0), "LlamaWPM: one character can make a whole word unknown"),
    (LlamaUGM({"<unk>": 0, "a": 1}, [0.0, -1.0], {1}, set(), -1.0, 0), "LlamaUGM: its search is not made to go on"),
]


@pytest.mark.parametrize(("model", "reason"), HELD)
def test_models_that_hold_a_part_say_why(model: Model, reason: str) -> None:
    fast = fast_model(model)
    assert stream_model(fast, []).held_until_end == reason
    assert_streams(fast, "abba")
    assert stream(fast, ["a", "b"])[:2] == [[], []]


EMBEDDED = reftok.embedded_models()


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_models_give_the_ids_of_a_text_in_chunks(name: str) -> None:
    model = fast_model(load(name).rules.model)
    text = "▁The▁house's▁blue,▁unbelievably▁▁old▁naïve▁roofs▁中国家▁😀▁" * 3
    expected = whole_ids(model, text)
    for size in (1, 7, 256):
        chunks = cut(text, range(0, len(text), size))
        given_ids = stream(model, chunks)
        assert given_ids[-1] == expected
        assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(given_ids))


@pytest.mark.parametrize("name", ["spm-bpe", "spm-bpe-hf", "spm-unigram", "spm-unigram-hf", "spm-char"])
def test_long_texts_are_not_held(name: str) -> None:
    model = fast_model(load(name).rules.model)
    ids: list[int] = []
    stage = stream_model(model, ids)
    for character in "▁the▁house▁and▁its▁roof" * 40:
        stage.text(character)
        assert stage.held <= 64
    assert stage.held_until_end == ""


class Reversing(BPE):
    """Derived from a model that is known, and yet another one: the tokens come the last one first."""

    def tokenize(self, text: str) -> list[Token]:
        return [*super().tokenize(text)][::-1]


class Other:
    """A model of another kind: its one token is as long as the text."""

    size = 100
    unk_id = None

    @property
    def vocab(self) -> dict[str, int]:
        return {}

    def tokenize(self, text: str) -> list[Token]:
        return [Token(len(text), text, (0, len(text)))]

    def id_to_token(self, token_id: int) -> None:
        return None


@pytest.mark.parametrize(("model", "ids"), [(Reversing({"a": 0, "b": 1}, []), [1, 0, 0]), (Other(), [3])])
def test_a_model_of_another_kind_is_buffered_until_its_part_ends(model: Model, ids: list[int]) -> None:
    fast = fast_model(model)
    assert stream_model(fast, []).held_until_end == f"{type(model).__name__}: its search is not made to go on"
    assert fast.ids("aab") == ids
    assert stream(fast, [*"aab"]) == [[], [], [], ids]
    assert_streams(fast, "abbaab")
    assert_final(fast, "aab", ["a", "b"])


@pytest.mark.parametrize(("model", "ids"), [(Reversing({"a": 0, "b": 1}, []), [0, 1, 9, 1]), (Other(), [2, 9, 1])])
def test_a_tokenizer_with_a_model_of_another_kind_streams(model: Model, ids: list[int]) -> None:
    tokenizer = Tokenizer(
        Pipeline("tokenizers", model, AddedVocabulary([AddedToken("<x>")], model.vocab, model_size=9))
    )
    encoder = tokenizer.stream_encoder()
    assert [encoder.feed(text) for text in ("b", "a", "<x", ">")] == [[], [], [], ids[:-1]]
    assert encoder.held_until_end == (f"{type(model).__name__}: its search is not made to go on",)
    assert encoder.feed("b") + encoder.finish() == ids[-1:]
    assert tokenizer.encode_ids("ba<x>b") == [*tokenizer.rules.encode("ba<x>b").ids] == ids
    assert tokenizer.encode("ba<x>b") == tokenizer.rules.encode("ba<x>b")
