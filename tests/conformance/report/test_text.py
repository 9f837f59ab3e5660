"""Nothing that a reader cannot see, and nothing that could harm a page, passes `visible`."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from conformance.report.text import MOST_MARKS, code_points, name_of, visible, visible_part

HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


CODES = [*range(0x33480), *range(0xE0000, 0xE0200), *range(0x10FF00, sys.maxunicode + 1)]
"""Up to the last ideographs, tags, and the end: the rest is not assigned or for private use, all alike."""


def test_no_code_point_without_a_face_stands_and_each_is_shown_differently() -> None:
    shown = {code: visible(f"a{chr(code)}b") for code in CODES}
    assert not [code for code, text in shown.items() if any(unicodedata.category(char) in HARMFUL for char in text)]
    assert len({*shown.values()}) == len(shown)


@pytest.mark.parametrize(
    "text", ["naïve", "Ελλάδα", "你好", "नमस्ते", "a b", "e\u0301", "🤷🏽", "🇩🇪", "שלום", "<&>\"'`|\\"]
)
def test_what_can_be_seen_stands(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x00\t\n\x7f", "␀␉␊␡"),
        ("\x9b", r"\u{9b}"),
        ("\u200b\ufeff\u00ad", r"\u{200b}\u{feff}\u{ad}"),
        ("\u202e\u2066", r"\u{202e}\u{2066}"),
        ("\ud800\ufffe\ue000", r"\u{d800}\u{fffe}\u{e000}"),
        ("\u0301a", r"\u{301}a"),
        ("a \u0301", r"a \u{301}"),
        ("❤\ufe0f", r"❤\u{fe0f}"),
        ("\u3164\u2800", r"\u{3164}\u{2800}"),
        (" a", "␠a"),
        ("a ", "a␠"),
        ("a  b", "a␠␠b"),
        ("␀", r"\u{2400}"),
        (r"\u{0}", r"\u{5c}u{0}"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_tower_of_marks_is_cut_down() -> None:
    assert visible("a" + "\u0301" * 50, limit=99).count("\u0301") == MOST_MARKS


def test_a_long_text_says_how_much_is_missing() -> None:
    assert visible("x" * 100_000, limit=3) == "xxx…(+99997)"
    assert visible("xxx", limit=3) == "xxx"


def test_a_part_knows_its_neighbours() -> None:
    assert visible_part("a b", 0, 2) == "a "
    assert visible_part("a b", 1, 99) == " b"


def test_code_points_have_a_number_and_a_name() -> None:
    assert [point.number for point in code_points("a\U0001f937", limit=64)] == ["U+0061", "U+1F937"]
    assert len(code_points("x" * 100, limit=64)) == 64


def test_every_code_point_has_a_name() -> None:
    assert all(map(name_of, map(chr, CODES[::7])))
