from __future__ import annotations

from collections.abc import Callable

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields, is_id

VALUE = {"text": "a", "flag": True, "number": 3, "score": 1.5, "list": [1], "object": {"x": None}, "null": None}


@pytest.fixture
def fields() -> Fields:
    return Fields(VALUE, "m.json", "model")


def test_every_type_is_read(fields: Fields) -> None:
    assert (fields.text("text"), fields.boolean("flag"), fields.integer("number")) == ("a", True, 3)
    assert (fields.number("score"), fields.items("list"), list(fields.object("object"))) == (1.5, [1], ["x"])
    assert list(fields) == list(VALUE)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda fields: fields.text("number"), "m.json: model.number: is not a string but a number"),
        (lambda fields: fields.text("null"), "m.json: model.null: is not a string but null"),
        (lambda fields: fields.boolean("number"), "m.json: model.number: is not a boolean but a number"),
        (lambda fields: fields.boolean("null", True), "m.json: model.null: is not a boolean but null"),
        (lambda fields: fields.items("object"), "m.json: model.object: is not a list but an object"),
        (lambda fields: fields.object("list"), "m.json: model.list: is not an object but a list"),
        (lambda fields: fields.number("flag"), "m.json: model.flag: is not a number but a boolean"),
        (lambda fields: fields.integer("number", 3), "m.json: model.number: is not a whole number from 0 to 2 but 3"),
        (
            lambda fields: fields.integer("flag", 5),
            "m.json: model.flag: is not a whole number from 0 to 4 but a boolean",
        ),
        (lambda fields: fields.integer("score", 5), "m.json: model.score: is not a whole number from 0 to 4 but 1.5"),
        (lambda fields: fields.vocab("object"), "m.json: model.object['x']: is not an id: None"),
        (lambda fields: fields.objects("list"), "m.json: model.list[0]: is not an object but a number"),
        (lambda fields: fields.text("none"), "m.json: model.none: is missing"),
    ],
)
def test_a_value_of_another_type_is_named_with_file_and_place(
    fields: Fields, read: Callable[[Fields], object], message: str
) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read(fields)
    assert str(refused.value) == message


def test_null_counts_as_missing_only_where_the_value_is_optional(fields: Fields) -> None:
    assert fields.optional("null", Fields.text, 1) == fields.optional("none", Fields.text, 1) == 1
    assert fields.optional_object("null", set, 1) == fields.optional_object("none", set, 1) == 1
    assert fields.optional("flag", Fields.boolean, False) is True
    assert fields.optional_object("object", set, 1) == {"x"}
    assert fields.boolean("none", False) is False


def test_a_default_is_given_whatever_its_type(fields: Fields) -> None:
    assert (fields.items("none", ()), fields.objects("none", ())) == ((), [])


def test_a_choice_is_one_of_those_given(fields: Fields) -> None:
    assert fields.choice("text", ("a", "b")) == "a"
    with pytest.raises(UnsupportedFeature, match=r"m\.json: model\.text: a is not supported"):
        fields.choice("text", ("b",))


def test_a_key_that_nobody_asked_for_is_refused_by_name(fields: Fields) -> None:
    for key in [*VALUE][1:]:
        fields.any(key)
    with pytest.raises(UnsupportedFeature, match=r"m\.json: model\.text: this key is not known"):
        fields.done()
    fields.any("text")
    fields.done()


def test_a_place_at_the_root_has_no_dot() -> None:
    with pytest.raises(ModelFormatError, match=r"^m\.json: is not an object but a list$"):
        Fields([], "m.json", "")
    with pytest.raises(ModelFormatError, match=r"^m\.json: x: is missing$"):
        Fields({}, "m.json", "").any("x")


def test_an_id_is_a_whole_number_of_32_bits() -> None:
    assert [is_id(value) for value in (0, 2**32 - 1, 2**32, -1, True, 1.0, "1", None)] == [True, True] + [False] * 6
