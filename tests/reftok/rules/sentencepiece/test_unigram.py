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


A, B = ("a", -1.0, NORMAL), ("b", -1.0, NORMAL)
AB_UNUSED = unigram(A, ("ab", 0.0, UNUSED), ("abc", -9.0, NORMAL))
WORDS = [("▁ab", 0.0, NORMAL), ("▁", 0.0, NORMAL), ("b", 0.0, UNUSED), ("▁c", 0.0, CONTROL)]
CHARACTERS = [("ab", 0.0, USER_DEFINED), ("a", 0.0, NORMAL), ("c", 0.0, UNUSED), ("d", 0.0, CONTROL)]
TOKENS: dict[str, tuple[bytes, str, list[str]]] = {
    "on equal scores the piece that starts first stays": (
        unigram(A, B, ("ab", -1.0, NORMAL), ("ba", -1.0, NORMAL)), "aba", ["a", "ba"],
    ),
    "an unknown character costs ten more than the lowest normal piece": (
        unigram(("a", 9.9, NORMAL), ("b", -500.0, UNUSED), ("ab", -12.5, NORMAL)), "ab", ["ab"],
    ),
    "and no less": (
        unigram(("a", 10.1, NORMAL), ("b", -500.0, UNUSED), ("ab", -12.5, NORMAL)), "ab", ["a", "b"],
    ),
    "unused pieces never match": (AB_UNUSED, "ababc", ["a", "b", "abc"]),
    "a word model takes whole words": (
        unigram(*WORDS, model_type=WORD), "b ab  ab c", ["b", "▁ab", "▁", "▁ab", "▁c"],
    ),
    "a char model takes characters and user-defined symbols": (
        unigram(*CHARACTERS, model_type=CHAR), "aabcda", ["a", "ab", "cd", "a"],
    ),
}  # fmt: skip
"""By what they show: a model, a text and its tokens."""


@pytest.mark.parametrize("name", TOKENS)
def test_a_text_has_the_tokens_of_the_library(name: str) -> None:
    data, text, tokens = TOKENS[name]
    assert assert_same(data, text) == tokens


@pytest.mark.parametrize("score", [-100.0, 0.0, 50.0])
def test_a_user_defined_piece_scores_a_tenth_for_each_byte_but_the_first(score: float) -> None:
    pieces = [("é中", score, USER_DEFINED), ("é", 0.15, NORMAL), ("中", 0.2, NORMAL), ("中a", 0.9, NORMAL)]
    assert_same(unigram(*pieces), "é中aé中")


def test_without_a_normal_piece_unknown_characters_are_the_best() -> None:
    assert_same(unigram(("ab", 0.0, USER_DEFINED), ("abab", 0.0, USER_DEFINED)), "abababxab" * 40)


@pytest.mark.parametrize("model_type", [UNIGRAM, WORD, CHAR])
def test_unknown_text_falls_back_to_bytes(model_type: int) -> None:
    assert_same(model_bytes([UNKNOWN, A, *byte_pieces()], model_type, trainer={35: True}), "aé中 a xé")


def test_rounding_is_that_of_float32() -> None:
    assert to_float32(16_777_217.0) == 16_777_216.0


@pytest.mark.parametrize("scores", [(3.4e38, -3.4e38), (-3.4e38, -3e38, -1.0), (3.4e38, 3e38, 0.0)])
def test_sums_beyond_float32_are_infinite_as_in_the_library(scores: tuple[float, ...]) -> None:
    generator = random.Random(1)
    for _ in range(20):
        texts = sorted({"".join(generator.choices("abc", k=generator.randrange(1, 4))) for _ in range(8)})
        data = unigram(*((text, generator.choice(scores), NORMAL) for text in texts))
        assert_same(data, "".join(generator.choices("abcx", k=80)))
