from __future__ import annotations

from typing import Any

import pytest
import tokenizers

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json

from ...official import (
    Json,
    added,
    as_bytes,
    bpe,
    chain,
    official,
    outcome,
    own,
    tokenizer_json,
)
from ...tokenizers_strategies import DECODERS, NORMALIZERS

ABSENT: Json = {"type": "Split", "pattern": {"Regex": "(?~a)"}, "behavior": "Isolated", "invert": False}
FULL = tokenizer_json(
    bpe(["<unk>", "a", "b", "ab", "▁"], [("a", "b")]),
    [added("<s>", special=True), added("x y", normalized=True)],
    normalizer=chain("normalizers", NORMALIZERS[3:]),
    decoder=chain("decoders", DECODERS),
)


def test_a_truncated_file_is_refused_wherever_it_ends() -> None:
    data = as_bytes(FULL)
    for end in [*range(200), *range(200, len(data) - 50, 37), *range(len(data) - 50, len(data))]:
        with pytest.raises(ModelFormatError, match=r"^m\.json: "):
            read_tokenizer_json(data[:end], "m.json")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "line 1 column 1: is not JSON"),
        (b"[]", "is not an object but a list"),
        (b"\xff", "byte 0: is not UTF-8"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b'{"version": NaN}', "is not JSON (NaN is not a number in JSON)"),
        (b'{"version": -Infinity}', "is not JSON (-Infinity is not a number in JSON)"),
        (b'{"version": 1e999}', "is not JSON (number out of range)"),
        (b'{"version": ' + b"1" * 5000 + b"}", "is not JSON (number out of range)"),
        (b'{"version": "\\ud800"}', "is not JSON (an escape stands for half a surrogate pair)"),
        (b'{"\\udc00": 1}', "is not JSON (an escape stands for half a surrogate pair)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"version": "1.0", "version": 1}', "the key 'version' is there twice"),
        (b'{"version": "2.0"}', "version: only 1.0 is known"),
        (b"{}", "model: is missing"),
    ],
)
def test_what_is_no_tokenizer_json_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_tokenizer_json(data, "m.json")
    assert problem in str(refused.value)
    assert outcome(lambda: tokenizers.Tokenizer.from_buffer(data)) == "refused"


def test_a_file_without_added_tokens_is_read() -> None:
    config = tokenizer_json(bpe("a"))
    del config["added_tokens"]
    assert own(config).encode_ids("a") == official(config).encode("a").ids == [0]


def test_whole_surrogate_pairs_are_characters() -> None:
    data = as_bytes(tokenizer_json(bpe("😀"))).decode().replace("😀", "\\ud83d\\ude00")
    assert read_tokenizer_json(data.encode()).encode_ids("😀") == [0]


@pytest.mark.parametrize(
    ("stages", "named"),
    [
        ({"unknown": 1}, "m.json: unknown: this key is not known"),
        (
            {"normalizer": {"type": "Prepend", "prepend": ""}},
            "m.json: normalizer.prepend: nothing, with which the library loses its alignment, is not supported",
        ),
        (
            {"pre_tokenizer": chain("pretokenizers", [{"type": "Whitespace"}, ABSENT])},
            "m.json: pre_tokenizer.pretokenizers[1].pattern.Regex: pattern '(?~a)': "
            "at character 0, '(?~': the absent operator is not supported",
        ),
    ],
)
def test_what_is_not_supported_is_refused_by_name(stages: Json, named: str) -> None:
    with pytest.raises(UnsupportedFeature) as refused:
        read_tokenizer_json(as_bytes(tokenizer_json(bpe("a"), **stages)), "m.json")
    assert str(refused.value) == named


@pytest.mark.parametrize("dropout", [0.5, 1, 1e-9])
def test_dropout_is_refused_and_none_and_zero_are_not(dropout: float) -> None:
    with pytest.raises(UnsupportedFeature, match=r"model\.dropout: a rate above 0"):
        own(tokenizer_json(bpe("a", dropout=dropout)))
    for harmless in (None, 0, 0.0):
        assert own(tokenizer_json(bpe("a", dropout=harmless))).encode_ids("a") == [0]


def test_merges_may_be_lines_and_versions_among_them_are_skipped() -> None:
    lines = ["#version: 0.2", "a b", "#version x", "ab a"]
    config = tokenizer_json(bpe(["a", "b", "ab", "aba", "#version", "x"], lines))
    assert own(config).encode_ids("aba") == official(config).encode("aba").ids == [3]


@pytest.mark.parametrize(
    "merges", [["a b", ["a", "b"]], [["a", "b"], "a b"], ["a b c"], ["ab"], [["a", "b", "c"]], [[1, 2]]]
)
def test_merges_of_another_form_are_refused(merges: list[Any]) -> None:
    config = tokenizer_json(bpe(["a", "b", "ab"], merges))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.merges\[[01]\]: is not a pair of tokens"):
        own(config)


def test_merges_as_pairs_may_contain_spaces() -> None:
    config = tokenizer_json(bpe(["a", " ", "a ", "b", "a b"], [("a", " "), ("a ", "b")]))
    assert own(config).encode_ids("a b") == official(config).encode("a b").ids == [4]
