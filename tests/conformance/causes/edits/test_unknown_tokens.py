"""Tokens that only the subject knows are learnt from its answers, all of them as one fault."""

from __future__ import annotations

import pytest

from conformance.causes.edits import DecodingFault, Fault, of_unknown_ids, of_unknown_tokens
from conformance.causes.edits.unknown_tokens import RULE
from conformance.core.observation import Decoded
from conformance.core.rule_table import usual_cause
from tests.models import load

TOOL, CALL = 77777, 77778


def bare(model: str, text: str) -> list[int]:
    return load(model).encode_ids(text, add_special_tokens=False)


def given(model: str, *parts: str | int) -> list[int]:
    """What a subject gives for a text with tokens that only it knows."""
    before = load(model).encode_ids("") if model == "spm-bpe-hf" else []
    return [*before, *(one for part in parts for one in (bare(model, part) if isinstance(part, str) else [part]))]


def learnt(model: str, *answers: tuple[str, list[int]]) -> list[Fault]:
    return [*of_unknown_tokens(load(model), [(text, load(model).encode_ids(text), ids) for text, ids in answers])]


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe-hf", "spm-unigram"])
def test_a_special_token_that_only_the_subject_knows_is_learnt(model: str) -> None:
    (fault,) = learnt(model, ("ab <|tool|>c", given(model, "ab ", TOOL, "c")))
    assert (fault.stage, fault.rule) == ("AddedTokens", RULE)
    assert TOOL in fault.ids("<|tool|> x")
    assert list(fault.ids("<|tools|> x")) == load(model).encode_ids("<|tools|> x")


def test_all_special_tokens_that_only_the_subject_knows_are_one_fault() -> None:
    """Fault: after one of two tokens was learnt, the other was no known rule, and the first forgotten."""
    tool, call = ("<|tool|>", given("bpe-qwen", TOOL)), ("a[CALL]", given("bpe-qwen", "a", CALL))
    (fault,) = learnt("bpe-qwen", tool, tool, call)
    assert list(fault.ids("[CALL]a<|tool|>")) == given("bpe-qwen", CALL, "a", TOOL)


def test_of_two_in_one_answer_the_second_is_learnt_when_the_first_is_known() -> None:
    first, both = ("<|tool|>", given("bpe-qwen", TOOL)), ("<|tool|>[CALL]", given("bpe-qwen", TOOL, CALL))
    (fault,) = learnt("bpe-qwen", first, both)
    assert list(fault.ids("[CALL]")) == [CALL]


def test_a_word_is_taken_for_no_special_token() -> None:
    assert learnt("bpe-qwen", ("cafe", [7])) == []


def test_an_id_that_only_the_subject_knows_is_learnt() -> None:
    right = load("bpe-qwen")
    ids = [*bare("bpe-qwen", "ab"), TOOL]
    faults: list[DecodingFault] = [*of_unknown_ids(right, [(ids, Decoded("ab", "ab"), Decoded("ab", "ab<|tool|>"))])]
    (fault,) = faults
    assert (fault.stage, fault.rule) == ("AddedTokens", RULE)
    assert (fault.text([TOOL], True), fault.text([TOOL], False)) == ("", "<|tool|>")
    assert fault.text([TOOL + 1, *ids[:-1]], False) == "ab"


def test_text_that_looks_like_a_token_of_an_id_that_is_known_teaches_nothing() -> None:
    ids = bare("bpe-qwen", "<s>")
    assert [*of_unknown_ids(load("bpe-qwen"), [(ids, Decoded("<s>", "<s>"), Decoded("", "<t>"))])] == []


def test_the_rule_is_documented() -> None:
    assert usual_cause("AddedTokens", RULE)
