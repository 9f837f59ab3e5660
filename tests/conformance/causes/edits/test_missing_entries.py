"""Missing table entries are learnt from answers: the last merges, a byte, a word; so is the flag of a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from conformance.causes.edits import faults, of_flags, of_missing_entries
from conformance.causes.edits.fault import Fault
from conformance.causes.edits.missing_entries import JAVASCRIPT_KEYS
from conformance.core.rule_table import usual_cause
from tests.models import load
from tests.reftok.official import bpe, own, tokenizer_json


def learnt(model: str, given: Callable[[str], Sequence[int]], *texts: str) -> dict[str, Fault]:
    tokenizer = load(model)
    answers = [(text, tokenizer.encode_ids(text), given(text)) for text in texts]
    return {one.rule: one for one in (*of_missing_entries(tokenizer, answers), *of_flags(tokenizer, answers))}


def test_the_last_merges_are_missing() -> None:
    """Fault: a list of merges that ends one too early, or at a thousand, had no name."""
    merges = ["a b", "ab c", "abc d"]
    vocab = ["<unk>", *"abcd", "ab", "abc", "abcd"]
    right, given = (own(tokenizer_json(bpe(vocab, some))) for some in (merges, merges[:2]))
    answers = [(text, right.encode_ids(text), given.encode_ids(text)) for text in ("abcd", "abc", "xabcd")]
    fault = next(iter(of_missing_entries(right, answers)))
    assert fault.rule == "merges beyond the first 2 are missing"
    assert list(fault.ids("dabcd")) == given.encode_ids("dabcd") != right.encode_ids("dabcd")
    assert usual_cause("Model", fault.rule)


@pytest.mark.parametrize("model", ["bpe-gpt2", "spm-unigram", "spm-unigram-hf"])
def test_pieces_beyond_a_length_are_not_found(model: str) -> None:
    """Fault: a search that gives up after so many characters had no name."""
    tokenizer = load(model)
    long = max((one for one in tokenizer.rules.model.vocab if one.isascii() and one.isalpha()), key=len)
    fault = learnt(model, lambda text: tokenizer.encode_ids(text[:2]), long)[
        f"pieces of more than {len(long) - 1} characters are not found"
    ]
    given = [len(tokenizer.id_to_token(one) or "") for one in fault.ids(f"a {long} b")]
    assert max(given) < len(long)
    assert list(fault.ids("a b")) == tokenizer.encode_ids("a b")


def test_pieces_beyond_a_number_of_bytes_are_not_found() -> None:
    tokenizer = load("spm-unigram-hf")
    texts = [one for one in tokenizer.rules.model.vocab if len(one) > 4]
    ends = {one: len(one.encode()) > 12 for one in texts}
    given = lambda text: tokenizer.encode_ids(text[:2] if ends[text] else text)
    assert "pieces of more than 12 bytes are not found" in learnt("spm-unigram-hf", given, *texts)


@pytest.mark.parametrize("joins", [True, False])
def test_a_byte_is_missing_from_the_byte_map(joins: bool) -> None:
    """Fault: a soft hyphen that lost its second byte was "àº in place of àºŃ"."""
    tokenizer = load("bpe-qwen")

    def given(text: str) -> Sequence[int]:
        words = (one.normalized.text for one in tokenizer.rules.pre_tokenized(text))
        pieces = (piece for one in words for piece in ([one.replace("\u0143", "")] if joins else one.split("\u0143")))
        return [token.id for one in pieces for token in tokenizer.rules.model.tokenize(one)]

    rule = "byte 0xAD is missing from the byte map"
    fault = learnt("bpe-qwen", given, "a\xadb", "\u00ed")[rule]
    assert list(fault.ids("x\xad\u00edx")) == given("x\xad\u00edx") != tokenizer.encode_ids("x\xad\u00edx")
    assert usual_cause("PreTokenizer", rule)


def test_words_that_every_object_of_javascript_has_are_lost() -> None:
    """Fault: a cache that is `{}` has a function under "constructor", and no generator drew that word."""
    rule = "words that are keys of JavaScript's objects are lost"
    fault = learnt("bpe-gpt2", lambda text: [], "toString")[rule]
    assert all(list(fault.ids(word)) == [] for word in JAVASCRIPT_KEYS - {"__proto__"} if word.isalpha())
    assert usual_cause("Model", rule)
    assert "the word “abc” is lost" in learnt("bpe-gpt2", lambda text: [], "abc")


@pytest.mark.parametrize(("text", "flag"), [("<|im_end|> \n a", "rstrip"), ("a <|im_end|>", "lstrip")])
def test_white_space_beside_a_special_token_is_swallowed(text: str, flag: str) -> None:
    """Fault: white space behind special tokens that is swallowed had no name."""
    tokenizer = load("bpe-qwen")
    without = text.replace(" \n ", "").replace(" ", "")
    rule = f"{flag} of “<|im_end|>” is on"
    assert list(
        learnt("bpe-qwen", lambda _: tokenizer.encode_ids(without), text)[rule].ids(text)
    ) == tokenizer.encode_ids(without)
    assert usual_cause("AddedTokens", rule)
    place = "behind" if flag == "rstrip" else "before"
    (every,) = (one for one in faults(tokenizer) if one.rule == f"special tokens swallow the white space {place} them")
    assert list(every.ids(text)) == tokenizer.encode_ids(without)


@pytest.mark.parametrize(
    ("rule", "text", "is_matched"),
    [
        ("added tokens are matched only after a space", "a<|im_end|>", False),
        ("added tokens are matched only after a space", "a <|im_end|>a", True),
        ("added tokens are matched only before a space", "<|im_end|>a", False),
        ("added tokens are matched only before a space", "a<|im_end|> a", True),
    ],
)
def test_added_tokens_are_matched_only_beside_a_space(rule: str, text: str, is_matched: bool) -> None:
    tokenizer = load("bpe-qwen")
    (fault,) = (one for one in faults(tokenizer) if one.rule == rule)
    assert (tokenizer.token_to_id("<|im_end|>") in fault.ids(text)) == is_matched


@pytest.mark.parametrize(("length", "character"), [(2, "\u0416"), (3, "\u4e2d"), (4, "\U0001f600")])
def test_characters_of_a_length_are_unknown_where_byte_pieces_exist(length: int, character: str) -> None:
    """Fault: characters of four bytes that became unknown despite byte pieces had no rule."""
    tokenizer = load("spm-unigram-bytes")
    rule = f"characters of {length} bytes are unknown, though there are pieces for bytes"
    (fault,) = (one for one in faults(tokenizer) if one.rule == rule)
    others = [one for one in ("\u0416", "\u4e2d", "\U0001f600") if one != character]
    assert tokenizer.rules.model.unk_id in fault.ids(character) or tokenizer.token_to_id(character) is not None
    assert [list(fault.ids(one)) for one in others] == [tokenizer.encode_ids(one) for one in others]


def test_a_dummy_prefix_is_added_to_the_empty_text() -> None:
    tokenizer = load("spm-bpe")
    (fault,) = (one for one in faults(tokenizer) if one.rule == "a dummy prefix is added to the empty text")
    assert [*fault.ids("")] == [tokenizer.token_to_id("▁")]
    assert [*fault.ids("a")] == tokenizer.encode_ids("a")
