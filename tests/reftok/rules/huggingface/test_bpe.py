from __future__ import annotations

import random
from itertools import pairwise

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.huggingface.bpe import Merges, merge_ids, ranked
from reftok.rules.merging import merge_all

from ...official import Json, assert_same_encoding, bpe, official, outcome, own, tokenizer_json
from ...tokenizers_strategies import bpe_models, words


def official_model(model: Json) -> tokenizers.models.BPE:
    return official(tokenizer_json(model)).model


def assert_same(model: Json, text: str) -> list[str]:
    """Compare ids, tokens and offsets of the whole text as one word."""
    return list(assert_same_encoding(tokenizer_json(model), text).tokens)


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


@settings(max_examples=1000)
@given(bpe_models(), st.lists(words, min_size=1, max_size=5))
def test_every_model_gives_the_ids_and_tokens_of_the_library(model: Json, inputs: list[str]) -> None:
    ours, theirs = own(tokenizer_json(model)).rules.model, official_model(model)
    for text in inputs:
        expected = [(token.id, token.value) for token in theirs.tokenize(text)]
        assert [(token.id, token.value) for token in ours.tokenize(text)] == expected


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
    for length in (50, 300, 2000):
        assert_same(bpe(vocab, merges), "".join(generator.choices("abc", k=length)))


def test_the_lowest_rank_merges_first() -> None:
    assert assert_same(bpe(["a", "b", "c", "bc", "ab"], ["b c", "a b"]), "abc") == ["a", "bc"]


def test_the_leftmost_of_equals_merges_first() -> None:
    assert assert_same(bpe(["a", "aa"], ["a a"]), "aaa") == ["aa", "a"]


def test_of_equal_merges_the_last_counts() -> None:
    assert assert_same(bpe(["a", "b", "c", "ab", "bc"], ["a b", "b c", "a b"]), "abc") == ["a", "bc"]


def test_a_token_may_come_about_in_several_ways() -> None:
    vocab = ["a", "b", "c", "ab", "bc", "abc"]
    for merges in (["a b", "ab c", "a bc", "b c"], ["b c", "a bc", "ab c", "a b"]):
        assert assert_same(bpe(vocab, merges), "abcab") == ["abc", "ab"]


def test_a_stale_candidate_is_told_by_the_id_that_it_would_make() -> None:
    vocab = ["a", "b", "ab", "ba", "aba", "abab", "bab"]
    merges = ["b a", "a ba", "a b", "ab a", "ab ab", "b ab", "a bab", "aba b"]
    for text in ("abab", "ababab", "aabab", "babab", "abaab"):
        assert_same(bpe(vocab, merges), text)


def test_ignore_merges_takes_a_word_of_the_vocab_as_it_is() -> None:
    model = bpe(["a", "b", "c", "ab", "abc"], ["a b"])
    assert assert_same(model, "abc") == ["ab", "c"]
    assert assert_same(model | {"ignore_merges": True}, "abc") == ["abc"]


def test_ignore_merges_does_not_take_the_empty_word() -> None:
    model = bpe(["a", ""], ignore_merges=True)
    assert list(own(tokenizer_json(model)).rules.model.tokenize("")) == official_model(model).tokenize("") == []


def test_unknown_characters_vanish_and_shift_the_offsets_after_them() -> None:
    encoding = assert_same_encoding(tokenizer_json(bpe("ab")), "axb", "aéb", "中ab")
    assert (encoding.tokens, encoding.offsets) == (["a", "b"], [(0, 1), (0, 1)])


def test_unknown_characters_become_the_unknown_token_one_by_one_or_fused() -> None:
    model = bpe(["<unk>", "a"], unk_token="<unk>")
    assert assert_same(model, "xyaz") == ["<unk>", "<unk>", "a", "<unk>"]
    assert assert_same(model | {"fuse_unk": True}, "xyaz") == ["<unk>", "a", "<unk>"]


def test_a_pending_unknown_token_comes_after_the_bytes() -> None:
    model = bpe(["<unk>", "a", "<0xC3>", "<0xA9>"], unk_token="<unk>", byte_fallback=True)
    assert assert_same(model, "zéa") == ["<0xC3>", "<0xA9>", "<unk>", "a"]


def test_byte_fallback_is_all_or_nothing_for_a_character() -> None:
    model = bpe(["<unk>", "<0xC3>", "<0xA9>"], unk_token="<unk>", byte_fallback=True)
    assert assert_same(model, "éè") == ["<0xC3>", "<0xA9>", "<unk>"]


