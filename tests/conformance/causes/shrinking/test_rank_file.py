"""A rank file is taken apart and put together so that it stays one, and loses what nothing needs."""

from __future__ import annotations

import tomllib
from base64 import b64encode

import pytest

from conformance.causes.shrinking.rank_file import encoding_for, encoding_toml, rank_model, steps
from conformance.causes.shrinking.search import Search
from conformance.core.case import Case, ids_case, text_case
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding
from reftok.formats.tiktoken.rank_file import read_ranks
from reftok.regex_dialects.fancy_regex import compile_fancy_regex

BYTES = {bytes([byte]): 255 - byte for byte in range(256)}
OTHERS = {b"": 300, b"ab": 301, b"abc": 900, b"bc": 901, b"xy": 902}


def file(ranks: dict[bytes, int]) -> bytes:
    return b"".join((b64encode(token) or b"=") + b" %d\n" % rank for token, rank in ranks.items())


def test_what_is_written_is_what_was_read() -> None:
    written = rank_model(file({**OTHERS, **BYTES})).written(ids_case((900, 5, 12345), ""))
    assert written is not None
    assert read_ranks(written[0]) == {**BYTES, **OTHERS}
    assert written[1] == ids_case((900, 5, 12345), "")


def smaller(case: Case, needed: set[bytes], tokens: list[bytes]) -> dict[bytes, int]:
    """What is left where just these tokens show the mismatch."""
    model = rank_model(file({**BYTES, **OTHERS}))
    offered: list[dict[bytes, int]] = []

    def fails(data: bytes, case: Case) -> bool:
        offered.append(read_ranks(data))
        return needed <= offered[-1].keys()

    search = Search(model.keeping(tokens), case, fails, 1000)
    search.run(steps(tokens))
    assert offered[0].keys() - BYTES == {token for token in OTHERS if token in b"".join(tokens)}
    return dict(search.model.ranks)


def test_only_the_ranks_that_are_needed_are_left_with_their_numbers() -> None:
    assert smaller(text_case("abc", ""), {b"ab"}, [b"ab", b"c"]) == {b"ab": 301}
    assert smaller(text_case("xyabc", ""), {b"abc", b"xy"}, [b"abc"]) == {b"abc": 900, b"xy": 902}


def test_a_rank_of_the_case_is_kept() -> None:
    assert smaller(ids_case((901, 77), ""), set(), [b"bc"]) == {b"bc": 901}


def test_the_tokens_of_an_answer_are_those_of_its_ranks() -> None:
    assert rank_model(file({**BYTES, **OTHERS})).tokens([900, 5000, 255 - 97]) == [b"abc", b"a"]


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_toml_of_an_encoding_has_its_pattern_and_what_each_id_decodes_to(name: str) -> None:
    written = tomllib.loads(encoding_toml(ENCODINGS[name]))["encoding"]
    compile_fancy_regex(written["pattern"])
    by_id = {number: token for token, number in ENCODINGS[name].special_tokens.items()}
    assert written["pattern"] == ENCODINGS[name].pattern
    assert written["special_tokens"] == {token: number for number, token in by_id.items()}


def test_what_a_name_holds_is_no_toml() -> None:
    names = {'"\\ } = \n\t\0\x7f': 1, "é\U0001f600\u202e": 2}
    text = encoding_toml(RankEncoding("own", "'\"\\w\n", names))
    assert text.isascii()
    assert tomllib.loads(text) == {"encoding": {"pattern": "'\"\\w\n", "special_tokens": names}}


def test_only_the_special_tokens_of_a_case_are_needed() -> None:
    encoding = RankEncoding("own", ".", {"<a>": 1, "<b>": 2, "<c>": 3})
    assert encoding_for(encoding, text_case("x<a", "")).special_tokens == {}
    assert encoding_for(encoding, ids_case((3, 9), "")).special_tokens == {"<c>": 3}
    assert encoding_for(encoding, Case("ids", "", tokens=("<b>",))).special_tokens == {"<b>": 2}
