from __future__ import annotations

import random

import pytest

from reftok.rules.sentencepiece.pieces import PieceType
from reftok.rules.viterbi import to_float32

from ...protobuf_writer import CHAR, UNIGRAM, UNKNOWN, WORD, PieceTuple, byte_pieces, model_bytes
from ...sentencepiece_strategies import load_both, official_encoding, own_encoding

NORMAL, USER_DEFINED, UNUSED, CONTROL = PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED, PieceType.CONTROL


def unigram(*pieces: PieceTuple, model_type: int = UNIGRAM) -> bytes:
    return model_bytes([UNKNOWN, *pieces], model_type, normalizer={3: False, 4: False})


def assert_same(data: bytes, text: str) -> list[str]:
    tokenizer, official = load_both(data)
    assert own_encoding(tokenizer, text) == official_encoding(official, text)
    return list(tokenizer.encode(text).tokens)


def random_model(generator: random.Random, scale: float) -> bytes:
    texts = {"".join(generator.choices("abc▁", k=generator.randrange(1, 6))) for _ in range(60)}
    return unigram(*((text, -scale * generator.random(), NORMAL) for text in sorted(texts)))


SCALES = [0.01, 10.0, 5_000.0, 90_000.0, 1e9, 1e37]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_float32_adds_up_over_the_whole_text_and_starts_again_beyond_a_threshold(scale: float, seed: int) -> None:
    generator = random.Random(seed)
    data = random_model(generator, scale)
    tokenizer, official = load_both(data)
    text = "".join(generator.choices("aabbcc▁▁x", k=30_000))
    expected = official.Encode(text)
    assert tokenizer.encode_ids(text) == expected
    assert tokenizer.rules.encode_ids(text) == expected


def test_what_is_chosen_depends_on_what_came_before() -> None:
    pieces = [("▁", -7.0, NORMAL), ("a", -1.0, NORMAL), ("b", -1.0, NORMAL), ("ab", -2.0001, NORMAL)]
    data = unigram(*pieces)
    assert assert_same(data, "ab") == ["a", "b"]
    assert assert_same(data, "▁" * 9000 + "ab")[-2:] != ["a", "b"]


def test_on_equal_scores_the_piece_that_starts_first_stays() -> None:
    pieces = [("a", -1.0, NORMAL), ("b", -1.0, NORMAL), ("ab", -1.0, NORMAL), ("ba", -1.0, NORMAL)]
    assert assert_same(unigram(*pieces), "aba") == ["a", "ba"]


def test_an_unknown_character_costs_ten_more_than_the_lowest_normal_piece() -> None:
    for score, expected in [(9.9, ["ab"]), (10.1, ["a", "b"])]:
        pieces = [("a", score, NORMAL), ("b", -500.0, UNUSED), ("ab", -12.5, NORMAL)]
        assert assert_same(unigram(*pieces), "ab") == expected


@pytest.mark.parametrize("score", [-100.0, 0.0, 50.0])
def test_a_user_defined_piece_scores_a_tenth_for_each_byte_but_the_first(score: float) -> None:
    pieces = [("é中", score, USER_DEFINED), ("é", 0.15, NORMAL), ("中", 0.2, NORMAL), ("中a", 0.9, NORMAL)]
    assert_same(unigram(*pieces), "é中aé中")


def test_without_a_normal_piece_unknown_characters_are_the_best() -> None:
    assert_same(unigram(("ab", 0.0, USER_DEFINED), ("abab", 0.0, USER_DEFINED)), "abababxab" * 40)


def test_unused_pieces_never_match() -> None:
    assert assert_same(unigram(("a", -1.0, NORMAL), ("ab", 0.0, UNUSED), ("abc", -9.0, NORMAL)), "ababc") == [
        "a",
        "b",
        "abc",
    ]


def test_a_word_model_takes_whole_words() -> None:
    pieces = [("▁ab", 0.0, NORMAL), ("▁", 0.0, NORMAL), ("b", 0.0, UNUSED), ("▁c", 0.0, CONTROL)]
    data = unigram(*pieces, model_type=WORD)
    assert assert_same(data, "b ab  ab c") == ["b", "▁ab", "▁", "▁ab", "▁c"]
    assert load_both(data)[0].encode_ids("b ab c") == [0, 1, 0]


def test_a_char_model_takes_characters_and_user_defined_symbols() -> None:
    pieces = [("ab", 0.0, USER_DEFINED), ("a", 0.0, NORMAL), ("c", 0.0, UNUSED), ("d", 0.0, CONTROL)]
    assert assert_same(unigram(*pieces, model_type=CHAR), "aabcda") == ["a", "ab", "cd", "a"]


@pytest.mark.parametrize("model_type", [UNIGRAM, WORD, CHAR])
def test_unknown_text_falls_back_to_bytes(model_type: int) -> None:
    pieces = [UNKNOWN, ("a", -1.0, NORMAL), *byte_pieces()]
    assert_same(model_bytes(pieces, model_type, trainer={35: True}), "aé中 a xé")


def test_rounding_is_that_of_float32() -> None:
    assert to_float32(16_777_217.0) == 16_777_216.0


@pytest.mark.parametrize("scores", [(3.4e38, -3.4e38), (-3.4e38, -3e38, -1.0), (3.4e38, 3e38, 0.0)])
def test_sums_beyond_float32_are_infinite_as_in_the_library(scores: tuple[float, ...]) -> None:
    generator = random.Random(1)
    for _ in range(20):
        texts = sorted({"".join(generator.choices("abc", k=generator.randrange(1, 4))) for _ in range(8)})
        data = unigram(*((text, generator.choice(scores), NORMAL) for text in texts))
        assert_same(data, "".join(generator.choices("abcx", k=80)))
