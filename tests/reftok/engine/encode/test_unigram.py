from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.models import stream_model
from reftok.engine.unigram import fast_unigram
from reftok.engine.unigram.fast_unigram import FastUnigram
from reftok.errors import ModelFormatError
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.sentencepiece.pieces import BYTE_PIECES

from ...official import Json, own, tokenizer_json
from ...tokenizers_strategies import unigram_models, words
from ..model_streams import assert_final, assert_streams, places, stream, whole_ids


def unigram_of(model: Json) -> FastUnigram:
    loaded = own(tokenizer_json(model)).rules.model
    assert isinstance(loaded, Unigram)
    return FastUnigram(loaded)


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
    model = FastUnigram(Unigram([("<unk>", 0.0), *scores.items()], unk_id=0))
    assert model.ids(text) == whole_ids(model, text)
    assert_streams(model, text)
    assert_final(model, text, continuations)


@pytest.mark.parametrize("digits", [0, 1, 12])
@pytest.mark.parametrize("scale", [1.0, 1e8, 1e300])
def test_sums_are_those_of_float64_over_the_whole_part(digits: int, scale: float) -> None:
    generator = random.Random(digits)
    texts = {"".join(generator.choices("abc", k=generator.randrange(1, 6))) for _ in range(40)}
    pieces = [(text, scale * round(generator.uniform(-9, -1), digits)) for text in sorted(texts)]
    model = FastUnigram(
        Unigram([("<unk>", 0.0), *pieces, ("<0xC3>", -1.0), ("<0xA9>", -1.0)], unk_id=0, byte_fallback=True)
    )
    text = "".join(generator.choices("aabbccxé", k=4_000))
    expected = whole_ids(model, text)
    assert model.ids(text) == expected
    for size in (1, 7, 999, 4_000):
        assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


def test_a_piece_is_given_when_no_other_path_is_left() -> None:
    model = FastUnigram(Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -1.5), ("abc", -9.0)], unk_id=0))
    assert stream(model, [*"aabba"]) == [[], [1], [1], [1, 3, 2], [1, 3, 2], [1, 3, 2, 1]]


def test_a_run_of_unknown_characters_is_held_until_it_ends() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("<0x78>", -1.0)]
    model = FastUnigram(Unigram(pieces, unk_id=0, byte_fallback=True))
    assert stream(model, [*"xxaxya"]) == [[], [], [2, 2, 1], [2, 2, 1], [2, 2, 1], [2, 2, 1, 0, 1], [2, 2, 1, 0, 1]]


def test_a_short_fragment_that_begins_a_part_is_looked_up_when_it_ends() -> None:
    model = FastUnigram(Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0)], unk_id=0))
    ids: list[int] = []
    stage = stream_model(model, ids)
    stage.text("ab")
    assert (ids, stage.held) == ([], 2)
    stage.text("a")
    assert (ids, stage.held) == ([1, 2, 1], 0)
    stage.end_pre_token()
    stage.token(9)
    stage.text("ba")
    stage.end_pre_token()
    stage.end_pre_token()
    stage.pre_tokens(["a", "bb"])
    assert ids == [1, 2, 1, 9, 2, 1, 1, 2, 2]


def test_an_unknown_character_is_refused_where_there_is_no_unknown_piece() -> None:
    stage = stream_model(FastUnigram(Unigram([("a", -1.0)], unk_id=None)), [])
    with pytest.raises(ModelFormatError, match="unknown character"):
        stage.text("x")


def test_pieces_too_long_for_a_tree_are_matched_when_the_part_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_unigram, "MOST_TRIE_NODES", 3)
    model = FastUnigram(Unigram([("<unk>", 0.0), ("a", -1.0)], unk_id=0))
    assert stream_model(model, []).held_until_end == "Unigram: its search is not made to go on"
    assert stream(model, ["a", "x"]) == [[], [], [1, 0]]


UNKNOWN_OR_NOT = st.lists(st.sampled_from(["x", "é", "a", "<unk>", "k>"]), max_size=8).map("".join)


@settings(max_examples=200)
@given(
    st.dictionaries(UNKNOWN_OR_NOT.filter(bool), st.sampled_from([0.0, -1.0, -3.5, 11.0, 40.0, -2e6]), max_size=4),
    st.sampled_from([0.0, -2.0, 11.0, 30.0]),
    st.sampled_from(["none", "some", "all"]),
    UNKNOWN_OR_NOT,
)
def test_runs_with_the_unknown_piece_itself_and_pieces_that_look_like_runs(
    scores: dict[str, float], unk_score: float, bytes_are: str, text: str
) -> None:
    scores.pop("<unk>", None)
    byte_pieces = {"none": (), "some": BYTE_PIECES[0x78:0x79], "all": BYTE_PIECES}[bytes_are]
    pieces = [("<unk>", unk_score), *scores.items(), *((piece, -1.0) for piece in byte_pieces if piece not in scores)]
    model = FastUnigram(Unigram(pieces, unk_id=0, byte_fallback=bytes_are != "none"))
    assert model.ids(text) == whole_ids(model, text)
    assert_streams(model, text)


def test_a_run_of_unknown_characters_gives_its_id_with_the_first_and_nothing_more() -> None:
    model = FastUnigram(Unigram([("<unk>", 0.0), ("a", -1.0)], unk_id=0))
    assert stream(model, [*"xyaxy"]) == [[0], [0], [0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0]]


def test_a_run_of_unknown_characters_gives_the_bytes_of_each_where_all_bytes_are_pieces() -> None:
    pieces = [("<unk>", 0.0), *((piece, -1.0) for piece in BYTE_PIECES)]
    model = FastUnigram(Unigram(pieces, unk_id=0, byte_fallback=True))
    assert stream(model, [*"xé"]) == [[121], [121, 196, 170], [121, 196, 170]]


@pytest.mark.parametrize(
    ("pieces", "text", "ids"),
    [
        pytest.param(
            [("<unk>", 30.0), ("xy", 21.0), ("a", 25.0)], "xya", [1, 2], id="a run scores more than the piece"
        ),
        pytest.param([("<unk>", 0.0), ("<unk><unk>", -1.0)], "<unk><unk>", [1], id="a piece repeats the unknown one"),
    ],
)
def test_a_run_that_is_a_piece_has_the_id_of_the_piece(
    pieces: list[tuple[str, float]], text: str, ids: list[int]
) -> None:
    model = FastUnigram(Unigram(pieces, unk_id=0))
    assert whole_ids(model, text) == ids
    assert_streams(model, text)


def test_clusters_of_two_characters_do_not_make_a_word_wait() -> None:
    stage = stream_model(FastUnigram(Unigram([("<unk>", 0.0), ("a", -1.0), ("\u0301", -1.0)], unk_id=0)), [])
    for _ in range(3):
        stage.text("a\u0301")
    assert stage.held == 0


def test_a_piece_of_thousands_of_characters_is_looked_up_at_the_end() -> None:
    """In a stream each character would go on with thousands of pieces that have begun."""
    for size, is_streamed in ((500, True), (501, False)):
        pieces = [("<unk>", 0.0), ("a", -1.0), ("a" * size, -3.0)]
        model = FastUnigram(Unigram(pieces, unk_id=0))
        assert (not stream_model(model, []).held_until_end) is is_streamed
        given = [token_id for ids in stream(model, ["a"] * (size + 2)) for token_id in ids]
        assert given == model.ids("a" * (size + 2))
