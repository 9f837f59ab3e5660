from __future__ import annotations

import random
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.bpe.fast_scored_bpe import FastSentencePieceBPE
from reftok.engine.encode.models import fast_model, stream_model
from reftok.engine.fast_model import FastModel
from reftok.engine.unigram import search
from reftok.engine.unigram.fast_sentencepiece_unigram import SUMS, FastSentencePieceUnigram
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, NO_ID, Piece, PieceTable, PieceType
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar
from reftok.rules.viterbi import Best, PieceMatch, best_paths, path_to_end, to_float32

from ...protobuf_writer import BPE, CHAR, UNIGRAM, WORD
from ...sentencepiece_strategies import models
from ..model_streams import assert_final, assert_streams, cut, places, stream, whole_ids
from ..steps import steps

UNKNOWN, UNUSED, USER_DEFINED = PieceType.UNKNOWN, PieceType.UNUSED, PieceType.USER_DEFINED
texts = st.text("aab▁▁é中x", max_size=14)
SCORES = (-1.0, -2.0, -0.5, 0.0, -3.3)


def table(*pieces: tuple[str, float] | tuple[str, float, PieceType]) -> PieceTable:
    return PieceTable([Piece("<unk>", 0.0, UNKNOWN), *(Piece(*piece) for piece in pieces)])


def unigram(*pieces: tuple[str, float] | tuple[str, float, PieceType]) -> FastSentencePieceUnigram:
    return FastSentencePieceUnigram(SentencePieceUnigram(table(*pieces)))


def bpe(*pieces: tuple[str, float] | tuple[str, float, PieceType]) -> FastSentencePieceBPE:
    return FastSentencePieceBPE(SentencePieceBPE(table(*pieces)))


def model_of(data: bytes) -> FastModel[Any]:
    return fast_model(read_sentencepiece_model(data, "test.model").model)


@pytest.mark.parametrize("model_type", [UNIGRAM, BPE, CHAR, WORD])
@settings(max_examples=60)
@given(st.data())
def test_every_cutting_of_a_text_gives_the_ids_of_the_text(model_type: int, data: st.DataObject) -> None:
    model = model_of(data.draw(models(model_type)))
    assert_streams(model, data.draw(texts), data.draw(places))


@pytest.mark.parametrize("model_type", [UNIGRAM, BPE, CHAR, WORD])
@settings(max_examples=40)
@given(st.data())
def test_no_continuation_changes_what_was_given(model_type: int, data: st.DataObject) -> None:
    model = model_of(data.draw(models(model_type)))
    assert_final(model, data.draw(texts), data.draw(st.lists(texts, min_size=1, max_size=6)))


unused_models = st.dictionaries(
    st.text("abc", min_size=1, max_size=4),
    st.tuples(st.sampled_from(SCORES), st.sampled_from([PieceType.NORMAL, UNUSED, UNUSED])),
    min_size=3,
    max_size=10,
).map(lambda pieces: bpe(*((piece, *values) for piece, values in pieces.items())))


@settings(max_examples=150)
@given(unused_models, st.text("abc", max_size=12), st.lists(st.text("abc", max_size=6), min_size=1, max_size=5))
def test_unused_pieces(model: FastSentencePieceBPE, text: str, continuations: list[str]) -> None:
    assert_streams(model, text)
    assert_final(model, text, continuations)


def test_what_an_unused_piece_is_split_into_is_told_when_there_is_one_way_only() -> None:
    model = bpe(("a", -1.0), ("b", -1.0), ("ab", -2.0, UNUSED), ("c", -1.0))
    assert stream(model, [*"abc"]) == [[], [], [1, 2], [1, 2, 4]]
    pieces = [("ab", -3.0), ("bc", -2.0), ("abc", -4.0, UNUSED), ("a", -1.0), ("c", -1.0), ("bcc", -1.0), ("x", 0.0)]
    held = bpe(*pieces)
    assert stream(held, [*"axabcxa"])[3:] == [[4, 7], [4, 7], [4, 7], [4, 7], held.ids("axabcxa")]


