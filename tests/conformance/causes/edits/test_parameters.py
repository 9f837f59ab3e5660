"""Every option of a step has its other values, and answers as the official library does with them."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.causes.edits import decoding_faults, faults
from conformance.causes.edits.parameters import in_other_order, with_other_options
from conformance.core.rule_table import usual_cause
from reftok.rules.huggingface.normalizers import BertNormalizer
from reftok.rules.huggingface.pre_tokenizers import Punctuation
from tests.reftok.official import bpe, official, own, tokenizer_json, wordpiece

TEXTS = ("It's a1 b-2, Éa\u4e2d x\t.", "a  b", "-", "unbelievable é")
VOCAB = [
    "[UNK]",
    *"abcdefghijklmnopqrstuvwxyz'-.,12",
    *(f"##{one}" for one in "abcdefghijklmnopqrstuvwxyz12"),
    "É",
    "é",
]
SPLIT = {"type": "Split", "pattern": {"Regex": r"\d"}, "behavior": "Isolated", "invert": False}
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
WORDS = {"type": "Whitespace"}


def changed(step: dict[str, Any], option: str, value: object) -> dict[str, Any]:
    return {**step, option: value}


@pytest.mark.parametrize(
    ("stage", "step", "option", "value", "rule"),
    [
        *(("pre_tokenizer", SPLIT, "behavior", one, f"behavior is {one}")
          for one in ("Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")),
        ("pre_tokenizer", SPLIT, "invert", True, "invert is on"),
        ("normalizer", BERT, "lowercase", False, "lowercase is off"),
        ("normalizer", BERT, "clean_text", False, "clean_text is off"),
        ("normalizer", BERT, "handle_chinese_chars", False, "handle_chinese_chars is off"),
        ("normalizer", BERT, "strip_accents", False, "strip_accents is off"),
    ],
)  # fmt: skip
def test_an_option_with_another_value_answers_as_the_library_does(
    stage: str, step: dict[str, Any], option: str, value: object, rule: str
) -> None:
    stages = {"pre_tokenizer": WORDS, stage: step}
    right, other = ({**stages, stage: one} for one in (step, changed(step, option, value)))
    model = wordpiece(VOCAB)
    (fault,) = (one for one in faults(own(tokenizer_json(model, **right))) if one.rule == rule)
    library = official(tokenizer_json(model, **other))
    assert [list(fault.ids(text)) for text in TEXTS] == [library.encode(text).ids for text in TEXTS]
    assert usual_cause(fault.stage, rule)


def test_only_options_of_few_values_are_set() -> None:
    assert [rule for rule, _ in with_other_options(Punctuation("Isolated"))] == [
        *(
            "behavior is Removed",
            "behavior is MergedWithPrevious",
            "behavior is MergedWithNext",
            "behavior is Contiguous",
        )
    ]
    assert [rule for rule, _ in with_other_options(BertNormalizer(True, True, None, True))][-3:] == [
        *("strip_accents is on", "strip_accents is off", "lowercase is off")
    ]


def test_two_steps_change_places() -> None:
    chain = [{"type": "Prepend", "prepend": " "}, {"type": "Replace", "pattern": {"String": " "}, "content": "_"}]
    stages = ({"normalizer": {"type": "Sequence", "normalizers": some}} for some in (chain, chain[::-1]))
    model = bpe(["<unk>", *"ab _"])
    right, other = (tokenizer_json(model, **one) for one in stages)
    (fault,) = (one for one in faults(own(right)) if one.rule == "Replace comes before Prepend")
    assert list(fault.ids("a b")) == official(other).encode("a b").ids != own(right).encode_ids("a b")
    assert [steps for _, steps in in_other_order([1, 2, "a"])] == [(1, "a", 2)]


@pytest.mark.parametrize(
    ("options", "rule", "text"),
    [
        ({"max_input_chars_per_word": 3}, "max_input_chars_per_word is not read", "abcd"),
        ({}, "an unknown word keeps the parts that are known", "ab\u4e2dc"),
        ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix is not read", "ab"),
    ],
)
def test_options_of_wordpiece_are_not_read(options: dict[str, Any], rule: str, text: str) -> None:
    right = own(tokenizer_json(wordpiece(VOCAB, **options), pre_tokenizer=WORDS))
    (fault,) = (one for one in faults(right) if one.rule == rule)
    tokens = [right.id_to_token(one) for one in fault.ids(text)]
    assert (
        tokens
        == {"abcd": ["a", "##b", "##c", "##d"], "ab\u4e2dc": ["a", "##b", "[UNK]", "##c"], "ab": ["a", "b"]}[text]
    )
    assert tokens != list(right.encode(text).tokens)
    assert usual_cause("Model", rule)


def test_a_decoder_has_its_options_set() -> None:
    decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    model = wordpiece(VOCAB)
    right, other = (tokenizer_json(model, decoder=one) for one in (decoder, changed(decoder, "cleanup", False)))
    (fault,) = (one for one in decoding_faults(own(right)) if one.rule == "cleanup is off")
    ids = own(right).encode_ids("a.")
    assert fault.text(ids, True) == official(other).decode(ids)
    assert usual_cause("Decoder", "cleanup is off")
