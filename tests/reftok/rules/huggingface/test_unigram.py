from __future__ import annotations

import random
import tracemalloc

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.explain.model_steps import model_steps
from reftok.explain.steps import Lattice

from ...official import Json, assert_same_encoding, official, outcome, own, tokenizer_json, unigram

UNK = ("<unk>", 0.0)
A, B, AB, BC, C = ((piece, -1.0) for piece in ("a", "b", "ab", "bc", "c"))
BYTES = [(f"<0x{byte:02X}>", -5.0) for byte in "é".encode()]
TOKENS: dict[str, tuple[Json, str, list[str]]] = {
    "on equal scores the piece that starts first stays": (unigram(UNK, A, B, AB, ("ba", -1.0)), "aba", ["a", "ba"]),
    "an unknown character costs ten more than the lowest piece": (
        unigram(UNK, ("a", 9.9), ("ab", -3.0)), "ab", ["ab"],
    ),
    "and no less": (unigram(UNK, ("a", 10.1), ("ab", -3.0)), "ab", ["a", "b"]),
    "a run of unknown characters is one token": (unigram(UNK, A), "xyaz中", ["xy", "a", "z中"]),
    "the unknown piece matches text and fuses with unknown characters": (
        unigram(("?", 0.0), A), "x?a??", ["x?", "a", "??"],
    ),
    "byte fallback is all or nothing for a run": (
        unigram(UNK, A, *BYTES, byte_fallback=True), "éaéxa", ["<0xC3>", "<0xA9>", "a", "éx", "a"],
    ),
    "control pieces match text": (unigram(UNK, ("</s>", 0.0), A), "a</s>", ["a", "</s>"]),
    "a piece better than the unknown one makes that one needless": (
        unigram(A, AB, BC, C, unk_id=None), "abc", ["a", "bc"],
    ),
    "an empty piece never matches": (unigram(UNK, ("", 5.0), A), "aba", ["a", "b", "a"]),
    "scores that add up to infinity are equal": (
        unigram(UNK, ("a", 1.7e308), ("aa", 1.0), ("aaa", 1e308)), "aaaa", ["a", "aaa"],
    ),
    "or to minus infinity": (
        unigram(UNK, ("a", -1.7e308), ("aa", -1.7e308), ("b", 0.0)), "aaab", ["a", "aa", "b"],
    ),
}  # fmt: skip
"""By what they show: a model, a text and its tokens."""
NEEDS_UNKNOWN = [
    (unigram(A, unk_id=None), "ax"),
    (unigram(unk_id=None), "a"),
    (unigram(A, ("<0xC3>", -1.0), ("<0xA9>", -1.0), unk_id=None, byte_fallback=True), "é"),
]


@pytest.mark.parametrize("name", TOKENS)
def test_a_text_has_the_tokens_of_the_library(name: str) -> None:
    model, text, tokens = TOKENS[name]
    assert assert_same_encoding(tokenizer_json(model), text).tokens == tokens


@pytest.mark.parametrize("seed", range(5))
def test_scores_add_up_in_float64_over_long_texts(seed: int) -> None:
    generator = random.Random(seed)
    texts = {"".join(generator.choices("abc", k=generator.randrange(1, 6))) for _ in range(80)}
    pieces = [(text, round(generator.uniform(-12, -1), generator.randrange(12))) for text in sorted(texts)]
    assert_same_encoding(tokenizer_json(unigram(UNK, *pieces)), "".join(generator.choices("abcabcx", k=3000)))


@pytest.mark.parametrize(("model", "text"), NEEDS_UNKNOWN)
def test_without_an_unknown_piece_it_is_an_error_to_need_one(model: Json, text: str) -> None:
    config = tokenizer_json(model)
    assert assert_same_encoding(config, "").ids == []
    assert outcome(lambda: official(config).encode(text)) == "refused"
    problem = r"^tokenizer\.json: model\.unk_id: is missing, but the text has an unknown character"
    with pytest.raises(ModelFormatError, match=problem):
        own(config).encode(text)


def test_of_a_piece_that_is_there_twice_the_last_counts() -> None:
    model = unigram(UNK, A, B, ("ab", -9.0), ("ab", -1.5))
    assert assert_same_encoding(tokenizer_json(model), "ab").ids == [4]


def test_an_unknown_piece_that_is_not_there_is_no_node_of_the_lattice() -> None:
    model = own(tokenizer_json(unigram(A, AB, BC, C, unk_id=None))).rules.model
    lattice = model_steps(model, "abc")
    assert isinstance(lattice, Lattice)
    assert [node.piece for node in lattice.nodes] == ["ab", "a", "bc", "c"]


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
    config = tokenizer_json(unigram(A, unk_id=1))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.unk_id: 1 is not an id of the 1 pieces"):
        own(config)


def test_the_lattice_holds_the_best_path_to_each_position() -> None:
    model = own(tokenizer_json(unigram(UNK, ("a", -1.0), ("b", -1.5), ("ab", -2.0)))).rules.model
    best = model.best_paths("ab")
    assert [(node.score, node.start) for node in best[1:]] == [(-1.0, 0), (-2.0, 0)]
