from __future__ import annotations

from typing import Any

import pytest

from reftok.errors import ModelFormatError
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.truncation import Truncation

from ....official import Json, bpe, official, outcome, own, tokenizer_json

TRUNCATION: Json = {"direction": "Left", "max_length": 3, "strategy": "OnlyFirst", "stride": 1}
PADDING: Json = {
    "strategy": {"Fixed": 5},
    "direction": "Left",
    "pad_to_multiple_of": 2,
    "pad_id": 1,
    "pad_type_id": 2,
    "pad_token": "p",
}


def config(**keys: Any) -> Json:
    return tokenizer_json(bpe("ab"), **keys)


def without(fields: Json, key: str) -> Json:
    return {name: value for name, value in fields.items() if name != key}


def test_every_key_is_read() -> None:
    tokenizer = own(config(truncation=TRUNCATION, padding=PADDING))
    assert tokenizer.rules.truncation == Truncation(3, "OnlyFirst", 1, "Left")
    assert tokenizer.rules.padding == Padding(5, "Left", 2, 1, 2, "p")


def test_null_and_nothing_are_the_same() -> None:
    nothing = without(without(config(), "truncation"), "padding")
    for tokenizer in (own(config()), own(nothing)):
        assert (tokenizer.rules.truncation, tokenizer.rules.padding) == (None, None)
    assert official(nothing).truncation is official(nothing).padding is None


def test_the_direction_of_truncation_and_the_multiple_of_padding_may_be_left_out() -> None:
    keys = {"truncation": without(TRUNCATION, "direction"), "padding": without(PADDING, "pad_to_multiple_of")}
    tokenizer = own(config(**keys))
    assert tokenizer.rules.truncation == Truncation(3, "OnlyFirst", 1, "Right")
    assert tokenizer.rules.padding == Padding(5, "Left", None, 1, 2, "p")
    assert official(config(**keys)).encode("abab").ids == tokenizer.encode("abab").ids


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"truncation": []}, "truncation: is not an object but a list"),
        ({"truncation": without(TRUNCATION, "stride")}, "truncation.stride: is missing"),
        ({"truncation": without(TRUNCATION, "max_length")}, "truncation.max_length: is missing"),
        ({"truncation": without(TRUNCATION, "strategy")}, "truncation.strategy: is missing"),
        ({"truncation": TRUNCATION | {"max_length": -1}}, "truncation.max_length: is not a whole number from 0"),
        ({"truncation": TRUNCATION | {"max_length": 2**64}}, "truncation.max_length: is not a whole number from 0"),
        ({"truncation": TRUNCATION | {"stride": None}}, "truncation.stride: is not a whole number from 0"),
        ({"truncation": TRUNCATION | {"strategy": "longest_first"}}, "truncation.strategy: longest_first is not supp"),
        ({"truncation": TRUNCATION | {"direction": "left"}}, "truncation.direction: left is not supported"),
        ({"padding": "BatchLongest"}, "padding: is not an object but a string"),
        ({"padding": without(PADDING, "pad_token")}, "padding.pad_token: is missing"),
        ({"padding": without(PADDING, "direction")}, "padding.direction: is missing"),
        ({"padding": PADDING | {"strategy": "Fixed"}}, "padding.strategy: Fixed is not supported"),
        ({"padding": PADDING | {"strategy": {"Fixed": 1, "x": 1}}}, "padding.strategy.x: this key is not known"),
        ({"padding": PADDING | {"strategy": {"Fixed": 1.5}}}, "padding.strategy.Fixed: is not a whole number"),
        ({"padding": PADDING | {"pad_id": 2**32}}, "padding.pad_id: is not a whole number from 0 to 4294967295"),
        ({"padding": PADDING | {"pad_to_multiple_of": "2"}}, "padding.pad_to_multiple_of: is not a whole number"),
    ],
)
def test_what_the_library_refuses_too_is_named(keys: Json, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        own(config(**keys))
    assert problem in str(refused.value)
    if keys != {"truncation": []}:
        assert outcome(lambda: official(config(**keys))) == "refused"


@pytest.mark.parametrize("key", ["truncation", "padding"])
def test_an_unknown_key_is_refused(key: str) -> None:
    fields = TRUNCATION if key == "truncation" else PADDING
    with pytest.raises(ModelFormatError, match=rf"{key}\.unknown: this key is not known"):
        own(config(**{key: {**fields, "unknown": 1}}))


@pytest.mark.parametrize(
    "padding", [PADDING | {"strategy": {"Fixed": (1 << 17) + 1}}, PADDING | {"pad_to_multiple_of": 2**63}]
)
def test_padding_to_more_tokens_than_any_model_takes_is_refused(padding: Json) -> None:
    with pytest.raises(ModelFormatError, match=r"padding\..*: pads to more than 131072 tokens"):
        own(config(padding=padding))


def test_padding_to_as_many_tokens_as_models_take_is_read() -> None:
    padding = own(
        config(padding=PADDING | {"strategy": {"Fixed": 131_072}, "pad_to_multiple_of": 131_072})
    ).rules.padding
    assert padding == Padding(131_072, "Left", 131_072, 1, 2, "p")


def test_the_largest_length_of_the_library_is_read() -> None:
    largest = TRUNCATION | {"max_length": 2**64 - 1}
    assert own(config(truncation=largest)).encode("ab").ids == official(config(truncation=largest)).encode("ab").ids
