from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.bpe.fast_scored_bpe import FastSentencePieceBPE, FastSPM, settled_splits
from reftok.errors import InvalidText
from reftok.rules.sentencepiece.bpe import SentencePieceBPE

from ...protobuf_writer import BPE
from ...rules.llama_cpp.test_spm import MODEL, model, words
from ...rules.sentencepiece.test_bpe import LONG_RUNS, with_pieces
from ...sentencepiece_strategies import load_both, models


def assert_same(model: object, text: str) -> None:
    """Ask twice: the second time words are looked up."""
    assert isinstance(model, SentencePieceBPE)
    fast = FastSentencePieceBPE(model)
    expected = [token.id for token in model.tokenize(text)]
    for _ in range(2):
        assert fast.ids(text) == expected
        assert list(fast.ids_of(text)) == expected


@given(models(BPE), st.text("ab▁é中 x", max_size=60))
def test_the_fast_path_gives_what_the_plain_one_gives(data: bytes, text: str) -> None:
    assert_same(load_both(data)[0].rules.model, text)


@given(models(BPE), st.text("ab▁é中 x", max_size=60))
def test_the_segments_that_are_settled_are_the_first_ones_of_the_plain_way(data: bytes, text: str) -> None:
    model = load_both(data)[0].rules.model
    assert isinstance(model, SentencePieceBPE)
    settled, are_all = FastSentencePieceBPE(model).settled_segments(text)
    expected = list(model.segments(text))
    assert list(settled) == (expected if are_all else expected[: len(settled)])


def test_an_unused_piece_with_a_half_that_is_not_settled_is_not_settled_either() -> None:
    assert settled_splits({"abc", "abcd"}, {"ab", "bc", "abc", "abcd"}) == {}
    assert settled_splits({"ab", "abc"}, {"ab", "abc"}) == {"ab": ("a", "b"), "abc": ("ab", "c")}


@given(models(BPE), st.lists(st.text("ab▁é中.,x", max_size=9), max_size=9).map("▁".join))
def test_words_with_punctuation_are_what_the_plain_merges_make_of_them(data: bytes, text: str) -> None:
    assert_same(load_both(data)[0].rules.model, text)


@pytest.mark.parametrize("text", ["▁a.", "▁a.▁a.a", "a.▁a.."])
def test_a_mark_that_a_piece_joins_to_the_letter_before_it_is_not_cut_off(text: str) -> None:
    assert_same(with_pieces("a."), text)


@pytest.mark.parametrize("text", LONG_RUNS)
def test_a_long_run_has_the_ids_of_the_plain_merges(text: str) -> None:
    assert_same(with_pieces("aa", "ab", "aaaa", "abab", "▁▁", "▁b", "ba"), text)


@given(text=words | st.text())
def test_the_fast_path_gives_what_the_steps_give(text: str) -> None:
    fast = FastSPM(MODEL)
    for _ in range(2):
        assert fast.ids(text) == [token.id for token in MODEL.tokenize(text)]


@given(
    tokens=st.lists(st.tuples(st.text("ab▁c", min_size=2, max_size=4), st.sampled_from([-inf, -1e30, -2.0, 0.0]))),
    text=st.text("abc▁", max_size=20),
)
def test_the_fast_path_gives_what_the_steps_give_with_any_vocab(tokens: list[tuple[str, float]], text: str) -> None:
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "▁": -1.0, **dict(tokens)}
    spm = model(*scores.items())
    assert FastSPM(spm).ids(text) == [token.id for token in spm.tokenize(text)]


@given(data=st.binary() | words.map(str.encode))
def test_bytes_have_the_ids_that_the_steps_give(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    assert FastSPM(MODEL).ids(text) == [token.id for token in MODEL.tokenize(text)]


@pytest.mark.parametrize("text", ["x", "ax", "\0", "é"])
def test_a_byte_without_a_token_is_refused_by_name(text: str) -> None:
    fast = FastSPM(model(("a", -1.0), ("<0xC3>", 0.0)))
    problem = r"has no token: neither <0x(78|00|A9)> nor the byte is in the vocab; llama\.cpp ends the process"
    with pytest.raises(InvalidText, match=problem):
        fast.ids(text)
