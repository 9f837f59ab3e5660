from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.models.bpe import BPE, merge_all
from reftok.models.ordered_merges import OrderedMerges, are_in_order, merge_in_order

LETTERS = "abc"


@st.composite
def ordered_vocabs(draw: st.DrawFn) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocab numbered in the order of the merges; some entries come from no merge."""
    vocab = {letter: number for number, letter in enumerate(LETTERS)}
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 24))):
        left, right = (draw(st.sampled_from([*vocab])) for _ in range(2))
        if left + right in vocab or len(left + right) > 60:
            continue
        vocab[left + right] = len(vocab)
        if draw(st.integers(0, 9)):
            merges.append((left, right))
    return vocab, merges


def by_id(vocab: dict[str, int], merges: list[tuple[str, str]]) -> tuple[list[int], list[int], list[int]]:
    lefts = [vocab[left] for left, _ in merges]
    rights = [vocab[right] for _, right in merges]
    return lefts, rights, [vocab[left + right] for left, right in merges]


def ordered(vocab: dict[str, int], merges: list[tuple[str, str]]) -> OrderedMerges:
    lefts, rights, wholes = by_id(vocab, merges)
    assert are_in_order(lefts, rights, wholes)
    return OrderedMerges(vocab, {token_id: token for token, token_id in vocab.items()}, lefts, rights, wholes)


def plain_ids(vocab: dict[str, int], merges: list[tuple[str, str]], word: str) -> list[int]:
    lefts, rights, wholes = by_id(vocab, merges)
    ranks = dict(zip(zip(lefts, rights, strict=True), enumerate(wholes), strict=True))
    return [token_id for token_id, _ in merge_all([(vocab[letter], 1) for letter in word], ranks)]


@settings(max_examples=1500)
@given(ordered_vocabs(), st.data())
def test_every_word_has_the_ids_of_the_plain_merges(
    model: tuple[dict[str, int], list[tuple[str, str]]], data: st.DataObject
) -> None:
    vocab, merges = model
    words = [*vocab, *data.draw(st.lists(st.text(LETTERS, min_size=1, max_size=48), max_size=6))]
    words += ["".join(data.draw(st.lists(st.sampled_from([*vocab]), min_size=1, max_size=8))) for _ in range(4)]
    twin = ordered(vocab, merges)
    for word in words:
        expected = plain_ids(vocab, merges, word)
        assert twin.ids(word) in (expected, None if len(word) > 32 else expected)
        assert twin.searched_ids(word) in (expected, None)
        assert merge_in_order([vocab[letter] for letter in word], twin.wholes) == expected


@settings(max_examples=400)
@given(ordered_vocabs(), st.data())
def test_the_search_finds_every_word_of_a_vocab_in_which_all_is_merged(
    model: tuple[dict[str, int], list[tuple[str, str]]], data: st.DataObject
) -> None:
    vocab, merges = model
    made = {*LETTERS, *(left + right for left, right in merges)}
    vocab = {token: token_id for token, token_id in vocab.items() if token in made}
    merges = [merge for merge in merges if made.issuperset(merge)]
    vocab = {token: token_id for token, token_id in vocab.items() if token in {*LETTERS, *map("".join, merges)}}
    merges = [merge for merge in merges if {*merge} <= vocab.keys()]
    word = data.draw(st.text(LETTERS, min_size=33, max_size=200))
    assert ordered(vocab, merges).searched_ids(word) == plain_ids(vocab, merges, word)


@pytest.mark.parametrize("word", ["a" * 100_000, "ab" * 50_000, "a" * 99_999 + "b"])
def test_a_word_of_a_hundred_thousand_letters_is_searched_through(word: str) -> None:
    vocab, merges = {"a": 0, "b": 1, "aa": 2, "aaaa": 3, "ab": 4}, [("a", "a"), ("aa", "aa"), ("a", "b")]
    twin = ordered(vocab, merges)
    assert twin.ids(word) == plain_ids(vocab, merges, word)


def test_a_token_that_its_letters_do_not_merge_to_is_never_given() -> None:
    model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5}, [("b", "c"), ("a", "b"), ("ab", "c")])
    assert list(model.known_ids["abc"]) == [token.id for token in model.tokenize("abc")] == [0, 3]


def test_a_token_of_which_no_merge_tells_is_never_given() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [])
    assert list(model.known_ids["ab"]) == [0, 1]


def test_a_token_as_long_as_a_thousand_nested_merges_is_reached() -> None:
    vocab = {"a": 0} | {"a" * size: size - 1 for size in range(2, 257)}
    merges = [("a" * size, "a") for size in range(1, 256)]
    assert list(BPE(vocab, merges).known_ids["a" * 255]) == plain_ids(vocab, merges, "a" * 255)


@pytest.mark.parametrize("word", ["abx", "x", "ab" * 20 + "x"])
def test_a_word_with_an_unknown_letter_is_left_to_the_plain_rule(word: str) -> None:
    twin = ordered({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    assert twin.ids(word) is None
    assert twin.searched_ids(word) is None
