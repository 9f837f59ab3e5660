from __future__ import annotations

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.decoders import ByteFallback, Strip

from .official import Json, bpe, chain, official, outcome, own, tokenizer_json
from .tokenizers_strategies import decoders

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
BYTE_TOKENS = [
    "<0xC3>",
    "<0xA9>",
    "<0xE4>",
    "<0xBD>",
    "<0xA0>",
    "<0x41>",
    "<0xF0>",
    "<0x9F>",
    "<0xED>",
    "<0xA0>",
    "<0xc3>",
]
ODD_TOKENS = ["<0x+A>", "<0x-A>", "<0x 1>", "<0xé>", "<0xGG>", "<0x4>", "<0x041>", "<0x41", "<0x１>", "<0x++>", "<0x>>"]
BYTE_CHARACTERS = ["Ã", "©", "ä½", "ł", "Ġ", "ðŁĺ", "Ģ", "í", "ł", "Ģ", "À", "ÿ", "ô", "ı", "¿"]
PLAIN_TOKENS = ["a", "▁a", "▁", "▁▁", "a▁", " a", "  ", "é", "", "b", "aab", "_", "你", "Ġ你"]
token_lists = st.lists(st.sampled_from(BYTE_TOKENS + ODD_TOKENS + BYTE_CHARACTERS + PLAIN_TOKENS), max_size=9)


def own_decoded(decoder: Json, tokens: list[str]) -> str:
    steps = own(tokenizer_json(bpe("a"), decoder=decoder)).decoders
    assert steps is not None
    for step in steps:
        tokens = step.decode_chain(tokens)
    return "".join(tokens)


def assert_same(decoder: Json, *tokens: str) -> str:
    theirs = official(tokenizer_json(bpe("a"), decoder=decoder)).decoder
    decoded = own_decoded(decoder, list(tokens))
    assert decoded == theirs.decode(list(tokens))
    return decoded


@settings(max_examples=800)
@given(st.lists(decoders, min_size=1, max_size=4), token_lists)
def test_chains_of_decoders_give_what_the_library_gives(steps: list[Json], tokens: list[str]) -> None:
    decoder = chain("decoders", steps)
    assert decoder is not None
    assert_same(decoder, *tokens)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())), max_size=9))
def test_any_bytes_decode_with_a_replacement_for_each_part_that_is_not_utf8(tokens: list[str]) -> None:
    assert_same(BYTE_LEVEL, *tokens)


def test_a_token_with_one_character_outside_the_byte_map_is_its_own_text() -> None:
    assert assert_same(BYTE_LEVEL, "Ġ", "Ġ你", "ä½ł") == " Ġ你你"


def test_one_replacement_stands_for_each_maximal_part() -> None:
    assert assert_same(BYTE_LEVEL, "ä½", "A") == "\ufffdA"
    assert assert_same(BYTE_LEVEL, "ðŁĺ", "Ġ", "í", "ł", "Ģ") == "\ufffd \ufffd\ufffd\ufffd"


def test_a_run_with_one_invalid_byte_is_replaced_as_a_whole() -> None:
    assert assert_same({"type": "ByteFallback"}, "<0x41>", "<0xC3>", "b", "<0x41>") == "\ufffd\ufffdbA"


def test_every_token_of_six_bytes_is_read_as_rust_reads_two_hexadecimal_places() -> None:
    for tokens in (ODD_TOKENS, [f"<0x{a}{b}>" for a in "+-0aFg \u0661" for b in "+-0aFg _é"]):
        for token in tokens:
            assert_same({"type": "ByteFallback"}, token)
    assert ByteFallback().decode_chain(["<0x+A>"]) == ["\n"]


@pytest.mark.parametrize(("scheme", "expected"), [("always", "aa b"), ("first", "aa b"), ("never", " a a b")])
def test_the_first_token_loses_every_metaspace_unless_none_is_ever_prepended(scheme: str, expected: str) -> None:
    metaspace: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme}
    assert assert_same(metaspace, "▁a▁a", "▁b") == expected


def test_fusing_makes_one_token_for_the_next_decoder() -> None:
    strip: Json = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    assert assert_same({"type": "Sequence", "decoders": [{"type": "Fuse"}, strip]}, " a", " b") == "a b"
    assert assert_same(strip, " a", " b") == "ab"


@given(st.text(" ab", min_size=1, max_size=5), st.integers(0, 3), st.integers(0, 3))
def test_both_ends_are_stripped_up_to_their_number(token: str, start: int, stop: int) -> None:
    strip: Json = {"type": "Strip", "content": " ", "start": start, "stop": stop}
    theirs = official(tokenizer_json(bpe("a"), decoder=strip)).decoder
    safe = token if len(token) > stop and token.strip(" ") else f"a{token}a"
    assert own_decoded(strip, [safe]) == outcome(lambda: theirs.decode([safe]))


def test_where_the_library_panics_a_token_is_stripped_to_nothing() -> None:
    assert Strip(" ", 1, 1).decode_chain(["", " ", "  "]) == ["", "", ""]


def test_a_literal_and_a_pattern_are_replaced_in_each_token() -> None:
    literal: Json = {"type": "Replace", "pattern": {"String": "."}, "content": "-"}
    assert assert_same(literal, "a.", "b") == "a-b"
    assert assert_same({**literal, "pattern": {"Regex": "."}}, "a.", "b") == "---"
    assert assert_same({**literal, "pattern": {"String": ""}}, "ab", "") == "-a-b-"