def test_byte_tokens_merge() -> None:
    model = bpe(["<0xC3>", "<0xA9>", "<0xC3><0xA9>"], [("<0xC3>", "<0xA9>")], byte_fallback=True)
    assert assert_same(model, "éé") == ["<0xC3><0xA9>"] * 2


def test_the_prefix_goes_before_all_but_the_first_and_the_suffix_after_the_last() -> None:
    options = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
    vocab = ["a", "##b", "##c</w>", "a</w>", "ab", "abc</w>"]
    model = bpe(vocab, [("a", "##b"), ("ab", "##c</w>")], **options)
    assert assert_same(model, "abc") == ["abc</w>"]
    assert assert_same(model, "a") == ["a</w>"]


def test_as_many_bytes_as_the_prefix_has_are_taken_off_a_merge() -> None:
    model = bpe(["a", "éb", "ab", "xyb", "é"], [("a", "éb"), ("a", "xyb")], continuing_subword_prefix="é")
    assert assert_same(model, "ab") == ["ab"]


@pytest.mark.parametrize(("right", "prefix"), [("中b", "#"), ("b", "##")])
def test_a_merge_whose_right_side_cannot_have_the_prefix_is_refused(right: str, prefix: str) -> None:
    """The library is not asked: it aborts the process on the first and panics on the second."""
    model = bpe(["a", right, "ab"], [("a", right)], continuing_subword_prefix=prefix)
    with pytest.raises(
        ModelFormatError, match=rf"model\.merges\[0\]: '{right}' does not begin with the subword prefix"
    ):
        own(tokenizer_json(model))


@pytest.mark.parametrize("affix", ["continuing_subword_prefix", "end_of_word_suffix"])
def test_affixes_that_fall_back_to_bytes_are_refused_for_their_offsets_are_arbitrary(affix: str) -> None:
    model = bpe(["<0xC3>", "<0xA9>", "<0x21>"], byte_fallback=True, **{affix: "!"})
    with pytest.raises(UnsupportedFeature, match=r"model\.byte_fallback: is not supported with a prefix or suffix"):
        own(tokenizer_json(model))


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
    ranks = ranked(*merge_ids({"a": 0, "##" * 500_000: 1}, [("a", "##" * 500_000)] * 2000, "##" * 500_000, ""))
    assert ranks == {(0, 1): (1999, 0)}


def test_the_last_of_a_hundred_thousand_equal_merges_counts() -> None:
    model = bpe(["a", "b", "c", "ab", "bc"], [("a", "b"), ("b", "c"), *[("a", "b")] * 100_000])
    assert assert_same(model, "abc") == ["a", "bc"]


def test_a_token_of_ten_million_characters_is_read() -> None:
    long = "ab" * 5_000_000
    assert own(tokenizer_json(bpe(["a", "b", long], []))).encode_ids("abab") == [0, 1, 0, 1]


def test_a_message_does_not_repeat_a_long_token() -> None:
    long = "a" * 100_000
    with pytest.raises(ModelFormatError) as refused:
        own(tokenizer_json(bpe(["b"], [("b", long)])))
    assert len(str(refused.value)) < 200


def test_the_token_of_an_id_that_two_tokens_share_is_random_in_the_library_and_refused() -> None:
    config = tokenizer_json(bpe({f"t{index}": 0 for index in range(64)}))
    assert len({official(config).id_to_token(0) for _ in range(20)}) > 1
    with pytest.raises(ModelFormatError, match=r"model\.vocab: gives the id 0 to 64 tokens"):
        own(config)


def test_an_unknown_token_outside_the_vocab_is_an_error_where_it_is_needed() -> None:
    config = tokenizer_json(bpe("a", unk_token="<unk>"))
    assert own(config).encode_ids("a") == official(config).encode("a").ids == [0]
    assert outcome(lambda: official(config).encode("x")) == "refused"
    with pytest.raises(ModelFormatError, match=r"^tokenizer\.json: model\.unk_token: '<unk>' is not in the vocab"):
        own(config).encode("x")


@pytest.mark.parametrize("merge", [("a", "x"), ("x", "a"), ("b", "a")])
def test_a_merge_outside_the_vocab_is_refused_by_its_number(merge: tuple[str, str]) -> None:
    model = bpe(["a", "b", "ab"], [("a", "b"), merge])
    assert outcome(lambda: official_model(model)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.merges\[1\]: '[xba]+' is not in the vocab"):
        own(tokenizer_json(model))
