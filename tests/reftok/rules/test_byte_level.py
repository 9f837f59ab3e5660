from __future__ import annotations

import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from reftok.rules.byte_level import (
    BYTE_TO_CHARACTER,
    CHARACTER_TO_BYTE,
    bytes_to_unicode,
    from_byte_characters,
    to_byte_characters,
    unicode_to_bytes,
)


def test_the_alphabet_is_that_of_the_library() -> None:
    assert set(BYTE_TO_CHARACTER.values()) == set(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    assert len(CHARACTER_TO_BYTE) == len(BYTE_TO_CHARACTER) == 256


def test_every_byte_of_every_length_of_utf8_is_written_as_in_the_library() -> None:
    official = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in (
        "".join(map(chr, range(0x800))),
        "".join(map(chr, range(0x800, 0x10000, 37))).encode("utf-8", "ignore").decode(),
        "".join(map(chr, range(0x10000, 0x110000, 4099))),
    ):
        assert to_byte_characters(text.encode("utf-8")) == official.pre_tokenize_str(text)[0][0]


@given(st.binary())
def test_bytes_survive_the_way_there_and_back(data: bytes) -> None:
    assert from_byte_characters(to_byte_characters(data)) == data


def test_a_character_outside_the_map_stands_for_no_bytes() -> None:
    assert from_byte_characters("a b") is None
    assert from_byte_characters("") == b""


def test_the_public_maps_are_inverse_and_new_every_time() -> None:
    mapping = bytes_to_unicode()
    assert unicode_to_bytes() == {character: byte for byte, character in mapping.items()}
    mapping.clear()
    assert len(bytes_to_unicode()) == 256
