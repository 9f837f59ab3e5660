from __future__ import annotations

import base64
import struct
from functools import partial

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.sentencepiece.charsmap_check import check_charsmap
from reftok.unicode.charsmap import Charsmap

from ..official import as_bytes, bpe, own_normalized, refusal, tokenizer_json
from ..protobuf_writer import compile_charsmap

RULES = {"a": "1", "ab": "2", "abc": "3", "é": "", "ﬁ": "fi", "中文": "x"}
TARGETS = st.text("abé中X ", max_size=3)

rule_sets = (
    st.dictionaries(st.text("abé中\u0301e", min_size=1, max_size=3), TARGETS, min_size=1, max_size=6)
    .map(lambda rules: {key: value for key, value in rules.items() if key != value})
    .filter(bool)
)


@pytest.fixture(scope="module")
def charsmap() -> Charsmap:
    return Charsmap(compile_charsmap(RULES))


def test_every_rule_is_found(charsmap: Charsmap) -> None:
    for key, value in RULES.items():
        assert charsmap.prefixes(key.encode("utf-8"))[-1] == (len(key.encode("utf-8")), value)


def test_prefixes_come_shortest_first(charsmap: Charsmap) -> None:
    assert charsmap.prefixes(b"abcd") == [(1, "1"), (2, "2"), (3, "3")]
    assert charsmap.shortest_prefix("abcd") == "1"


def test_a_search_begins_where_it_is_told(charsmap: Charsmap) -> None:
    assert charsmap.prefixes(b"xab", start=1) == [(1, "1"), (2, "2")]
    assert charsmap.prefixes(b"xab") == []


def test_a_rule_that_ends_inside_a_character_is_no_match(charsmap: Charsmap) -> None:
    assert charsmap.shortest_prefix("中") is None


def test_a_nul_ends_the_key(charsmap: Charsmap) -> None:
    assert charsmap.shortest_prefix("\0a") is None


@settings(max_examples=60)
@given(rule_sets, st.data())
def test_random_rules_normalize_as_in_the_library(rules: dict[str, str], data: st.DataObject) -> None:
    normalizer = {
        "type": "Precompiled",
        "precompiled_charsmap": base64.b64encode(compile_charsmap(rules)).decode("ascii"),
    }
    config = as_bytes(tokenizer_json(bpe("a"), normalizer=normalizer)).decode("utf-8")
    theirs = tokenizers.Tokenizer.from_str(config).normalizer
    for text in data.draw(st.lists(st.text("abé中\u0301ex", max_size=8), max_size=5)):
        assert own_normalized(normalizer, text).text == theirs.normalize_str(text)


@pytest.mark.parametrize("length", [0, 3, 4, 5, 100])
def test_a_blob_that_is_cut_off_is_refused(length: int) -> None:
    with pytest.raises(ModelFormatError, match=r"m\.json: precompiled_charsmap: "):
        Charsmap(compile_charsmap(RULES)[:length], "m.json")


@pytest.mark.parametrize(
    ("value", "replacements", "problem"),
    [
        (0, b"\xff\0", "byte 0 of the replacements is not UTF-8"),
        (1, "é\0".encode(), "replacement 1 begins inside a character"),
    ],
)
def test_a_replacement_that_is_not_utf8_is_refused_by_name(value: int, replacements: bytes, problem: str) -> None:
    trie = compile_charsmap({"a": "é"})[: 4 + 1024]
    (leaf,) = (offset for offset in range(4, len(trie), 4) if trie[offset + 3] == 0x80)
    blob = trie[:leaf] + struct.pack("<I", 1 << 31 | value) + trie[leaf + 4 :] + replacements
    with pytest.raises(UnsupportedFeature, match=problem):
        check_charsmap(Charsmap(blob, "m.json"), "m.json")


def use(blob: bytes) -> None:
    charsmap = Charsmap(blob, "m.json")
    for key in (b"ab\xff", "é".encode(), b"\xc3"):
        charsmap.prefixes(key)
    check_charsmap(charsmap, "m.json")


@given(st.binary(min_size=5, max_size=60))
def test_no_blob_raises_anything_but_a_format_error(blob: bytes) -> None:
    framed = (len(blob) // 8 * 4).to_bytes(4, "little") + blob
    for data in (blob, framed):
        problem = refusal(partial(use, data))
        assert problem.startswith("m.json: precompiled_charsmap: ") or not problem


@given(st.integers(4, 1027), st.integers(0, 255))
def test_a_changed_byte_raises_nothing_but_a_format_error(place: int, byte: int) -> None:
    blob = bytearray(compile_charsmap({"a": "b", "é": "x"}))
    blob[place] = byte
    problem = refusal(lambda: use(bytes(blob)))
    assert problem.startswith("m.json: precompiled_charsmap: ") or not problem
