"""What only the subject has is learnt from one answer, and foretells others."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits import Fault, faults, of_sample
from conformance.causes.edits.added_tokens import of_matches
from conformance.core.rule_table import usual_cause
from tests.models import load


def learnt(model: str, text: str, observed: Sequence[int]) -> list[Fault]:
    return [*of_sample(load(model), text, load(model).encode_ids(text), observed)]


def bare(model: str, text: str) -> list[int]:
    return load(model).encode_ids(text, add_special_tokens=False)


def test_a_word_is_taken_for_no_special_token() -> None:
    assert learnt("bpe-qwen", "cafe", [7]) == []


def test_an_added_token_that_the_subject_does_not_know_is_learnt() -> None:
    qwen = load("bpe-qwen")
    without = next(one for one in faults(qwen) if one.rule == "added tokens are not matched").ids("<|im_end|>")
    fault, *_ = learnt("bpe-qwen", "<|im_end|>", without)
    assert fault.rule == "<|im_end|> is not matched"
    assert list(fault.ids("a<|im_end|>")) != qwen.encode_ids("a<|im_end|>")
    assert list(fault.ids("a<|endoftext|>")) == qwen.encode_ids("a<|endoftext|>")


@pytest.mark.parametrize(
    ("first", "last", "rule"),
    [
        ([3], [], "added: $ at the start"),
        ([], [3, 4], "added: $ % at the end"),
        ([3], [4], "added: $ at the start, % at the end"),
    ],
)
def test_ids_around_the_text_are_learnt(first: list[int], last: list[int], rule: str) -> None:
    qwen = load("bpe-qwen")
    (fault,) = learnt("bpe-qwen", "a b", [*first, *qwen.encode_ids("a b"), *last])
    assert fault.stage == "PostProcessor"
    named = rule.replace("$", qwen.id_to_token(3) or "").replace("%", qwen.id_to_token(4) or "")
    assert fault.rule == named
    assert list(fault.ids("c")) == [*first, *qwen.encode_ids("c"), *last]


def test_ids_that_overflow_or_are_shifted_are_learnt() -> None:
    right = load("bpe-qwen").encode_ids("The weather")
    assert [one.rule for one in learnt("bpe-qwen", "The weather", [one % 256 for one in right])] == [
        "ids overflow at 2^8"
    ]
    assert [one.rule for one in learnt("bpe-qwen", "The weather", [one + 1 for one in right])] == [
        "ids are too high by 1"
    ]


def test_an_entry_that_stands_for_another_is_learnt() -> None:
    qwen = load("bpe-qwen")
    one, other = bare("bpe-qwen", "a")[0], bare("bpe-qwen", "b")[0]
    (fault,) = learnt("bpe-qwen", "a.a", [other if each == one else each for each in qwen.encode_ids("a.a")])
    assert fault.rule == "b in place of a"
    assert list(fault.ids("a")) == [other]


@pytest.mark.parametrize(
    ("rule", "text", "parts"),
    [
        ("added tokens are matched only at the start", "<|im_end|>a<|im_end|>", ["", "a<|im_end|>"]),
        ("added tokens are matched only at the end", "<|im_end|>a<|im_end|>", ["<|im_end|>a", ""]),
        ("added tokens are matched only at the ends", "<|im_end|>a<|im_end|>b<|im_end|>", ["", "a<|im_end|>b", ""]),
        ("added tokens are matched only as the whole text", "<|im_end|>a", ["<|im_end|>a"]),
        ("added tokens are matched only as the whole text", "<|im_end|>", ["", ""]),
        ("added tokens are matched only between spaces", "a <|im_end|> <|im_end|>b", ["a ", " <|im_end|>b"]),
        ("only the first of all added tokens is matched", "<|im_end|> <|endoftext|>", ["", " <|endoftext|>"]),
        ("each added token is matched only once", "<|im_end|>a<|im_end|>", ["", "a<|im_end|>"]),
        ("added tokens are matched without regard to case", "<|IM_END|>a", ["", "a"]),
    ],
)
def test_added_tokens_are_matched_in_some_places_only(rule: str, text: str, parts: list[str]) -> None:
    """parts: what is between the added tokens, which is text to the model."""
    qwen = load("bpe-qwen")
    variants = [one for one in of_matches(qwen) if one.rule == rule]
    plain = next(one for one in faults(qwen) if one.rule == "added tokens are not matched")
    token_id = qwen.rules.added_tokens.token_to_id("<|im_end|>")
    expected = [one for part in parts for one in (token_id, *plain.ids(part))][1:]
    assert expected in [list(fault.ids(text)) for fault in variants]


QWEN_WORDS = [
    ("single_word knows words of ASCII only", "é<sw>", True),
    ("single_word knows words of ASCII only", "_<sw>", False),
    ("single_word knows letters and numbers only", "_<sw>", True),
    ("single_word knows letters and numbers only", "é<sw>", False),
    ("characters are those of Unicode 15", "\u1c89<sw>", True),
    ("characters are those of Unicode 15", "é<sw>", False),
]


@pytest.mark.parametrize(("rule", "text", "is_matched"), QWEN_WORDS)
def test_a_token_is_a_single_word_by_the_characters_of_words_that_somebody_knows(
    rule: str, text: str, is_matched: bool
) -> None:
    """Fault: the rule was not there for a model that has an added token with a letter outside ASCII."""
    qwen = load("bpe-qwen")
    (fault,) = (one for one in faults(qwen) if (one.stage, one.rule) == ("AddedTokens", rule))
    assert (qwen.rules.added_tokens.token_to_id("<sw>") in fault.ids(text)) is is_matched
    assert qwen.rules.added_tokens.token_to_id("<sw>") not in qwen.encode_ids(text)


def test_tokens_are_cut_out_one_after_the_other_with_their_flags_and_without() -> None:
    """Fault: `split`, which reads no flag, was no known rule where a token has one."""
    qwen = load("bpe-qwen")
    rule = "added tokens are cut out one after the other, the longest first"
    found = {
        qwen.rules.added_tokens.token_to_id("<sw>") in one.ids("a<sw>") for one in of_matches(qwen) if one.rule == rule
    }
    assert found == {False, True}


def test_white_space_that_a_token_takes_is_of_the_whole_text() -> None:
    """Fault: a text that is a token with its white space was none, in the rule of whole texts."""
    qwen = load("bpe-qwen")
    (fault,) = (one for one in of_matches(qwen) if one.rule == "added tokens are matched only as the whole text")
    assert list(fault.ids(" <ls-rs> ")) == [qwen.rules.added_tokens.token_to_id("<ls-rs>")]
    assert len(fault.ids(" <ls-rs> a")) > 1


def test_a_token_whose_normal_form_stands_in_the_text_is_concerned() -> None:
    """Fault: a token that is matched by its normal form was found by rules under which none is found."""
    qwen = load("bpe-qwen")
    (fault,) = (one for one in of_matches(qwen) if one.rule == "added tokens are matched only as the whole text")
    token_id = qwen.rules.added_tokens.token_to_id("[cafe\u0301]")
    assert token_id in qwen.encode_ids("a[caf\xe9]")
    assert token_id not in fault.ids("a[caf\xe9]")


def test_a_token_is_found_in_its_other_canonical_form() -> None:
    qwen = load("bpe-qwen")
    (fault,) = (one for one in of_matches(qwen) if one.rule.endswith("canonically equivalent"))
    text_of = lambda token_id: qwen.rules.added_tokens.tokens[token_id].content
    raw = next(id_ for id_, token in qwen.rules.added_tokens.tokens.items() if token.content.endswith("-raw]"))
    other = next(form for name in ("NFC", "NFD") if (form := normalize(name, text_of(raw))) != text_of(raw))
    assert raw not in qwen.encode_ids(other)
    assert raw in fault.ids(other)


def test_what_is_normalized_before_added_tokens_are_matched_composes_with_what_they_end_in() -> None:
    hf = load("spm-bpe-hf")
    (fault,) = (one for one in of_matches(hf) if one.rule.startswith("the text is normalized"))
    tokens = [hf.id_to_token(one) for one in fault.ids("<a>b")]
    assert "▁" in tokens
    assert "▁b" not in tokens


@given(st.text("abc12\n'<.", max_size=10))
def test_without_an_added_token_nothing_changes(text: str) -> None:
    for fault in of_matches(load("bpe-qwen")):
        assert list(fault.ids(text)) == load("bpe-qwen").encode_ids(text)


def test_what_is_learnt_is_documented() -> None:
    assert usual_cause("AddedTokens", "<|im_end|> is not matched")
    assert usual_cause("PostProcessor", "added: <s> at the start")
    assert usual_cause("Model", "ids overflow at 2^16")
