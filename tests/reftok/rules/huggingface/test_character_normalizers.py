"""The normalizers that rewrite each character by itself: every scalar value, the corpora, random texts, alignment."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.rules.huggingface.normalizers import (
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    StripAccents,
    substitute_each,
)
from reftok.rules.text import NormalizedString

from ...official import (
    EVERY_CHARACTER,
    Json,
    as_lists,
    assert_same_encoding,
    bpe,
    chain,
    normalized_alignment,
    official,
    official_encoding,
    outcome,
    own,
    own_normalized,
    tokenizer_json,
)
from ...tokenizers_strategies import MARKS, NORMALIZERS, pipelines, texts

CORPORA = Path(__file__).resolve().parents[4] / "corpora"
CHUNK = 1 << 10


def bert(
    clean_text: bool = False,
    handle_chinese_chars: bool = False,
    strip_accents: bool | None = False,
    lowercase: bool = False,
) -> Json:
    return {
        "type": "BertNormalizer",
        "clean_text": clean_text,
        "handle_chinese_chars": handle_chinese_chars,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }


UNCASED = bert(True, True, None, True)
STEPS = [{"type": "Nmt"}, {"type": "StripAccents"}, {"type": "Lowercase"}, {"type": "ByteLevel"}]
BERT_STEPS = [bert(clean_text=True), bert(handle_chinese_chars=True), bert(strip_accents=True)]
berts = st.builds(bert, st.booleans(), st.booleans(), st.sampled_from([None, True, False]), st.booleans())
WHITE = "\t\n\r \x85\xa0\u200b\u2028\ufeff\ufffd▁"
OTHERS = "\0\x07\x7f\x8f\xad\u08e2\ue000\u0378\u0903\u20dd\u1dfb\u0344\ua7ce"
aimed = st.text([*MARKS[1:3], *WHITE, *OTHERS, *"aÉİŒΣςǅẞK中あ각豈\U0002b820\U0002a700"], max_size=8)
MODEL = bpe(["<unk>", "a", "e", " ", "Ġ", "i", "n", "in", " a"], [("i", "n"), (" ", "a")], unk_token="<unk>")
"""Every other character is a token of its own, so the offsets of all characters show."""


def assert_same(normalizer: Json, text: str) -> NormalizedString:
    normalized = own_normalized(normalizer, text)
    assert (normalized.text, [*normalized.spans()]) == normalized_alignment(normalizer, text)
    return normalized


@pytest.mark.parametrize("normalizer", [*STEPS, *BERT_STEPS], ids=str)
def test_every_scalar_value_is_rewritten_as_in_the_library(normalizer: Json) -> None:
    theirs = official(tokenizer_json(bpe("a"), normalizer=normalizer)).normalizer
    (ours,) = own(tokenizer_json(bpe("a"), normalizer=normalizer)).rules.normalizers
    for start in range(0, len(EVERY_CHARACTER), CHUNK):
        text = "".join(EVERY_CHARACTER[start : start + CHUNK])
        assert ours.normalize(NormalizedString(text)).text == theirs.normalize_str(text)


@settings(max_examples=300)
@given(st.one_of(st.sampled_from(STEPS), berts), st.one_of(texts, aimed))
def test_texts_and_their_alignment_are_those_of_the_library(normalizer: Json, text: str) -> None:
    assert_same(normalizer, text)


@settings(max_examples=300)
@given(st.lists(st.one_of(st.sampled_from([*STEPS, *NORMALIZERS]), berts), min_size=2, max_size=4), aimed)
def test_chains_and_their_alignment_are_those_of_the_library(steps: list[Json], text: str) -> None:
    normalizer = chain("normalizers", steps)
    assert normalizer is not None
    expected = outcome(lambda: normalized_alignment(normalizer, text))
    if expected != "panicked":
        normalized = own_normalized(normalizer, text)
        assert (normalized.text, [*normalized.spans()]) == expected


def texts_of_the_corpora() -> list[str]:
    """The edge cases that are text, and the first lines of every language."""
    files = [file.read_text(encoding="utf-8").splitlines() for file in sorted(CORPORA.glob("edge_cases/*.jsonl"))]
    cases = [json.loads(line).get("text", "") for line in itertools.chain(*files)]
    languages = [file.read_text(encoding="utf-8") for file in sorted(CORPORA.glob("languages/*.txt"))]
    beginnings = ["\n".join(text.splitlines()[:3]) for text in languages]
    return [text for text in cases + beginnings if not regex.search(r"\p{Cs}", text)]


@pytest.mark.parametrize("normalizer", [*STEPS, UNCASED], ids=str)
def test_the_corpora_are_encoded_with_the_offsets_of_the_library(normalizer: Json) -> None:
    assert_same_encoding(tokenizer_json(MODEL, normalizer=normalizer), *texts_of_the_corpora())


@settings(max_examples=200)
@given(pipelines(), st.lists(st.one_of(st.sampled_from(STEPS), berts), min_size=1, max_size=2), aimed)
def test_pipelines_encode_as_the_library_does(config: Json, steps: list[Json], text: str) -> None:
    config = {**config, "normalizer": chain("normalizers", steps)}
    theirs = official(config)
    expected = outcome(lambda: official_encoding(theirs, text))
    assume(expected not in ("panicked", "refused"))
    try:
        ours = own(config)
    except UnsupportedFeature as error:
        assume("when normalized" not in str(error))
        raise
    assert as_lists(ours.encode(text)) == as_lists(expected)


def test_what_is_removed_leaves_the_offsets_of_the_rest_as_they_were() -> None:
    assert assert_same(bert(clean_text=True), "\x07\x07a\0b\x07").spans() == [(2, 3), (4, 5)]
    assert assert_same({"type": "StripAccents"}, "\u0301e\u0301\u0301o").spans() == [(1, 2), (4, 5)]


@pytest.mark.parametrize("normalizer", [*STEPS[:2], BERT_STEPS[0], UNCASED], ids=str)
def test_a_text_of_which_nothing_is_left_gives_no_tokens(normalizer: Json) -> None:
    text = "\u0301\u0323" if normalizer == STEPS[1] else "\x01\x02"
    assert assert_same(normalizer, text).text == ""
    assert assert_same_encoding(tokenizer_json(MODEL, normalizer=normalizer), text).ids == []


def test_the_two_characters_of_a_lower_case_share_the_offsets_of_the_capital() -> None:
    normalized = assert_same({"type": "Lowercase"}, "xİX")
    assert (normalized.text, normalized.spans()) == ("xi\u0307x", [(0, 1), (1, 2), (1, 2), (2, 3)])


def test_a_sigma_at_the_end_of_a_word_has_no_lower_case_of_its_own() -> None:
    assert assert_same({"type": "Lowercase"}, "ΟΔΟΣ").text == "οδοσ"


def test_the_bytes_of_a_character_share_its_offsets() -> None:
    normalized = assert_same({"type": "ByteLevel"}, "né ")
    assert (normalized.text, normalized.spans()) == ("nÃ©Ġ", [(0, 1), (1, 2), (1, 2), (2, 3)])


def test_an_ideograph_shares_its_offsets_with_the_spaces_around_it() -> None:
    normalized = assert_same(bert(handle_chinese_chars=True), "a中")
    assert (normalized.text, normalized.spans()) == ("a 中 ", [(0, 1), (1, 2), (1, 2), (1, 2)])


def test_an_accent_of_a_precomposed_character_goes_in_bert_only() -> None:
    assert assert_same({"type": "StripAccents"}, "é").text == "é"
    assert assert_same(bert(strip_accents=True), "é").text == "e"


@pytest.mark.parametrize(
    ("strip_accents", "lowercase", "expected"),
    [(None, True, "e"), (None, False, "É"), (True, False, "E"), (False, True, "é")],
)
def test_accents_go_with_the_capitals_unless_the_file_says_otherwise(
    strip_accents: bool | None, lowercase: bool, expected: str
) -> None:
    assert assert_same(bert(strip_accents=strip_accents, lowercase=lowercase), "É").text == expected


def test_a_text_that_is_not_changed_is_given_back() -> None:
    normalized = NormalizedString("plain")
    for normalizer in (Nmt(), StripAccents(), Lowercase(), ByteLevel(), BertNormalizer(True, True, False, True)):
        assert normalizer.normalize(normalized) is normalized


def test_as_many_characters_as_before_need_not_be_the_same_ones() -> None:
    normalized = substitute_each(NormalizedString("-ab"), {"-": "", "a": "xy", "b": "b"}.__getitem__)
    assert (normalized.text, normalized.spans()) == ("xyb", [(1, 2), (1, 2), (2, 3)])
