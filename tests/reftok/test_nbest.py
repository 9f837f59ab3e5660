from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import InvalidText, UnsupportedFeature
from reftok.nbest import n_best
from reftok.rules.sentencepiece.options import SentencePieceOptions
from reftok.rules.sentencepiece.pieces import PieceType

from .protobuf_writer import BPE, CHAR, UNIGRAM, UNKNOWN, WORD, PieceTuple, model_bytes
from .sentencepiece_strategies import load_both, models, official_n_best, own_n_best, raw_bytes, texts

NORMAL, USER_DEFINED = PieceType.NORMAL, PieceType.USER_DEFINED
A, B, AB = ("a", -1.0, NORMAL), ("b", -1.0, NORMAL), ("ab", -2.0, NORMAL)


def unigram(*pieces: PieceTuple) -> bytes:
    return model_bytes([UNKNOWN, *pieces], normalizer={3: False, 4: False})


def assert_same(data: bytes, text: str, size: int) -> list[list[str]]:
    tokenizer, official = load_both(data)
    own = own_n_best(tokenizer, text.encode(), size)
    assert own == official_n_best(official, text.encode(), size)
    return [[token for _, token, _ in tokens] for _, tokens in own]


@settings(max_examples=150)
@given(models(UNIGRAM), st.one_of(texts.map(str.encode), raw_bytes), st.sampled_from([-1, 0, 1, 2, 5, 100, 512]))
def test_the_n_best_are_those_of_the_official_library(data: bytes, text: bytes, size: int) -> None:
    tokenizer, official = load_both(data)
    assert own_n_best(tokenizer, text, size) == official_n_best(official, text, size)


@pytest.mark.parametrize("size", [2, 3, 7, 30, 512])
def test_equals_come_in_the_order_of_the_librarys_heap(size: int) -> None:
    assert len(assert_same(unigram(A, B, AB, ("ba", -2.0, NORMAL)), "ab" * 6, size)) == min(size, 233)


@pytest.mark.parametrize("size", [2, 40, 512])
@pytest.mark.parametrize("length", [60, 400])
def test_a_crowded_agenda_is_shrunk_as_in_the_library(length: int, size: int) -> None:
    pieces = [("a" * count, -0.3 - count / 7, NORMAL) for count in range(1, 9)]
    assert_same(unigram(*pieces), "a" * length, size)


def test_after_the_agenda_is_shrunk_the_paths_that_were_kept_do_not_count_again() -> None:
    data = unigram(A, B, AB, ("c", -1.0, NORMAL))
    assert len(assert_same(data, "ab" * 200 + "c" * 100_000, 2)) == 2


def test_a_search_with_too_many_hypotheses_gives_the_best_one_only() -> None:
    pieces = [("a" * count, -1.0, NORMAL) for count in range(1, 30)]
    assert len(assert_same(unigram(*pieces), "a" * 700, 512)) == 1


def test_a_user_defined_piece_scores_its_characters_here_and_its_bytes_in_encode() -> None:
    pieces = [("中", 0.1, NORMAL), ("文", 0.1, NORMAL), ("中文", -9.0, USER_DEFINED)]
    tokenizer, _ = load_both(unigram(*pieces))
    assert tokenizer.encode("中文").tokens == ["中文"]
    assert assert_same(unigram(*pieces), "中文", 2) == [["中", "文"], ["中文"]]


@pytest.mark.parametrize("size", [-5, 0, 1])
def test_a_size_below_two_gives_what_encode_gives_with_no_score(size: int) -> None:
    tokenizer, _ = load_both(unigram(A, B, AB))
    (best,) = n_best(tokenizer.rules, "abé", size)
    assert (best.encoding, best.score) == (tokenizer.encode("abé"), 0.0)


def test_the_offsets_count_code_points_of_a_str_and_bytes_of_bytes() -> None:
    tokenizer, _ = load_both(unigram(A, ("é", -1.0, NORMAL)))
    assert [list(best.encoding.offsets) for best in n_best(tokenizer.rules, "éa", 2)] == [[(0, 1), (1, 2)]]
    assert [list(best.encoding.offsets) for best in n_best(tokenizer.rules, "éa".encode(), 2)] == [[(0, 2), (2, 3)]]


def test_the_options_apply_to_each_of_the_n_best() -> None:
    data = unigram(A, B, AB, ("</s>", 0.0, PieceType.CONTROL))
    tokenizer, official = load_both(data)
    with_eos = tokenizer.with_options(sentencepiece_options=SentencePieceOptions(reverse=True, add_eos=True))
    for text in ("abé", ""):
        expected = official.NBestEncode(text, nbest_size=3, return_type=str, reverse=True, add_eos=True)
        assert [list(best.encoding.tokens) for best in n_best(with_eos.rules, text, 3)] == expected


@pytest.mark.parametrize("model_type", [BPE, WORD, CHAR])
def test_only_unigram_models_have_n_best(model_type: int) -> None:
    tokenizer, official = load_both(model_bytes([UNKNOWN, A], model_type))
    with pytest.raises(RuntimeError, match="not available"):
        official.NBestEncode("a", nbest_size=2)
    with pytest.raises(UnsupportedFeature, match="n_best: only sentencepiece's unigram models have it"):
        n_best(tokenizer.rules, "a", 2)


def test_a_size_beyond_512_is_refused() -> None:
    tokenizer, official = load_both(unigram(A))
    with pytest.raises(RuntimeError, match="512"):
        official.NBestEncode("a", nbest_size=513)
    with pytest.raises(UnsupportedFeature, match="size is 513"):
        n_best(tokenizer.rules, "a", 513)


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(InvalidText):
        n_best(load_both(unigram(A))[0].rules, "\ud800", 2)