def test_a_run_of_unknown_pieces_is_one_id_across_words_and_chunks() -> None:
    model = unigram(("a", -1.0), ("▁", -1.0, PieceType.CONTROL))
    for fragments in (["a▁▁▁xx▁a"], ["a▁", "▁", "▁xx▁xx▁xx", "▁a"]):
        assert stream(model, fragments)[-1] == [1, 0, 1]


@pytest.mark.parametrize("scale", [0.01, 10.0, 5_000.0, 90_000.0, 1e9, 1e37])
def test_sums_are_those_of_float32_over_the_whole_text(scale: float) -> None:
    generator = random.Random(1)
    pieces = {"".join(generator.choices("abc▁", k=generator.randrange(1, 6))) for _ in range(60)}
    model = unigram(*((piece, -scale * generator.random()) for piece in sorted(pieces)))
    text = "".join(generator.choices("aabbcc▁▁x", k=3_000))
    expected = whole_ids(model, text)
    assert model.ids(text) == expected
    for longest in (1, 3, 200):
        bounds = sorted({generator.randrange(len(text)) for _ in range(2 * len(text) // longest)})
        assert stream(model, cut(text, bounds))[-1] == expected
    assert stream(model, list(text))[-1] == expected


@settings(max_examples=150)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=5), st.floats(-1, 1), min_size=1),
    st.sampled_from([1.0, RESET_THRESHOLD, 3e38]),
    st.text("abx", max_size=20),
)
def test_a_score_beyond_the_threshold_is_taken_off(scores: dict[str, float], scale: float, text: str) -> None:
    pieces = ((piece, float(f"{score * scale:.3g}")) for piece, score in scores.items())
    model = unigram(*pieces)
    expected = whole_ids(model, text)
    for fragments in ([text] if text else [], list(text), cut(text, [1, 4, 5, 11])):
        assert stream(model, fragments)[-1] == expected


@settings(max_examples=150)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=5), st.floats(-1, -0.01), min_size=1),
    st.sampled_from([5_000.0, 60_000.0, 99_000.0, 3e38]),
    st.text("abx", min_size=60, max_size=300),
)
def test_scores_are_taken_off_at_the_same_places_where_a_long_text_is_searched_block_by_block(
    scores: dict[str, float], scale: float, text: str
) -> None:
    model = unigram(*((piece, to_float32(score * scale)) for piece, score in scores.items()))
    expected = whole_ids(model, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_BLOCK", 66)
        for size in (7, 70, len(text)):
            assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


def test_a_place_that_the_path_to_it_passes_by_takes_off_the_same_when_the_rest_is_searched_again() -> None:
    """Fault: the rest began behind the start of a piece that spans its beginning, whose score was taken off."""
    model = unigram(("b", -60_000.0), ("bb", -80_000.0), ("aa", -21_125.3), ("babb", -70_000.0), ("bab", -20_000.0))
    text = "bb" + "a" * 2037 + "bbabbbabaaa"
    expected = whole_ids(model, text)
    assert expected[-4:] == [4, 5, 0, 3]
    assert stream(model, [text])[-1] == expected


@settings(max_examples=150)
@given(
    models(UNIGRAM),
    st.lists(st.text("aab▁é中x.", max_size=7), min_size=1, max_size=8),
    st.sampled_from([1, 40, 400]),
    st.lists(st.integers(1, 60), max_size=6),
)
def test_words_that_are_remembered_give_the_ids_of_the_whole_text(
    data: bytes, words: list[str], times: int, sizes: list[int]
) -> None:
    model = model_of(data)
    assert isinstance(model, FastSentencePieceUnigram)
    text = "▁".join(words * times)
    if text:
        expected = whole_ids(model, text)
        for fragments in ([text], [text], cut(text, list(accumulate(sizes)))):
            assert stream(model, fragments)[-1] == expected


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0, 20_000.0])
def test_the_score_before_a_word_is_summed_up_where_the_word_asks_for_it(scale: float, byte_fallback: bool) -> None:
    generator = random.Random(7)
    inside = {"".join(generator.choices("abc", k=generator.randrange(1, 5))) for _ in range(30)}
    scored = [Piece(text, -scale * generator.choice([0.5, 0.25, generator.random()])) for text in sorted(inside)]
    bytes_of_text = [Piece(piece, 0.0, PieceType.BYTE) for piece in (BYTE_PIECES if byte_fallback else ())]
    pieces = [Piece("<unk>", 0.0, UNKNOWN), Piece("▁", -scale), *scored, *bytes_of_text]
    model = FastSentencePieceUnigram(SentencePieceUnigram(PieceTable(pieces, byte_fallback)))
    text = "".join(generator.choices("aabbccccabcéx▁▁", k=20_000))
    expected = whole_ids(model, text)
    for size in (20_000, 999, 30, 5):
        assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


