from __future__ import annotations

from typing import Any

import pytest

from reftok.errors import ModelFormatError

from ....official import Json, assert_same_encoding, bpe, official, outcome, own, tokenizer_json

BERT: Json = {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]}
ROBERTA: Json = {**BERT, "type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": True}
TEXT_A: Json = {"Sequence": {"id": "A", "type_id": 0}}
TEXT_B: Json = {"Sequence": {"id": "B", "type_id": 0}}
SPECIAL: Json = {"SpecialToken": {"id": "<s>", "type_id": 0}}
TEMPLATE: Json = {
    "type": "TemplateProcessing",
    "single": [SPECIAL, TEXT_A],
    "pair": [TEXT_A, TEXT_B],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["a"]}},
}


def config(post_processor: Json) -> Json:
    return tokenizer_json(bpe("ab"), post_processor=post_processor)


@pytest.mark.parametrize("post_processor", [BERT, ROBERTA, TEMPLATE])
def test_every_type_is_read(post_processor: Json) -> None:
    assert_same_encoding(config(post_processor), "a", "ab", pair="b")


def test_the_options_of_byte_level_say_nothing_at_a_template() -> None:
    """Command R+ has them there."""
    options: Json = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    assert_same_encoding(config(TEMPLATE | options), "a", " ab", pair=" b")


def without(fields: Json, key: str) -> Json:
    return {name: value for name, value in fields.items() if name != key}


@pytest.mark.parametrize(
    ("post_processor", "problem"),
    [
        (BERT | {"sep": "[SEP]"}, "post_processor.sep: is not a list but a string"),
        (BERT | {"sep": ["[SEP]"]}, "post_processor.sep: is not a token and its id"),
        (BERT | {"sep": [1, "[SEP]"]}, "post_processor.sep: is not a token and its id"),
        (BERT | {"cls": ["[CLS]", -1]}, "post_processor.cls: is not a token and its id"),
        (BERT | {"cls": ["[CLS]", 2**32]}, "post_processor.cls: is not a token and its id"),
        (without(BERT, "cls"), "post_processor.cls: is missing"),
        (without(TEMPLATE, "pair"), "post_processor.pair: is missing"),
        (TEMPLATE | {"pair": "$A $B"}, "post_processor.pair: is not a list but a string"),
        (TEMPLATE | {"pair": [SPECIAL | {"SpecialToken": {"id": "?", "type_id": 0}}]}, "'?' is not in special_tokens"),
    ],
)
def test_what_the_library_refuses_too_is_named(post_processor: Json, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        own(config(post_processor))
    assert problem in str(refused.value)
    assert outcome(lambda: official(config(post_processor)).encode("a", "b")) in ("refused", "panicked")


@pytest.mark.parametrize(
    ("post_processor", "problem"),
    [
        (without(ROBERTA, "trim_offsets"), "post_processor.trim_offsets: is missing"),
        (ROBERTA | {"trim_offsets": 1}, "post_processor.trim_offsets: is not a boolean but a number"),
        (ROBERTA | {"type": "BertProcessing"}, "post_processor.trim_offsets: this key is not known"),
        (without(BERT, "type"), "post_processor.type: is missing"),
    ],
)
def test_a_type_that_the_library_guesses_by_the_keys_is_refused(post_processor: Json, problem: str) -> None:
    official(config(post_processor))
    with pytest.raises(ModelFormatError) as refused:
        own(config(post_processor))
    assert problem in str(refused.value)


def test_a_second_text_in_the_template_of_one_is_refused_because_the_library_panics() -> None:
    template = TEMPLATE | {"single": [TEXT_A, TEXT_B]}
    assert outcome(lambda: official(config(template)).encode("a")) == "panicked"
    with pytest.raises(ModelFormatError, match=r"post_processor\.single: asks for a second text"):
        own(config(template))


@pytest.mark.parametrize("key", ["single", "pair"])
def test_templates_that_together_insert_a_hundred_thousand_ids_are_refused(key: str) -> None:
    special: Any = {"<s>": {"id": "<s>", "ids": [0] * 2000, "tokens": ["a"] * 2000}}
    template = {**TEMPLATE, key: [SPECIAL] * 40 + [TEXT_A], "special_tokens": special}
    sequence = {"type": "Sequence", "processors": [template, template]}
    with pytest.raises(ModelFormatError, match=r"post_processor: inserts more than 131072 ids"):
        own(config(sequence))


@pytest.mark.parametrize("key", ["single", "pair"])
def test_a_template_that_inserts_a_hundred_thousand_ids_is_refused(key: str) -> None:
    special: Any = {"<s>": {"id": "<s>", "ids": [0] * 2000, "tokens": ["a"] * 2000}}
    template = {**TEMPLATE, key: [SPECIAL] * 501, "special_tokens": special}
    with pytest.raises(ModelFormatError, match=rf"post_processor\.{key}: inserts more than 131072 ids"):
        own(config(template))
