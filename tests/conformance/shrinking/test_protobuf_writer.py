"""What is read and written again is what it was, to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.shrinking.protobuf_writer import written_fields
from reftok import embedded_models
from reftok.formats.protobuf import FIXED32, FIXED64, LENGTH_DELIMITED, VARINT, Field, read_fields

NUMBERS = st.integers(1, (1 << 29) - 1)
VALUES = (
    st.tuples(st.just(VARINT), st.integers(0, (1 << 64) - 1))
    | st.tuples(st.just(FIXED32), st.binary(min_size=4, max_size=4))
    | st.tuples(st.just(FIXED64), st.binary(min_size=8, max_size=8))
    | st.tuples(st.just(LENGTH_DELIMITED), st.binary(max_size=300))
)


@given(st.lists(st.tuples(NUMBERS, VALUES)))
def test_fields_come_back(given_fields: list[tuple[int, tuple[int, int | bytes]]]) -> None:
    fields: list[Field] = [(number, wire_type, 0, value) for number, (wire_type, value) in given_fields]
    read = read_fields(written_fields(fields), "test")
    assert [(number, wire_type, 0, value) for number, wire_type, _, value in read] == fields


@pytest.mark.parametrize("name", [name for name, path in embedded_models().items() if path.suffix == ".model"])
def test_a_model_comes_back(name: str) -> None:
    data = embedded_models()[name].read_bytes()
    assert written_fields(read_fields(data, name)) == data
