"""Faults that the fast path had: its tokens are those of the rules."""

from __future__ import annotations

from reftok import Tokenizer
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE

VOCAB = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abcab": 5, " ": 6}
"""No two tokens make `abcab`; nothing merges with the space."""
NESTED = ["a" * length for length in range(1, 2000)]


def assert_same_as_rules(model: Model, text: str) -> None:
    tokenizer = Tokenizer(Pipeline("tokenizers", model, AddedVocabulary()))
    expected = tokenizer.rules.encode(text)
    assert tokenizer.encode_ids(text) == expected.ids
    assert tokenizer.encode(text) == expected


def test_a_part_of_a_long_text_is_not_taken_whole() -> None:
    assert_same_as_rules(RankBPE(VOCAB), "abcab " * 200)


def test_a_character_that_vanishes_moves_the_spans_behind_it() -> None:
    assert_same_as_rules(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]), "a" + "x" * 9 + "ba")


def test_an_unknown_id_that_is_that_of_a_byte_keeps_its_text() -> None:
    assert_same_as_rules(Unigram([("<0x61>", 0.0), ("b", -1.0)], 0, byte_fallback=True), "abxa")


def test_scores_below_the_least_of_the_merge_order_still_merge() -> None:
    assert_same_as_rules(LlamaSPM({"a": 0, "b": 1, "ab": 2}, [0.0, 0.0, -1e30]), "abab")


def test_a_token_of_a_thousand_nested_merges_is_encoded() -> None:
    model = BPE({token: index for index, token in enumerate(NESTED)}, [(token, "a") for token in NESTED[:-1]])
    assert_same_as_rules(model, NESTED[-1])