@pytest.mark.parametrize("model_class", [SentencePieceBPE, SentencePieceChar])
def test_a_user_defined_symbol_is_held_while_a_longer_one_may_come(model_class: type[PieceModel]) -> None:
    pieces = [("a", -1.0), ("b", -1.0), ("ab", -1.0, USER_DEFINED), ("abab", -1.0, USER_DEFINED)]
    model = fast_model(model_class(table(*pieces)))
    assert stream(model, [*"aababb"])[-1] == [1, 4, 2]
    assert_streams(model, "aabaababbabab")


def test_parts_follow_each_other_with_added_tokens_between_them() -> None:
    for model in (unigram(("a", -1.0)), bpe(("a", -1.0))):
        ids: list[int] = []
        stage = stream_model(model, ids)
        stage.text("ax")
        stage.end_pre_token()
        stage.end_pre_token()
        stage.token(9)
        stage.pre_tokens(["xa", "x"])
        stage.text("x")
        stage.end_pre_token()
        assert ids == [1, 0, 9, 0, 1, 0, 0]


@settings(max_examples=200)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=5), st.integers(-400, 0), min_size=2, max_size=14),
    st.sampled_from([0.001, 0.01, 0.03, 40.0]),
    st.text("aab", min_size=1, max_size=12),
    st.integers(0, 1 << 20),
)
def test_a_part_that_is_looked_up_is_segmented_in_one_way_whatever_the_score_before_it(
    scores: dict[str, int], scale: float, part: str, seed: int
) -> None:
    pieces = ((piece, to_float32(-7.3 * scale + score * scale / 64)) for piece, score in scores.items())
    model = unigram(*pieces)
    path = model.path(part)
    if path is not None:
        chance = random.Random(seed)
        bound = SUMS.sure - len(part) * model.largest
        for score in (to_float32(chance.uniform(-bound, bound)) for _ in range(40)):
            assert [token_id for _, _, token_id in path_to_end(paths_behind(model.model, score, part))[1:]] == [*path]


def paths_behind(model: SentencePieceUnigram, score: float, part: str) -> list[Best]:
    """For each place the best path, where one piece with this score stands before the part."""

    def matches(start: int) -> list[PieceMatch]:
        if start == 0:
            return [(1, NO_ID, score)]
        return [(end + 1, token_id, score) for end, token_id, score in model.matches(part, start - 1)]

    return best_paths(len(part) + 1, matches, to_float32, RESET_THRESHOLD)


def test_what_was_searched_counts_in_the_score_of_what_is_looked_up_behind_it() -> None:
    equal = [("c", -3.5), ("d", -3.5), ("cd", -7.0)]
    model = unigram(("a", -1.0), ("b", -1.0), ("ab", -2.0001), *equal)
    text = "cd" * 9_000 + "ab"
    expected = whole_ids(model, text)
    assert (expected[-1], model.ids("ab")) == (3, [1, 2])
    for size in (1, 3, len(text)):
        assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


