from __future__ import annotations

import random
import tracemalloc
from functools import partial

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.explain.model_steps import model_steps
from reftok.explain.steps import Lattice

from ...official import Json, assert_same_encoding, official, outcome, own, tokenizer_json, unigram
from ...tokenizers_strategies import unigram_models, words
from .rows import byte_rows

UNK = ("<unk>", 0.0)


def official_model(model: Json) -> tokenizers.models.Unigram:
    return official(tokenizer_json(model)).model


def assert_same(model: Json, text: str) -> list[str]:
    return list(assert_same_encoding(tokenizer_json(model), text).tokens)


@settings(max_examples=1000)
@given(unigram_models(), st.lists(words, min_size=1, max_size=5))
def test_every_model_gives_the_tokens_of_the_library(model: Json, inputs: list[str]) -> None:
    ours, theirs = own(tokenizer_json(model)).rules.model, official_model(model)
    for text in inputs:
        expected = outcome(partial(byte_rows, theirs, text))
        assert outcome(partial(byte_rows, ours, text)) == expected


@pytest.mark.parametrize("seed", range(5))
def test_scores_add_up_in_float64_over_long_texts(seed: int) -> None:
    generator = random.Random(seed)
    texts = {"".join(generator.choices("abc", k=generator.randrange(1, 6))) for _ in range(80)}
    pieces = [(text, round(generator.uniform(-12, -1), generator.randrange(12))) for text in sorted(texts)]
    assert_same(unigram(UNK, *pieces), "".join(generator.choices("abcabcx", k=3000)))


def test_on_equal_scores_the_piece_that_starts_first_stays() -> None:
    pieces = [("a", -1.0), ("b", -1.0), ("ab", -1.0), ("ba", -1.0)]
    assert assert_same(unigram(UNK, *pieces), "aba") == ["a", "ba"]


def test_an_unknown_character_costs_ten_more_than_the_lowest_piece() -> None:
    for score, expected in [(9.9, ["ab"]), (10.1, ["a", "b"])]:
        assert assert_same(unigram(UNK, ("a", score), ("ab", -3.0)), "ab") == expected


def test_a_run_of_unknown_characters_is_one_token() -> None:
    assert assert_same(unigram(UNK, ("a", -1.0)), "xyaz中") == ["xy", "a", "z中"]


def test_the_unknown_piece_matches_text_and_fuses_with_unknown_characters() -> None:
    assert assert_same(unigram(("?", 0.0), ("a", -1.0)), "x?a??") == ["x?", "a", "??"]


def test_byte_fallback_is_all_or_nothing_for_a_run() -> None:
    pieces = [(f"<0x{byte:02X}>", -5.0) for byte in "é".encode()]
    model = unigram(UNK, ("a", -1.0), *pieces, byte_fallback=True)
    assert assert_same(model, "éaéxa") == ["<0xC3>", "<0xA9>", "a", "éx", "a"]
    encoding = assert_same_encoding(tokenizer_json(model), "aé")
    assert encoding.offsets == [(0, 1), (1, 2), (1, 2)]


def test_control_pieces_match_text() -> None:
    assert assert_same(unigram(UNK, ("</s>", 0.0), ("a", -1.0)), "a</s>") == ["a", "</s>"]


def test_of_a_piece_that_is_there_twice_the_last_counts() -> None:
    model = unigram(UNK, ("a", -1.0), ("b", -1.0), ("ab", -9.0), ("ab", -1.5))
    assert assert_same_encoding(tokenizer_json(model), "ab").ids == [4]


def test_without_an_unknown_piece_it_is_an_error_to_need_one() -> None:
    model = unigram(("a", -1.0), unk_id=None)
    assert outcome(lambda: official_model(model).tokenize("ax")) == "refused"
    with pytest.raises(
        ModelFormatError, match=r"^tokenizer\.json: model\.unk_id: is missing, but the text has an unknown character"
    ):
        own(tokenizer_json(model)).encode("ax")


def test_a_piece_that_is_better_than_the_unknown_one_makes_that_one_needless() -> None:
    assert assert_same(unigram(("a", -1.0), ("ab", -1.0), ("bc", -1.0), ("c", -1.0), unk_id=None), "abc") == ["a", "bc"]


def test_an_unknown_piece_that_is_not_there_is_no_node_of_the_lattice() -> None:
    model = own(tokenizer_json(unigram(("a", -1.0), ("ab", -1.0), ("bc", -1.0), ("c", -1.0), unk_id=None))).rules.model
    lattice = model_steps(model, "abc")
    assert isinstance(lattice, Lattice)
    assert [node.piece for node in lattice.nodes] == ["ab", "a", "bc", "c"]


def test_an_empty_piece_never_matches() -> None:
    assert assert_same(unigram(UNK, ("", 5.0), ("a", -1.0)), "aba") == ["a", "b", "a"]


def test_scores_that_add_up_to_infinity_are_equal() -> None:
    assert assert_same(unigram(UNK, ("a", 1.7e308), ("aa", 1.0), ("aaa", 1e308)), "aaaa") == ["a", "aaa"]
    assert assert_same(unigram(UNK, ("a", -1.7e308), ("aa", -1.7e308), ("b", 0.0)), "aaab") == ["a", "aa", "b"]


def test_without_pieces_every_text_lacks_the_unknown_one() -> None:
    config = tokenizer_json(unigram(unk_id=None))
    assert outcome(lambda: official(config).encode("a")) == outcome(lambda: own(config).encode("a")) == "refused"
    assert assert_same_encoding(config, "").ids == []


def test_without_an_unknown_piece_nothing_falls_back_to_bytes() -> None:
    model = unigram(("a", -1.0), ("<0xC3>", -1.0), ("<0xA9>", -1.0), unk_id=None, byte_fallback=True)
    assert outcome(lambda: official_model(model).tokenize("é")) == "refused"
    assert outcome(lambda: own(tokenizer_json(model)).encode("é")) == "refused"


def test_pieces_that_begin_with_each_other_take_memory_like_the_file() -> None:
    pieces = [("a" * length, -1.0) for length in range(1, 2000)]
    tracemalloc.start()
    own(tokenizer_json(unigram(UNK, *pieces)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * sum(len(piece) for piece, _ in pieces)


def test_a_hostile_piece_does_not_take_gigabytes() -> None:
    with pytest.raises(UnsupportedFeature, match=r"model\.vocab: pieces are too long: the longest has 100000"):
        own(tokenizer_json(unigram(UNK, ("a" * 100_000, -1.0))))


def test_an_unknown_id_outside_the_vocab_is_refused() -> None:
    model = unigram(("a", -1.0), unk_id=1)
    assert outcome(lambda: official_model(model)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.unk_id: 1 is not an id of the 1 pieces"):
        own(tokenizer_json(model))


def test_the_lattice_holds_the_best_path_to_each_position() -> None:
    model = own(tokenizer_json(unigram(UNK, ("a", -1.0), ("b", -1.5), ("ab", -2.0)))).rules.model
    best = model.best_paths("ab")
    assert [(node.score, node.start) for node in best[1:]] == [(-1.0, 0), (-2.0, 0)]
