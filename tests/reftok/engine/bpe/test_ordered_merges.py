from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.bpe.fast_bpe import FastBPE
from reftok.engine.bpe.ordered_merges import OrderedMerges, are_in_order, merge_in_order
from reftok.engine.encode.models import fast_model
from reftok.spec.byte_level import to_byte_characters
from reftok.spec.models.bpe import BPE, ranked
from reftok.spec.models.merging import merge_all

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
    ranks = ranked(*by_id(vocab, merges))
    merged = merge_all([vocab[letter] for letter in word], lambda left, right: ranks.get((left, right)))
    return [token_id for _, token_id in merged]


@settings(max_examples=1500)
@given(ordered_vocabs(), st.data())
def test_every_word_has_the_ids_of_the_plain_merges(
    model: tuple[dict[str, int], list[tuple[str, str]]], data: st.DataObject
) -> None:
    vocab, merges = model
    words = [*vocab, *data.draw(st.lists(st.text(LETTERS, min_size=1, max_size=48), max_size=6))]
    words += ["".join(data.draw(st.lists(st.sampled_from([*vocab]), min_size=1, max_size=8))) for _ in range(4)]
    fast = ordered(vocab, merges)
    for word in words:
        expected = plain_ids(vocab, merges, word)
        assert [*(fast.ids(word) or expected)] == expected
        assert merge_in_order([vocab[letter] for letter in word], fast.wholes) == expected


@settings(max_examples=400)
@given(ordered_vocabs(), st.text(LETTERS, min_size=25, max_size=200))
def test_a_word_of_many_windows_has_the_ids_of_the_plain_merges(
    model: tuple[dict[str, int], list[tuple[str, str]]], word: str
) -> None:
    vocab, merges = model
    found = ordered(vocab, merges).ids(word)
    assert found is None or [*found] == plain_ids(vocab, merges, word)


@pytest.mark.parametrize("word", ["a" * 100_000, "ab" * 50_000, "a" * 99_999 + "b"])
def test_a_word_of_a_hundred_thousand_letters_is_merged_window_by_window(word: str) -> None:
    vocab, merges = {"a": 0, "b": 1, "aa": 2, "aaaa": 3, "ab": 4}, [("a", "a"), ("aa", "aa"), ("a", "b")]
    found = ordered(vocab, merges).ids(word)
    assert found is not None
    assert [*found] == plain_ids(vocab, merges, word)


def test_a_token_that_its_letters_do_not_merge_to_is_never_given() -> None:
    model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5}, [("b", "c"), ("a", "b"), ("ab", "c")])
    assert list(fast_model(model).known_ids["abc"]) == [token.id for token in model.tokenize("abc")] == [0, 3]


def test_a_token_of_which_no_merge_tells_is_never_given() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [])
    assert list(fast_model(model).known_ids["ab"]) == [0, 1]


def test_a_token_as_long_as_a_thousand_nested_merges_is_reached() -> None:
    vocab = {"a": 0} | {"a" * size: size - 1 for size in range(2, 257)}
    merges = [("a" * size, "a") for size in range(1, 256)]
    assert list(fast_model(BPE(vocab, merges)).known_ids["a" * 255]) == plain_ids(vocab, merges, "a" * 255)


@pytest.mark.parametrize("word", ["abx", "x", "ab" * 20 + "x"])
def test_a_word_with_an_unknown_letter_is_left_to_the_plain_rule(word: str) -> None:
    assert ordered({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).ids(word) is None


CHARACTERS = " a\u00e9\u00e8\u043f\u0440\u306e\u306f\u8a9e\U0001f600"


@st.composite
def byte_level_models(draw: st.DrawFn) -> BPE:
    """Merges of what stands side by side in some words, in the order in which they are drawn."""
    words = draw(st.lists(st.text(CHARACTERS, min_size=2, max_size=8), min_size=1, max_size=4))
    symbols = [[*to_byte_characters(word.encode())] for word in words]
    letters = sorted({*to_byte_characters(CHARACTERS.encode())})
    vocab = {letter: number for number, letter in enumerate(letters)}
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 40))):
        parts = draw(st.sampled_from(symbols))
        if len(parts) > 1:
            place = draw(st.integers(0, len(parts) - 2))
            pair = parts[place], parts[place + 1]
            if "".join(pair) not in vocab:
                vocab["".join(pair)] = len(vocab)
                merges.append(pair)
                parts[place : place + 2] = ["".join(pair)]
    return BPE(vocab, merges)


def assert_same_ids_of_raw(model: BPE, words: list[str]) -> None:
    """The ids of words that begin with their characters, and those of the plain merges."""
    fast = FastBPE(model)
    assert fast._in_order is not None
    fast._in_order._patience = -1
    for word in words:
        plain = model.tokenize(to_byte_characters(word.encode()))
        assert [*fast.ids_of_raw[word]] == [token.id for token in plain]


@settings(max_examples=1000)
@given(byte_level_models(), st.lists(st.text(CHARACTERS, min_size=1, max_size=60), min_size=1, max_size=5))
def test_a_word_that_begins_with_its_characters_has_the_ids_of_the_plain_merges(model: BPE, words: list[str]) -> None:
    assert_same_ids_of_raw(model, words)


def one_by_one(token: str, from_end: bool) -> list[tuple[str, str]]:
    """The merges that make a token, byte after byte from one of its ends."""
    if from_end:
        return [(token[start], token[start + 1 :]) for start in reversed(range(len(token) - 1))]
    return [(token[:end], token[end]) for end in range(1, len(token))]


@pytest.mark.parametrize("from_end", [True, False])
@pytest.mark.parametrize("end", [1, 2, 3, 4])
@pytest.mark.parametrize("beginning", [1, 2, 3, 4])
def test_a_merge_that_takes_a_part_of_a_character_comes_before_those_that_complete_it(
    end: int, beginning: int, from_end: bool
) -> None:
    left, right = (to_byte_characters(character.encode()) for character in "\U0001f600\U0002070e")
    halves = left[:-end], left[-end:], right[:beginning], right[beginning:]
    made = [merge for half in halves for merge in one_by_one(half, from_end)]
    made += [(halves[1], halves[2]), (halves[0], halves[1]), (halves[2], halves[3])]
    merges = [merge for merge in dict.fromkeys(made) if all(merge)]
    tokens = dict.fromkeys((*left, *right, *map("".join, merges)))
    model = BPE({token: number for number, token in enumerate(tokens)}, [*merges])
    assert_same_ids_of_raw(model, ["\U0001f600\U0002070e", "\U0002070e\U0001f600\U0002070e\U0001f600"])
