from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.bpe import fast_bpe, word_merges
from reftok.engine.bpe.fast_bpe import FastBPE
from reftok.engine.bpe.word_merges import WordMerges, merge_ids, merge_texts
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.merging import merge_all

LETTERS = "abc"
PIECES = st.lists(st.text("abc", min_size=2, max_size=6), max_size=20, unique=True)


@pytest.fixture(autouse=True)
def characters_are_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_bpe, "PAYS_FROM", 0)


@st.composite
def merge_models(draw: st.DrawFn, in_order: bool) -> BPE:
    """Merges of tokens of which some come from no merge, others from several; numbered by them or at random."""
    tokens = [*LETTERS]
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 24))):
        left, right = (draw(st.sampled_from(tokens)) for _ in range(2))
        if len(left + right) > 60 or (in_order and left + right in tokens):
            continue
        if left + right not in tokens:
            tokens.append(left + right)
        if draw(st.integers(0, 9)):
            merges.append((left, right))
    if in_order:
        made = [*map("".join, merges)]
        tokens = [token for token in tokens if token not in made] + made
    else:
        tokens, merges = draw(st.permutations(tokens)), draw(st.permutations(merges))
    return BPE({token: number for number, token in enumerate(tokens)}, merges)


def plain_ids(model: BPE, word: str) -> list[int]:
    return [token.id for token in model.tokenize(word)]


@pytest.mark.parametrize("in_order", [True, False])
@settings(max_examples=800)
@given(st.data())
def test_every_word_has_the_ids_of_the_plain_merges(in_order: bool, data: st.DataObject) -> None:
    model = data.draw(merge_models(in_order))
    vocab = model.vocab
    words = [*vocab, *data.draw(st.lists(st.text(LETTERS, min_size=1, max_size=48), max_size=6))]
    words += ["".join(data.draw(st.lists(st.sampled_from([*vocab]), min_size=1, max_size=8))) for _ in range(4)]
    fast = FastBPE(model)
    assert fast._is_in_order or not in_order or not model.merge_ids[0]
    ranks = {pair: rank for pair, (rank, _) in model.merges.items()}
    for word in words:
        expected = plain_ids(model, word)
        assert [*fast.ids_of(word)] == expected
        assert merge_ids([vocab[letter] for letter in word], ranks, model.merge_ids[2]) == expected


@pytest.mark.parametrize("in_order", [True, False])
@settings(max_examples=300)
@given(st.data())
def test_a_word_of_many_windows_has_the_ids_of_the_plain_merges(in_order: bool, data: st.DataObject) -> None:
    model = data.draw(merge_models(in_order))
    word = data.draw(st.text(LETTERS, min_size=49, max_size=300))
    assert [*FastBPE(model).ids_of(word)] == plain_ids(model, word)
    with patch.object(word_merges, "_REPEATS", 0):
        assert [*FastBPE(model).ids_of(word)] == plain_ids(model, word)


@pytest.mark.parametrize("word", ["a" * 4000, "ab" * 2000, "a" * 3999 + "b"])
def test_a_word_of_thousands_of_letters_is_merged_window_by_window(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = BPE({"a": 0, "b": 1, "aa": 2, "aaaa": 3, "ab": 4}, [("a", "a"), ("aa", "aa"), ("a", "b")])
    fast = FastBPE(model)
    expected = plain_ids(model, word)
    monkeypatch.setattr(fast_bpe, "merge_all", None)
    assert [*fast.ids_of(word)] == expected


def test_a_token_that_its_letters_do_not_merge_to_is_never_given() -> None:
    model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5}, [("b", "c"), ("a", "b"), ("ab", "c")])
    assert list(FastBPE(model).known_ids["abc"]) == plain_ids(model, "abc") == [0, 3]


def test_a_token_of_which_no_merge_tells_is_never_given() -> None:
    assert list(FastBPE(BPE({"a": 0, "b": 1, "ab": 2}, [])).known_ids["ab"]) == [0, 1]