def test_known_words_are_looked_up_until_the_score_has_no_room_for_their_own() -> None:
    """Fault: a book took five times as long, since some 1,000 characters before each threshold were searched."""
    model = unigram(("▁", -30.0), ("a", -30.0), ("b", -30.0), ("▁ab", -30.0), ("▁abb", -30.0))
    stage = stream_model(model, [])
    text = "▁ab▁abb" * 3_000

    def run() -> None:
        stage.text(text)
        stage.end_pre_token()

    run()
    assert steps(run) < len(text)


def test_a_word_is_sure_where_only_paths_far_behind_have_many_sums() -> None:
    letters = [(letter, -9.0) for letter in "abcdefghij"]
    words = [("▁abcdefg", -9.0), ("hij", -8.85), ("▁abcde", -9.0), ("fghij", -8.93)]
    model = unigram(("▁", -9.0), *letters, *words)
    assert list(model.paths_of_keys["abcdefghij"]) == model.ids("▁abcdefghij") == [12, 13]


def test_the_score_of_an_unknown_character_that_falls_to_one_byte_counts_in_full() -> None:
    bytes_of_text = [Piece(piece, 0.0, PieceType.BYTE) for piece in BYTE_PIECES]
    scored = [Piece("a", -1.0), Piece("b", -0.999), Piece("ab", -2.0)]
    pieces = PieceTable([Piece("<unk>", 0.0, UNKNOWN), *bytes_of_text, *scored], byte_fallback=True)
    model = FastSentencePieceUnigram(SentencePieceUnigram(pieces))
    text = "~" * 12_000 + "ab"
    expected = whole_ids(model, text)
    assert (expected[-1], model.ids("ab")) == (259, [257, 258])
    assert stream(model, [text])[-1] == expected


def test_a_word_of_unknown_characters_is_joined_to_what_comes_before_it() -> None:
    model = unigram(("a", -1.0), ("▁", -1.0))
    for text, expected in (("▁axx▁xxa▁xx▁", [2, 1, 0, 2, 0, 1, 2, 0, 2]), ("▁xx", [2, 0])):
        for _ in range(2):
            assert stream(model, [text])[-1] == expected
    bare = unigram(("a", -1.0))
    assert stream(bare, ["a▁xx▁xa▁a▁▁x"])[-1] == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("scale", [1.0, 30.0, 3_000.0])
def test_a_long_word_is_looked_up_step_by_step(scale: float) -> None:
    generator = random.Random(3)
    inside = {"".join(generator.choices("abc", k=generator.randrange(1, 5))) for _ in range(30)}
    model = unigram(*((piece, -scale * generator.random()) for piece in sorted(inside)))
    text = "".join(generator.choices("aabbccx", k=9_000))
    expected = whole_ids(model, text)
    for size in (9_000, 700, 1):
        assert stream(model, [text[start : start + size] for start in range(0, len(text), size)])[-1] == expected


def test_a_word_for_whose_whole_the_score_has_no_room_is_searched_by_steps() -> None:
    model = unigram(("a", -1_000.0), ("b", -1_000.0), ("b" * 12, -1_000.0))
    for text in ("a" * 26 + "b" * 10, "a" * 26 + "b" * 100, "a" * 30 + "b" * 5_000):
        assert stream(model, [text])[-1] == whole_ids(model, text)


def test_a_piece_of_thousands_of_characters_is_looked_up_at_the_end() -> None:
    """In a stream each character would go on with thousands of pieces that have begun."""
    for size, is_streamed in ((500, True), (501, False)):
        model, text = unigram(("a", -1.0), ("a" * size, -3.0)), "a" * (size + 2)
        assert (not stream_model(model, []).held_until_end) is is_streamed
        expected = whole_ids(model, text)
        assert expected == model.ids(text)
        for bounds in ([], [1, size], [size - 1], range(size)):
            assert stream(model, cut(text, bounds))[-1] == expected
