"""The rules of older releases change what they are about, and nothing else; each was seen in the wheels themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from conformance.causes.edits.older_releases import (
    CHANGES,
    CLUSTERS,
    COMPARISON,
    CONTENT,
    PATTERNS,
    OlderUnigram,
    release_decoding_faults,
    release_faults,
)
from reftok import Tokenizer
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from tests.reftok.official import added, bpe, own, tokenizer_json


def ids(tokenizer: Tokenizer, rule: tuple[str, str], text: str) -> list[int]:
    (found,) = (entry for entry in release_faults(tokenizer) if (entry.stage, entry.rule) == rule)
    return list(found.ids(text))


load = cache(reftok.load)
"""Examples would read a model a hundred times."""


@cache
def older_unigram(name: str) -> Tokenizer:
    tokenizer = load(name)
    assert isinstance(tokenizer.rules.model, SentencePieceUnigram)
    return Tokenizer(replace(tokenizer.rules, model=OlderUnigram(tokenizer.rules.model)))


@pytest.mark.parametrize(
    ("name", "text"), [("bpe-qwen", "\u1c89\\u"), ("bpe-llama3", "\u1c89\\u"), ("bpe-gpt2", "\u1c89's")]
)
def test_what_came_with_unicode_15_and_16_was_of_no_class(name: str, text: str) -> None:
    tokenizer = load(name)
    assert ids(tokenizer, PATTERNS, text) != tokenizer.encode_ids(text)
    assert ids(tokenizer, PATTERNS, text[1:]) == tokenizer.encode_ids(text[1:])


@given(st.text(st.characters(max_codepoint=0x2FFB, exclude_categories=["Cn", "Cs"]), max_size=12))
def test_what_unicode_14_knows_is_cut_as_it_was(text: str) -> None:
    kept = "".join(
        character for character in text if character not in "\u0897\u1b4e\u1b4f\u1b7f\u1c89\u1c8a\u2427\u2428\u2429"
    )
    tokenizer = load("bpe-qwen")
    assert ids(tokenizer, PATTERNS, kept) == tokenizer.encode_ids(kept)


def test_a_mark_of_unicode_17_joined_no_cluster() -> None:
    tokenizer = load("spm-unigram-hf")
    joined, apart = tokenizer.encode("a\u0323\u1acf"), ids(tokenizer, CLUSTERS, "a\u0323\u1acf")
    assert [tokenizer.id_to_token(token_id) for token_id in apart] == ["▁", "ạ", "<unk>", "</s>"]
    assert list(joined.tokens)[:1] == ["▁a"]
    assert ids(tokenizer, CLUSTERS, "a\u0323") == tokenizer.encode_ids("a\u0323")


def test_of_equal_sums_the_later_start_may_win_where_the_stored_one_was_rounded() -> None:
    older = older_unigram("spm-unigram")
    assert load("spm-unigram").encode("....").tokens == ["▁", ".", "..."]
    assert older.encode("....").tokens == ["▁", "...", "."]
    assert ids(load("spm-unigram"), COMPARISON, "....") == older.encode_ids("....")
    assert [*older.encode_iterable([*"...."])] == older.encode_ids("....")


@given(st.text("ab c", max_size=10))
def test_where_no_sums_are_near_each_other_the_older_model_cuts_as_the_newest(text: str) -> None:
    assert older_unigram("spm-unigram").encode(text).ids == load("spm-unigram").encode(text).ids


def test_an_added_token_was_decoded_as_it_stands_in_the_file() -> None:
    json = tokenizer_json(
        bpe(["a", "▁", "x"]),
        [added("x", normalized=True, special=True)],
        normalizer={"type": "Prepend", "prepend": "▁"},
    )
    tokenizer = own(json)
    (found,) = release_decoding_faults(tokenizer)
    assert (found.stage, found.rule) == CONTENT
    token_id = tokenizer.rules.added_tokens.token_to_id("x")
    assert token_id is not None
    assert (found.text([token_id], True), found.text([token_id], False)) == ("", "x")
    assert tokenizer.decode([token_id], skip_special_tokens=True) == "▁x"


def test_rules_that_cannot_change_a_tokenizer_are_not_asked_about_it() -> None:
    assert not list(release_faults(load("spm-bpe")))
    assert not list(release_decoding_faults(load("bpe-gpt2")))
    assert [entry.rule for entry in release_faults(load("spm-unigram"))] == [COMPARISON[1]]


PUBLISHED = Path(__file__).parents[4] / "reports" / "published" / "releases"


@pytest.mark.parametrize("rule", CHANGES, ids=lambda rule: rule[1])
def test_a_change_came_with_the_release_in_which_the_published_history_sees_it(rule: tuple[str, str]) -> None:
    change = CHANGES[rule]
    history = json.loads((PUBLISHED / f"{change.library}.json").read_text("utf-8"))
    releases = [run["name"].removeprefix(f"{change.library}-") for run in history["runs"]]
    seen = [one["mismatches"] for one in history["causes"] if (one["stage"], one["rule"]) == rule]
    ends = {
        (until, since)
        for some in seen
        for (until, was), (since, now) in pairwise(zip(releases, some, strict=True))
        if was and now == 0
    }
    assert ends == {(change.until, change.since)}
