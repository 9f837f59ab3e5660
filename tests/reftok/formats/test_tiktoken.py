from __future__ import annotations

import base64
from functools import partial

import pytest
import tiktoken
from hypothesis import given, settings

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.tiktoken import ENCODINGS, RankEncoding, compile_fancy_regex, read_ranks, read_tiktoken

from ..official import refusal
from ..tokenizers_strategies import texts

RANKS = {bytes([byte]): byte for byte in range(256)}
RANKS |= {
    token: 256 + index for index, token in enumerate([b"ab", b" a", "é".encode(), b"'s", b"  ", b" ab", b"\xc3\xa9b"])
}
SPECIAL = {"<s>": 300, "<a>": 301}


def file(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


@pytest.mark.parametrize("name", sorted(ENCODINGS))
@settings(max_examples=120)
@given(text=texts)
def test_the_pattern_of_every_encoding_gives_the_ids_of_the_library(name: str, text: str) -> None:
    pattern = ENCODINGS[name].pattern
    ours = read_tiktoken(file(RANKS), encoding=RankEncoding("tiny", pattern, SPECIAL, ""))
    theirs = tiktoken.Encoding("tiny", pat_str=pattern, mergeable_ranks=RANKS, special_tokens=SPECIAL)
    ids = ours.encode_ids(text)
    assert ids == theirs.encode(text, allowed_special="all")
    assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids) == text


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_patterns_and_special_tokens_are_those_of_the_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken_ext.openai_public as public

    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda url, expected_hash: {b"hash": expected_hash})
    theirs = public.ENCODING_CONSTRUCTORS[name]()
    ours = ENCODINGS[name]
    assert (ours.pattern, ours.special_tokens) == (theirs["pat_str"], theirs["special_tokens"])
    assert theirs["mergeable_ranks"] == {b"hash": ours.sha256}


def test_lone_surrogates_become_replacement_characters_as_in_the_library() -> None:
    encoding = RankEncoding("tiny", r"[\s\S]+", {}, "")
    theirs = tiktoken.Encoding("tiny", pat_str=r"[\s\S]+", mergeable_ranks=RANKS, special_tokens={})
    for text in ("\ud800", "a\udc00b", "\ud83d\ude00"):
        assert read_tiktoken(file(RANKS), encoding=encoding).encode_ids(text) == theirs.encode(text)


def test_the_end_of_the_text_is_not_before_a_last_line_feed() -> None:
    pattern = r"a$|[\s\S]"
    theirs = tiktoken.Encoding("tiny", pat_str=pattern, mergeable_ranks=RANKS, special_tokens={})
    ours = read_tiktoken(file(RANKS), encoding=RankEncoding("tiny", pattern, {}, ""))
    assert ours.encode_ids("a\na") == theirs.encode("a\na")
    assert compile_fancy_regex("a$").findall("a\n") == []


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "has no rank for byte 00: is the file complete?"),
        (b"YQ==\n", "line 1: is not base64 and a rank"),
        (b"YQ== x\n", "line 1: is not base64 and a rank"),
        (b"YQ== 0\nY!== 1\n", "line 2: is not base64 and a rank"),
        (b"YQ== 0\nYQ= 1\n", "line 2: is not base64 and a rank"),
        (b"YQ== 1.0\n", "line 1: is not base64 and a rank"),
        (b"YQ== " + b"1" * 5000, "line 1: is not base64 and a rank"),
        (b"YQ== 0 1\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"YQ== 0\nYQ== 1\n", "line 2: repeats a token or a rank, or has too many fields"),
        (b"YQ== 0\nYg== 0\n", "line 2: repeats a token or a rank, or has too many fields"),
        (b"YQ== -1\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"YQ== 4294967296\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"\xff\xfe 0\n", "line 1: is not base64 and a rank"),
        (b" \n", "line 1: is not base64 and a rank"),
        (file(RANKS)[7:], "has no rank for byte 00: is the file complete?"),
    ],
)
def test_what_is_no_rank_file_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_tiktoken(data, "m.tiktoken", ENCODINGS["cl100k_base"])
    assert str(refused.value).startswith(f"m.tiktoken: {problem}")


def test_a_truncated_file_raises_nothing_but_a_format_error() -> None:
    data = file(RANKS)
    for end in range(len(data)):
        problem = refusal(partial(read_ranks, data[:end], "m.tiktoken"))
        assert problem.startswith("m.tiktoken: ") or not problem


def test_a_file_that_is_not_known_is_refused_and_not_guessed() -> None:
    with pytest.raises(
        UnsupportedFeature, match=r"m\.tiktoken: not a published rank file.* takes r50k_base, p50k_base, cl100k"
    ):
        read_tiktoken(file(RANKS), "m.tiktoken")


def test_empty_lines_are_skipped() -> None:
    assert read_ranks(file(RANKS).replace(b"\n", b"\n\n")) == RANKS


def test_a_byte_without_a_rank_is_refused_and_no_key_error_later() -> None:
    with pytest.raises(ModelFormatError, match=r"^m\.tiktoken: has no rank for byte 62"):
        read_ranks(file({token: rank for token, rank in RANKS.items() if token != b"b"}), "m.tiktoken")
