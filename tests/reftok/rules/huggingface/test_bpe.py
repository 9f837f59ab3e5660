from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError
from reftok.rules.huggingface.bpe import Merges, ids_of_merges, ranked
from reftok.rules.merging import merge_all

from ...official import Json, assert_same_encoding, bpe, official, outcome, own, tokenizer_json

TWO_WAYS = ["a", "b", "c", "ab", "bc", "abc"]
STALE = bpe(
    ["a", "b", "ab", "ba", "aba", "abab", "bab"], ["b a", "a ba", "a b", "ab a", "ab ab", "b ab", "a bab", "aba b"]
)
BYTES = bpe(["<unk>", "a", "<0xC3>", "<0xA9>"], unk_token="<unk>", byte_fallback=True)
UNKNOWN = bpe(["<unk>", "a"], unk_token="<unk>")
ONE_MERGE = bpe(["a", "b", "c", "ab", "abc"], ["a b"])
AFFIXED = bpe(
    ["a", "##b", "##c</w>", "a</w>", "ab", "abc</w>"],
    [("a", "##b"), ("ab", "##c</w>")],
    continuing_subword_prefix="##",
    end_of_word_suffix="</w>",
)
TOKENS: dict[str, tuple[Json, str, list[str]]] = {
    "the lowest rank merges first": (bpe(["a", "b", "c", "bc", "ab"], ["b c", "a b"]), "abc", ["a", "bc"]),
    "the leftmost of equals merges first": (bpe(["a", "aa"], ["a a"]), "aaa", ["aa", "a"]),
    "of equal merges the last counts": (
        bpe(["a", "b", "c", "ab", "bc"], ["a b", "b c", "a b"]), "abc", ["a", "bc"],
    ),
    "of a hundred thousand equal merges too": (
        bpe(["a", "b", "c", "ab", "bc"], [("a", "b"), ("b", "c"), *[("a", "b")] * 100_000]), "abc", ["a", "bc"],
    ),
    "a token comes about in one way": (bpe(TWO_WAYS, ["a b", "ab c", "a bc", "b c"]), "abcab", ["abc", "ab"]),
    "and in another": (bpe(TWO_WAYS, ["b c", "a bc", "ab c", "a b"]), "abcab", ["abc", "ab"]),
    "a word of the vocab is merged": (ONE_MERGE, "abc", ["ab", "c"]),
    "unless merges are ignored": (ONE_MERGE | {"ignore_merges": True}, "abc", ["abc"]),
    "unknown characters become unknown tokens one by one": (UNKNOWN, "xyaz", ["<unk>", "<unk>", "a", "<unk>"]),
    "or fused": (UNKNOWN | {"fuse_unk": True}, "xyaz", ["<unk>", "a", "<unk>"]),
    "a pending unknown token comes after the bytes": (BYTES, "zéa", ["<0xC3>", "<0xA9>", "<unk>", "a"]),
    "byte fallback is all or nothing for a character": (BYTES, "éè", ["<0xC3>", "<0xA9>", "<unk>"]),
    "byte tokens merge": (
        bpe(["<0xC3>", "<0xA9>", "<0xC3><0xA9>"], [("<0xC3>", "<0xA9>")], byte_fallback=True),
        "éé", ["<0xC3><0xA9>"] * 2,
    ),
    "the prefix goes before all but the first, the suffix after the last": (AFFIXED, "abc", ["abc</w>"]),
    "a character alone is the last": (AFFIXED, "a", ["a</w>"]),
    "as many bytes as the prefix has are taken off a merge": (
        bpe(["a", "éb", "ab", "xyb", "é"], [("a", "éb"), ("a", "xyb")], continuing_subword_prefix="é"), "ab", ["ab"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOKENS)
def test_a_word_has_the_tokens_of_the_library(name: str) -> None:
    model, text, tokens = TOKENS[name]
    assert assert_same_encoding(tokenizer_json(model), text).tokens == tokens


def merge_plainly(ids: list[int], merges: Merges) -> list[tuple[int, int]]:
    """The rule without a queue: merge the pair of the lowest rank, the leftmost of equals, until there is none."""
    symbols = list(enumerate(ids))
    while True:
        pairs = [(merges.get((a[1], b[1])), at) for at, (a, b) in enumerate(pairwise(symbols))]
        ranked = [(found[0], at, found[1]) for found, at in pairs if found is not None]
        if not ranked:
            return symbols
        _, at, new_id = min(ranked)
        symbols[at : at + 2] = [(symbols[at][0], new_id)]


@settings(max_examples=300)
@given(st.data())
def test_the_queue_merges_what_the_plain_rule_merges_where_each_token_has_one_split(data: st.DataObject) -> None:
    merges: dict[tuple[int, int], tuple[int, int]] = {}
    for rank in range(data.draw(st.integers(1, 12))):
        pair = data.draw(st.tuples(st.integers(0, 2 + rank), st.integers(0, 2 + rank)))
        merges.setdefault(pair, (rank, 3 + rank))
    ids = data.draw(st.lists(st.integers(0, 2), max_size=20))
    assert merge_all(ids, lambda left, right: merges.get((left, right))) == merge_plainly(ids, merges)


@pytest.mark.parametrize("seed", range(8))
def test_long_words_with_many_ties_merge_as_in_the_library(seed: int) -> None:
    generator = random.Random(seed)
    vocab = [*"abc"]
    merges: list[tuple[str, str]] = []
    for _ in range(60):
        left, right = generator.choice(vocab), generator.choice(vocab)
        if len(left + right) < 9:
            merges.append((left, right))
            vocab += [left + right] * (left + right not in vocab)
    texts = ["".join(generator.choices("abc", k=length)) for length in (50, 300, 2000)]
    assert_same_encoding(tokenizer_json(bpe(vocab, merges)), *texts)


def test_a_stale_candidate_is_told_by_the_id_that_it_would_make() -> None:
    assert_same_encoding(tokenizer_json(STALE), "abab", "ababab", "aabab", "babab", "abaab")


def test_ignore_merges_does_not_take_the_empty_word() -> None:
    config = tokenizer_json(bpe(["a", ""], ignore_merges=True))
    assert list(own(config).rules.model.tokenize("")) == official(config).model.tokenize("") == []


def test_unknown_characters_vanish_and_shift_the_offsets_after_them() -> None:
    encoding = assert_same_encoding(tokenizer_json(bpe("ab")), "axb", "aéb", "中ab")
    assert (encoding.tokens, encoding.offsets) == (["a", "b"], [(0, 1), (0, 1)])


def test_ids_may_have_holes_and_be_huge() -> None:
    config = tokenizer_json(bpe({"a": (1 << 32) - 1, "b": 7, "ab": 1_000_000}, [("a", "b")]))
    assert assert_same_encoding(config, "abba").ids == [1_000_000, 7, (1 << 32) - 1]
    ids = [(1 << 32) - 1, 8, 1_000_000]
    assert own(config).decode(ids) == official(config).decode(ids) == "a ab"


def test_an_affix_of_a_million_characters_costs_nothing_per_character_or_merge() -> None:
    affix = "#" * 1_000_000
    vocab = ["a", "b", "ab", affix + "b", affix + "a", "b" + affix]
    options = {"continuing_subword_prefix": affix, "end_of_word_suffix": affix}
    merges = [("a", affix + "b"), ("ab", affix + "a")]
    model = own(tokenizer_json(bpe([*vocab, "aba", "<unk>"], merges, unk_token="<unk>", **options))).rules.model
    assert [token.value for token in model.tokenize("aba" * 2000)][:3] == ["aba", affix + "a", affix + "b"]
    ranks = ranked(*ids_of_merges({"a": 0, "##" * 500_000: 1}, [("a", "##" * 500_000)] * 2000, "##" * 500_000, ""))
    assert ranks == {(0, 1): (1999, 0)}


def test_a_token_of_ten_million_characters_is_read() -> None:
    long = "ab" * 5_000_000
    assert own(tokenizer_json(bpe(["a", "b", long], []))).encode_ids("abab") == [0, 1, 0, 1]


def test_a_message_does_not_repeat_a_long_token() -> None:
    long = "a" * 100_000
    with pytest.raises(ModelFormatError) as refused:
        own(tokenizer_json(bpe(["b"], [("b", long)])))
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("merge", [("a", "x"), ("x", "a"), ("b", "a")])
def test_a_merge_outside_the_vocab_is_refused_by_its_number(merge: tuple[str, str]) -> None:
    config = tokenizer_json(bpe(["a", "b", "ab"], [("a", "b"), merge]))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.merges\[1\]: '[xba]+' is not in the vocab"):
        own(config)
