from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError
from reftok.models import unigram as unigram_module
from reftok.models.unigram import Unigram
from reftok.streaming.encoding.models import stream_model

from ..official import Json, own, tokenizer_json
from ..tokenizers_strategies import unigram_models, words
from .model_streams import assert_final, assert_streams, places, stream


def unigram_of(model: Json) -> Unigram:
    loaded = own(tokenizer_json(model)).model
    assert isinstance(loaded, Unigram)
    return loaded


@settings(max_examples=150)
@given(unigram_models(), words, places)
def test_every_cutting_of_a_word_gives_the_ids_of_the_word(model: Json, text: str, cuts: list[int]) -> None:
    assert_streams(unigram_of(model), text, cuts)


@settings(max_examples=100)
@given(unigram_models(), words, st.lists(words, min_size=1, max_size=6))
def test_no_continuation_changes_what_was_given(model: Json, text: str, continuations: list[str]) -> None:
    assert_final(unigram_of(model), text, continuations)


@settings(max_examples=150)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=5), st.floats(-9, 0), min_size=1),
    st.text("ab", max_size=40),
    st.lists(st.text("ab", max_size=5), max_size=5),
)
def test_pieces_of_all_scores(scores: dict[str, float], text: str, continuations: list[str]) -> None:
    model = Unigram([("<unk>", 0.0), *scores.items()], unk_id=0)
    assert model.token_ids(text) == [token.id for token in model.tokenize(text)]
    assert_streams(model, text)
    assert_final(model, text, continuations)


@pytest.mark.parametrize("digits", [0, 1, 12])
@pytest.mark.parametrize("scale", [1.0, 1e8, 1e300])
def test_sums_are_those_of_float64_over_the_whole_part(digits: int, scale: float) -> None:
    generator = random.Random(digits)
    texts = {"".join(generator.choices("abc", k=generator.randrange(1, 6))) for _ in range(40)}
    pieces = [(text, scale * round(generator.uniform(-9, -1), digits)) for text in sorted(texts)]
    model = Unigram([("<unk>", 0.0), *pieces, ("<0xC3>", -1.0), ("<0xA9>", -1.0)], unk_id=0, byte_fallback=True)
    text = "".join(generator.choices("aabbccxé", k=4_000))
    expected = model.token_ids(text)
    for size in (1, 7, 999, 4_000):
        assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


def test_a_piece_is_given_when_no_other_path_is_left() -> None:
    model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5), ("abc", -9.0)], unk_id=0)
    assert stream(model, [*"aabba"]) == [[], [1], [1], [1, 3, 2], [1, 3, 2], [1, 3, 2, 1]]


def test_a_run_of_unknown_characters_is_held_until_it_ends() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("<0x78>", -1.0)]
    model = Unigram(pieces, unk_id=0, byte_fallback=True)
    assert stream(model, [*"xxaxya"]) == [[], [], [2, 2, 1], [2, 2, 1], [2, 2, 1], [2, 2, 1, 0, 1], [2, 2, 1, 0, 1]]


def test_a_short_fragment_that_begins_a_part_is_looked_up_when_it_ends() -> None:
    model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0)], unk_id=0)
    ids: list[int] = []
    stage = stream_model(model, ids)
    stage.text("ab")
    assert (ids, stage.held) == ([], 2)
    stage.text("a")
    assert (ids, stage.held) == ([1, 2, 1], 0)
    stage.end_part()
    stage.token(9)
    stage.text("ba")
    stage.end_part()
    stage.end_part()
    stage.parts(["a", "bb"])
    assert ids == [1, 2, 1, 9, 2, 1, 1, 2, 2]


def test_an_unknown_character_is_refused_where_there_is_no_unknown_piece() -> None:
    stage = stream_model(Unigram([("a", -1.0)], unk_id=None), [])
    with pytest.raises(ModelFormatError, match="unknown character"):
        stage.text("x")


def test_pieces_too_long_for_a_tree_are_matched_when_the_part_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unigram_module, "MOST_TRIE_NODES", 3)
    model = Unigram([("<unk>", 0.0), ("a", -1.0)], unk_id=0)
    assert stream_model(model, []).holds_parts == "Unigram: its search is not made to go on"
    assert stream(model, ["a", "x"]) == [[], [], [1, 0]]
