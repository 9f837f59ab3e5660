from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok import embedded_models
from reftok.errors import ModelFormatError
from reftok.formats.sentencepiece.protobuf import (
    FIXED32,
    FIXED64,
    LENGTH_DELIMITED,
    VARINT,
    Field,
    read_fields,
    read_varint,
    to_int32,
    written_fields,
)

from ...protobuf_writer import encode_field, varint

NUMBERS = st.integers(1, (1 << 29) - 1)
WIRE_VALUES = (
    st.tuples(st.just(VARINT), st.integers(0, (1 << 64) - 1))
    | st.tuples(st.just(FIXED32), st.binary(min_size=4, max_size=4))
    | st.tuples(st.just(FIXED64), st.binary(min_size=8, max_size=8))
    | st.tuples(st.just(LENGTH_DELIMITED), st.binary(max_size=300))
)


@given(st.integers(0, 2**64 - 1))
def test_a_varint_holds_64_bits(number: int) -> None:
    assert read_varint(varint(number), 0, "test") == (number, len(varint(number)))


def test_int32_is_the_lower_32_bits_with_sign() -> None:
    assert [to_int32(value) for value in (5, 2**32 - 1, 2**64 - 1, 2**32 + 7)] == [5, -1, -1, 7]


def test_the_offset_of_a_value_counts_from_the_start_of_the_file() -> None:
    assert list(read_fields(encode_field(2, b"hi"), "test", offset=100)) == [(2, 2, 102, b"hi")]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        pytest.param(b"\x80", "byte 0", id="a tag that is cut off"),
        pytest.param(b"\x08\x80", "byte 1", id="a varint that is cut off"),
        pytest.param(b"\x08" + b"\xff" * 10 + b"\x01", "byte 1", id="a varint of more than ten bytes"),
        pytest.param(b"\x88" + b"\x80" * 4 + b"\x00", "byte 0", id="a tag of more than five bytes"),
        pytest.param(b"\x12\x82" + b"\x80" * 4 + b"\x00ab", "byte 1", id="a length of more than five bytes"),
        pytest.param(b"\x12\x05abc", "byte 2", id="bytes that are cut off"),
        pytest.param(b"\x12\xff\xff\xff\xff\x0f", "byte 6", id="a length beyond any file"),
        pytest.param(b"\x15\x00\x00", "byte 1", id="a float that is cut off"),
        pytest.param(b"\x11\x00\x00\x00\x00", "byte 1", id="a double that is cut off"),
        pytest.param(b"\x0b", "byte 0", id="a group"),
        pytest.param(b"\x0e", "byte 0", id="a wire type that does not exist"),
        pytest.param(b"\x00\x00", "byte 0", id="field number 0"),
    ],
)
def test_a_broken_message_is_refused_with_the_byte(data: bytes, place: str) -> None:
    with pytest.raises(ModelFormatError) as caught:
        list(read_fields(data, "test"))
    assert caught.value.place == place


def test_of_what_is_overlong_the_lower_bits_count() -> None:
    assert read_varint(b"\x82" + b"\x80" * 8 + b"\x7e", 0, "test") == (2, 10)
    assert list(read_fields(varint(1 << 32 | 1 << 3) + b"\x05", "test")) == [(1, 0, 5, 5)]


@given(st.lists(st.tuples(NUMBERS, WIRE_VALUES)))
def test_written_fields_come_back(given_fields: list[tuple[int, tuple[int, int | bytes]]]) -> None:
    fields: list[Field] = [(number, wire_type, 0, value) for number, (wire_type, value) in given_fields]
    read = read_fields(written_fields(fields), "test")
    assert [(number, wire_type, 0, value) for number, wire_type, _, value in read] == fields


@pytest.mark.parametrize("name", [name for name, path in embedded_models().items() if path.suffix == ".model"])
def test_a_model_that_is_written_again_is_what_it_was(name: str) -> None:
    data = embedded_models()[name].read_bytes()
    assert written_fields(read_fields(data, name)) == data
