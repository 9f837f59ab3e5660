"""What the readers of tokenizer.json do not show of a value: places at the root, defaults, and what counts as null."""

from __future__ import annotations

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.fields import Fields, is_id

VALUE = {"text": "a", "flag": True, "number": 3, "score": 1.5, "list": [1], "object": {"x": None}, "null": None}


@pytest.fixture
def fields() -> Fields:
    return Fields(VALUE, "m.json", "model")


def test_every_type_is_read_and_no_other_taken_for_it(fields: Fields) -> None:
    readers = {"text": Fields.text, "flag": Fields.boolean, "list": Fields.items, "number": Fields.integer}
    for name, read in readers.items():
        assert read(fields, name) == VALUE[name]
        for key in VALUE.keys() - {name}:
            with pytest.raises(ModelFormatError, match=rf"^m\.json: model\.{key}: is not a"):
                read(fields, key)
    assert (fields.number("score"), fields.number("number"), list(fields.object("object"))) == (1.5, 3.0, ["x"])
    assert list(fields) == list(VALUE)


def test_null_counts_as_missing_only_where_the_value_is_optional(fields: Fields) -> None:
    assert fields.optional("null", Fields.text, 1) == fields.optional("none", Fields.text, 1) == 1
    assert fields.optional_object("null", set, 1) == fields.optional_object("none", set, 1) == 1
    assert fields.optional("flag", Fields.boolean, False) is True
    assert fields.boolean("none", False) is False
    assert (fields.items("none", ()), fields.objects("none", ())) == ((), [])


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
