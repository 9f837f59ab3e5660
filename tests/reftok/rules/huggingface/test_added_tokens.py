from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken, Encoding

from ...official import (
    Json,
    added,
    as_lists,
    assert_same_encoding,
    bpe,
    chain,
    official,
    official_encoding,
    outcome,
    own,
    tokenizer_json,
    unigram,
)
from ...tokenizers_strategies import CONTENTS, added_tokens, texts

LETTERS = bpe([*"abcxyz_é ▁"])
NORMALIZERS: list[Json] = [
    {"type": "Prepend", "prepend": "▁"},
    {"type": "NFC"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "bb"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
]
lookalikes = st.lists(st.one_of(st.sampled_from([*CONTENTS, *" abc\n"]), texts), max_size=8).map("".join)


def assert_same(text: str, *tokens: AddedToken, model: Json = LETTERS, **stages: Json | None) -> Encoding:
    return assert_same_encoding(tokenizer_json(model, tokens, **stages), text)


@settings(max_examples=700)
@given(added_tokens, st.lists(st.sampled_from(NORMALIZERS), max_size=2), lookalikes, st.booleans())
def test_added_tokens_are_cut_out_as_in_the_library(
    tokens: list[AddedToken], steps: list[Json], text: str, encode_special_tokens: bool
) -> None:
    config = tokenizer_json(LETTERS, tokens, normalizer=chain("normalizers", steps))
    try:
        ours = own(config)
    except UnsupportedFeature:
        assume(False)
    theirs = official(config)
    theirs.encode_special_tokens = encode_special_tokens
    ours = ours.with_options(encode_special_tokens=encode_special_tokens)
    expected = outcome(lambda: official_encoding(theirs, text))
    if not isinstance(expected, str):
        assert as_lists(ours.encode(text)) == as_lists(expected)


PREPEND, NFC, SPACES, _, _ = NORMALIZERS
PARTS: dict[str, tuple[str, list[AddedToken], Json | None, list[str]]] = {
    "the leftmost match wins, the longest of those": (
        "xabcab", [added("ab"), added("abc"), added("bca")], None, ["x", "abc", "ab"],
    ),
    "a match that single_word rejects is consumed": (
        "abcx ab", [added("abc", single_word=True), added("ab")], None, ["a", "b", "c", "x", " ", "ab"],
    ),
    "a normalized token is matched by its normalized form": (
        "bc abc", [added("bc", normalized=True)], PREPEND, ["▁bc", " ", "a", "b", "c"],
    ),
    "a raw token is matched before normalization": ("e\u0301é", [added("é")], NFC, ["é", "é"]),
    "each part between raw tokens is normalized on its own": (
        "a<s>b", [added("<s>")], PREPEND, ["▁", "a", "<s>", "▁", "b"],
    ),
    "an empty content is left out": ("ab", [added(""), added("x")], None, ["a", "b"]),
}  # fmt: skip
"""By what they show: a text, added tokens, a normalizer, and the tokens of the text."""


@pytest.mark.parametrize("name", PARTS)
def test_a_text_has_the_tokens_of_the_library(name: str) -> None:
    text, tokens, normalizer, expected = PARTS[name]
    assert assert_same(text, *tokens, normalizer=normalizer).tokens == expected


SPANS: dict[str, tuple[str, list[AddedToken], Json | None, list[tuple[int, int]]]] = {
    "left stripping reaches back to the match before": (
        "<s>  <a>", [added("<s>", rstrip=True), added("<a>", lstrip=True)], None, [(0, 5), (5, 8)],
    ),
    "right stripping does not move the matcher": (
        "<a>  x", [added("<a>", rstrip=True), added("  ")], None, [(0, 5), (3, 5), (5, 6)],
    ),
    "stripping takes line feeds and wide spaces": (
        "x\n\u3000<a>\t y", [added("<a>", lstrip=True, rstrip=True)], None, [(0, 1), (1, 8), (8, 9)],
    ),
    "a normalized form has the spans of its text": (
        "e\u0301é", [added("e\u0301", normalized=True)], NFC, [(0, 1), (2, 3)],
    ),
    "each white space is looked at once": (" " * 8_000, [added(" ", lstrip=True)], None, [
        (place, place + 1) for place in range(8_000)
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", SPANS)
def test_a_token_has_the_span_that_the_library_says(name: str) -> None:
    text, tokens, normalizer, expected = SPANS[name]
    assert assert_same(text, *tokens, normalizer=normalizer).offsets == expected


def test_with_encode_special_tokens_only_special_tokens_are_ordinary_text() -> None:
    config = tokenizer_json(
        LETTERS, [added("abc", special=True), added("x y"), added("A", normalized=True, special=True)]
    )
    ours, theirs = own(config), official(config)
    assert ours.encode("abcx yA").tokens == theirs.encode("abcx yA").tokens == ["abc", "x y", "A"]
    ours, theirs.encode_special_tokens = ours.with_options(encode_special_tokens=True), True
    assert ours.encode("abcx yA").tokens == theirs.encode("abcx yA").tokens == ["a", "b", "c", "x y"]
    assert ours.decode([0, 10], skip_special_tokens=True) == theirs.decode([0, 10], skip_special_tokens=True) == "a"


def test_a_match_that_encode_special_tokens_rejects_is_consumed() -> None:
    config = tokenizer_json(LETTERS, [added("abc", special=True), added("ab")])
    ours, theirs = own(config).with_options(encode_special_tokens=True), official(config)
    theirs.encode_special_tokens = True
    assert ours.encode("abc").tokens == theirs.encode("abc").tokens == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "alone"), [("a", True), (" a.", True), ("a_", False), ("éa", False), ("a\u0301", False)]
)
def test_single_word_needs_no_word_character_on_either_side(text: str, alone: bool) -> None:
    encoding = assert_same(text, added("a", single_word=True), model=bpe("b"))
    assert list(encoding.tokens) == (["a"] if alone else [])


def test_the_normalized_form_is_what_an_id_stands_for_and_is_not_skipped() -> None:
    token = added("<s>", normalized=True, special=True)
    config = tokenizer_json(bpe("ab"), [token], normalizer={"type": "Prepend", "prepend": "▁"})
    for load in (own, official):
        tokenizer = load(config)
        assert tokenizer.id_to_token(2) == "▁<s>"
        assert tokenizer.decode([0, 2], skip_special_tokens=True) == "a ▁<s>"


def test_a_content_of_the_vocab_keeps_its_id_and_others_get_the_next_free_one() -> None:
    config = tokenizer_json(bpe({"a": 0, "b": 7}), [added("x"), added("b"), added("y"), added("x", special=True)])
    for load in (own, official):
        assert [load(config).token_to_id(token) for token in "xby"] == [2, 7, 3]


def test_an_id_in_a_gap_of_the_vocab_that_two_tokens_get_is_the_last_ones() -> None:
    holes = bpe({"a": 0, "b": 3})
    assert assert_same("xyab", added("x"), added("y"), added("b"), model=holes).tokens == ["x", "a", "b"]
    assert assert_same("xyab", added("x"), added("b"), added("y"), model=holes).tokens == ["x", "y", "a", "b"]
    again = [added("x"), added("b"), added("y"), added("b", lstrip=True)]
    assert assert_same("xyab y b", *again, model=holes).ids == [2, 0, 3, 3]
    config = tokenizer_json(holes, again)
    assert [own(config).token_to_id(token) for token in "xyab"] == [2, 3, 0, 3]
    assert own(config).vocab_size == official(config).get_vocab_size() == 4


def test_a_token_that_takes_an_id_over_is_matched_by_the_normalized_form_of_the_one_before() -> None:
    tokens = [added("x"), added("y", normalized=True), added("b", normalized=True)]
    stages = {"normalizer": {"type": "Replace", "pattern": {"String": "y"}, "content": "zz"}}
    config = tokenizer_json(bpe({"a": 0, "b": 3}), tokens, **stages)
    assert assert_same_encoding(config, "bzz").tokens == ["b", "zz"]
    assert own(config).id_to_token(3) == official(config).id_to_token(3) == "zz"


@settings(max_examples=200)
@given(
    st.lists(st.builds(added, st.sampled_from([*"abcxyz", "ab"]), normalized=st.booleans()), max_size=8),
    st.sampled_from([{"a": 0, "b": 3}, {"b": 1, "a": 2}, {"a": 9, "c": 4, "b": 3, "ab": 5}]),
    st.text(st.sampled_from([*"abcxyz"]), max_size=8),
)
def test_ids_are_assigned_as_in_the_library_whatever_gaps_the_vocab_has(
    tokens: list[AddedToken], vocab: dict[str, int], text: str
) -> None:
    config = tokenizer_json(bpe(vocab), tokens, normalizer=NORMALIZERS[3])
    try:
        ours = own(config)
    except UnsupportedFeature:
        assume(False)
    theirs = official(config)
    assert as_lists(ours.encode(text)) == as_lists(theirs.encode(text))
    assert [ours.id_to_token(i) for i in range(12)] == [theirs.id_to_token(i) for i in range(12)]
    assert {token: ours.token_to_id(token) for token in theirs.get_vocab()} == theirs.get_vocab()
    assert ours.vocab_size == theirs.get_vocab_size()


def test_free_ids_begin_after_all_pieces_even_where_a_piece_is_there_twice() -> None:
    config = tokenizer_json(unigram(("a", -1.0), ("a", -2.0), unk_id=None), [added("x")])
    assert own(config).token_to_id("x") == official(config).token_to_id("x") == 2


def test_the_last_of_equal_contents_counts_and_special_stays_special() -> None:
    config = tokenizer_json(bpe("ab"), [added("<s>", special=True), added("<s>", lstrip=True)])
    assert assert_same_encoding(config, "a <s>").offsets == [(0, 1), (1, 5)]
    assert own(config).decode([0, 2]) == official(config).decode([0, 2]) == "a"


def test_the_public_parts_know_each_other() -> None:
    vocabulary = AddedVocabulary([added("<s>", special=True), added("x")], {"x": 4})
    assert vocabulary.tokens == {1: added("<s>", special=True), 4: added("x")}
    assert list(vocabulary.contents) == ["<s>", "x"]
    assert (vocabulary.is_special("<s>"), vocabulary.is_special("x")) == (True, False)
    assert vocabulary.id_to_token(0) is None


def test_parts_that_are_settled_stay_and_empty_parts_go() -> None:
    vocabulary = AddedVocabulary([added("x")], {})
    splits = vocabulary.split_raw([Part(NormalizedString("ax"))])
    assert vocabulary.split_raw(splits) == splits
    assert AddedVocabulary().split_normalized([Part(NormalizedString(""))]) == []


def test_stripped_spans_that_overlap_too_often_to_be_kept_are_refused() -> None:
    tokenizer = own(tokenizer_json(LETTERS, [added(" ", rstrip=True)]))
    assert tokenizer.encode(" " * 3).tokens == ["   ", "  ", " "]
    with pytest.raises(ModelFormatError, match="added_tokens: makes 1002165 characters of 3000, which is refused"):
        tokenizer.encode(" " * 3_000)


def test_many_added_tokens_are_no_slower_than_few() -> None:
    tokens = [added(f"x{number}") for number in range(30_000)]
    tokenizer = own(tokenizer_json(LETTERS, tokens))
    assert tokenizer.encode("x" * 5_000 + "x29999a").tokens[-2:] == ["x29999", "a"]