def test_a_token_as_long_as_a_thousand_nested_merges_is_reached() -> None:
    vocab = {"a": 0} | {"a" * size: size - 1 for size in range(2, 257)}
    model = BPE(vocab, [("a" * size, "a") for size in range(1, 256)])
    assert list(FastBPE(model).known_ids["a" * 255]) == plain_ids(model, "a" * 255)


@pytest.mark.parametrize("word", ["abx", "x", "ab" * 20 + "x", "x" * 60])
def test_a_word_with_an_unknown_letter_has_the_ids_of_the_plain_merges(word: str) -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    assert [*FastBPE(model).ids_of(word)] == plain_ids(model, word)


def assert_same_ids(model: BPE, words: list[str]) -> None:
    fast = FastBPE(model)
    for word in words:
        assert [*fast.ids_of(word)] == plain_ids(model, word)


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
    assert fast._is_in_order or not model.merge_ids[0]
    for word in words:
        plain = model.tokenize(to_byte_characters(word.encode()))
        assert [*fast.ids_of_raw[word]] == [token.id for token in plain]


@settings(max_examples=1000)
@given(byte_level_models(), st.lists(st.text(CHARACTERS, min_size=1, max_size=60), min_size=1, max_size=5))
def test_a_word_that_begins_with_its_characters_has_the_ids_of_the_plain_merges(model: BPE, words: list[str]) -> None:
    assert_same_ids_of_raw(model, words)


BYTES = to_byte_characters(CHARACTERS.encode())


@settings(max_examples=1000)
@given(byte_level_models(), st.lists(st.text(BYTES, min_size=1, max_size=60), min_size=1, max_size=5))
def test_bytes_that_are_no_sound_utf_8_have_the_ids_of_the_plain_merges(model: BPE, words: list[str]) -> None:
    assert_same_ids(model, words)


def test_a_line_break_that_is_a_symbol_may_merge_with_a_part_of_a_character() -> None:
    vocab = {token: token_id for token_id, token in enumerate(["\n", "Ã", "©", "\nÃ", "Ã©"])}
    assert_same_ids(BPE(vocab, [("\n", "Ã"), ("Ã", "©")]), ["\nÃ©", "Ã©\n", "Ã©"])


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


def plainly(ranks: dict[str, int], text: str) -> list[str]:
    def merge_of(left: str, right: str) -> tuple[int, str] | None:
        rank = ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    return [symbol for _, symbol in merge_all(text, merge_of)]


def text_merges(ranks: dict[str, int]) -> WordMerges[str]:
    return WordMerges(lambda text: merge_texts([*text], ranks), lambda text: plainly(ranks, text), str)


@settings(max_examples=1500)
@given(PIECES, st.integers(1, 4), st.text("abc", max_size=250))
def test_every_text_has_the_pieces_of_the_plain_merges(pieces: list[str], equals: int, text: str) -> None:
    ranks = {piece: number // equals for number, piece in enumerate(pieces)}
    expected = plainly(ranks, text)
    assert [*text_merges(ranks).tokens(text)] == expected
    assert merge_texts([*text], ranks) == expected


@pytest.mark.parametrize("unit", ["a", "ab", "aab", "abcabcab"])
def test_a_text_that_repeats_has_the_pieces_of_the_plain_merges(unit: str) -> None:
    ranks = {piece: number for number, piece in enumerate(["ab", "aa", "aaaa", "aab", "aaaaaa", "bc", "abab"])}
    text = unit * (5000 // len(unit))
    assert [*text_merges(ranks).tokens(text)] == plainly(ranks, text)


def test_a_word_that_would_be_merged_again_and_again_is_given_up() -> None:
    merges = WordMerges(lambda text: [*text.swapcase()], lambda text: [*text.swapcase()], str)
    assert merges.joined([["a"] for _ in range(100)]) is None
