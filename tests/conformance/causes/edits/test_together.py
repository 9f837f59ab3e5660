"""Faults at once answer as one tokenizer with all of them would."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.causes.edits import Fault
from conformance.causes.edits import faults as every_fault
from conformance.causes.edits.fault import of_ids, of_rules, of_text
from conformance.causes.edits.pre_tokenizers import edited_patterns
from conformance.causes.edits.together import MOST_AT_ONCE, orders, together
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import Split
from tests.models import load

TOKENIZER = load("bpe-qwen")
CUT = of_text("Input", "cut", TOKENIZER, lambda text: text[:3])
STRIP = of_text("Input", "strip", TOKENIZER, lambda text: text.strip(" "))
BEGIN = of_ids("PostProcessor", "begin", TOKENIZER, lambda ids: [7, *ids])
NO_NFC = of_rules("Normalizer", "no NFC", TOKENIZER, lambda: replace(TOKENIZER.rules, normalizers=()))
NO_SPLIT = of_rules("PreTokenizer", "no split", TOKENIZER, lambda: replace(TOKENIZER.rules, pre_tokenizers=()))


def ids(*faults: Fault, text: str) -> list[int]:
    both = together(TOKENIZER, faults)
    assert both is not None
    return list(both.ids(text))


def test_the_text_is_changed_first_and_the_ids_last() -> None:
    text = "e\u0301a!"
    bare = replace(TOKENIZER.rules, normalizers=())
    assert ids(BEGIN, NO_NFC, CUT, text=text) == [7, *bare.encode_ids(text[:3])]


def test_texts_are_changed_in_the_order_of_the_faults() -> None:
    text = "  abc"
    assert ids(STRIP, CUT, text=text) == TOKENIZER.encode_ids("abc")
    assert ids(CUT, STRIP, text=text) == TOKENIZER.encode_ids("a")


def test_each_fault_changes_its_own_stage() -> None:
    bare = replace(TOKENIZER.rules, normalizers=(), pre_tokenizers=())
    assert ids(NO_NFC, NO_SPLIT, text="e\u0301 a") == bare.encode_ids("e\u0301 a")


@pytest.mark.parametrize(
    ("pair", "pattern", "text"),
    [
        (
            ("spaces are split from punctuation", "white space lookahead is missing"),
            (("| ?[^\\s", "|[^\\s"), (r"\s+(?!\S)|", "")),
            "x   y !",
        ),
        (
            ("the pattern lacks “'t”", r"the pattern has “\p{L}+” for “[^\r\n\p{L}\p{N}]?\p{L}+”"),
            (("'t|", ""), (r"[^\r\n\p{L}\p{N}]?\p{L}+", r"\p{L}+")),
            "'tis (know",
        ),
    ],
)
def test_two_faults_of_one_stage_are_made_one_upon_the_other(
    pair: tuple[str, ...], pattern: tuple[tuple[str, str], ...], text: str
) -> None:
    """Fault: with two mistakes in one pattern, texts that show both were reported as further causes."""
    right = load("bpe-llama3")
    every = [*every_fault(right), *edited_patterns(right)]
    chosen = [next(one for one in every if one.rule == rule) for rule in pair]
    split = right.rules.pre_tokenizers[0]
    assert isinstance(split, Split)
    assert isinstance(split.pattern, Pattern)
    source = split.pattern.as_oniguruma()
    for old, new in pattern:
        source = source.replace(old, new)
    steps = (replace(split, pattern=compile_oniguruma(source)), *right.rules.pre_tokenizers[1:])
    both = replace(right.rules, pre_tokenizers=steps).encode_ids(text)
    for some in (chosen, chosen[::-1]):
        found = together(right, some)
        assert found is not None
        assert list(found.ids(text)) == both
    assert both not in ([*one.ids(text)] for one in chosen)


def test_faults_that_cannot_be_put_beside_each_other_are_not_together() -> None:
    again = replace(NO_NFC, rule="another way to do without")
    other = of_rules(
        "Normalizer", "twice", TOKENIZER, lambda: replace(TOKENIZER.rules, normalizers=TOKENIZER.rules.normalizers * 2)
    )
    opaque = Fault("Model", "nobody sees how", lambda text: [1])
    assert together(TOKENIZER, [NO_NFC, other]) is None
    assert together(TOKENIZER, [NO_NFC, opaque]) is None
    assert together(TOKENIZER, [again]) is not None
    assert ids(CUT, opaque, BEGIN, text="a") == [7, 1]


def test_two_come_before_three_and_changes_of_the_text_in_either_order() -> None:
    found = [[one.rule for one in some] for some in orders([CUT, BEGIN, STRIP])]
    assert found == [
        ["cut", "begin"], ["cut", "strip"], ["strip", "cut"], ["begin", "strip"],
        ["cut", "begin", "strip"], ["strip", "begin", "cut"],
    ]  # fmt: skip
    assert max(len(some) for some in orders([CUT] * 5)) == MOST_AT_ONCE


@pytest.mark.parametrize("model", ["bpe-llama3", "bpe-qwen", "spm-bpe", "spm-bpe-hf", "spm-unigram", "spm-unigram-hf"])
def test_faults_can_be_sought_upon_every_fault(model: str) -> None:
    """Fault: upon a normalization without decompositions the search ended the run with a TypeError."""
    tokenizer = load(model)
    for fault in every_fault(tokenizer):
        beneath = together(tokenizer, [fault])
        if beneath is not None and beneath.tokenizer is not tokenizer:
            assert [*every_fault(beneath.tokenizer)], fault.rule
