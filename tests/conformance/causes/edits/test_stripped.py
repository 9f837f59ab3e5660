"""What is stripped from the ends of a text is the white space of a language, at one end or at both."""

from __future__ import annotations

import sys

import pytest

from conformance.causes.edits.stripped import STRIPPED, strippings

RULES = dict(strippings())
DOUBTFUL = [*"\0\x01\x1b\t\n\v\f\r\x1c\x1d\x1e\x1f \x7f\x85\xa0\u1680\u180e\u2000\u2007\u200a\u200b\u2028\u2029"]
DOUBTFUL += ["\u202f", "\u205f", "\u2060", "\u3000", "\ufeff"]


@pytest.mark.parametrize(
    ("language", "stays"),
    [
        ("", "\0\x01\x1b\x7f\u180e\u200b\u2060\ufeff"),
        (" as in Go and Rust and C#", "\0\x01\x1b\x1c\x1d\x1e\x1f\x7f\u180e\u200b\u2060\ufeff"),
        (" as in ECMAScript", "\0\x01\x1b\x1c\x1d\x1e\x1f\x7f\x85\u180e\u200b\u2060"),
        (" as in Java's strip", "\0\x01\x1b\x7f\x85\xa0\u180e\u2007\u200b\u202f\u2060\ufeff"),
        (" as in Kotlin", "\0\x01\x1b\x7f\x85\u180e\u200b\u2060\ufeff"),
        (" as in Swift", "\0\x01\x1b\x1c\x1d\x1e\x1f\x7f\u180e\u2060\ufeff"),
        (" as in C and Python's bytes", "".join(one for one in DOUBTFUL if one not in "\t\n\v\f\r ")),
        (" as in Java's trim", "".join(one for one in DOUBTFUL if one > " ")),
    ],
)
def test_each_language_strips_its_own_white_space(language: str, stays: str) -> None:
    strip = RULES[f"white space at the ends is stripped{language}"]
    assert "".join(one for one in DOUBTFUL if strip(f"{one}a{one}") != "a") == stays


def test_the_rule_that_names_no_language_is_that_of_python() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assert {one for one in every if one.isspace()} == STRIPPED[""]


def test_python_strips_of_bytes_what_c_does() -> None:
    every = (chr(byte) for byte in range(0x80))
    assert {one for one in every if not one.encode().strip()} == STRIPPED[" as in C and Python's bytes"]


@pytest.mark.parametrize("language", STRIPPED)
@pytest.mark.parametrize(("side", "left"), [("start", "a \t"), ("end", " \na"), ("ends", "a")])
def test_only_the_side_that_the_rule_names_is_stripped(language: str, side: str, left: str) -> None:
    assert RULES[f"white space at the {side} is stripped{language}"](" \na \t") == left


def test_no_two_languages_strip_the_same() -> None:
    assert len({*STRIPPED.values()}) == len(STRIPPED)
