"""The table of ages agrees with the Unicode data of this Python."""

from __future__ import annotations

import sys
import unicodedata

from conformance.core.unicode_ages import age_of


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")[:2]))


def is_noncharacter(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def assigned_until(limit: tuple[int, ...]) -> set[int]:
    ages = ((code, age_of(chr(code))) for code in range(sys.maxunicode + 1) if not is_noncharacter(code))
    return {code for code, age in ages if age and version(age) <= limit}


def test_what_is_assigned_in_this_python_has_an_age_and_nothing_else() -> None:
    assigned = {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cn"}
    assert assigned_until(version(unicodedata.unidata_version)) == assigned


def test_what_was_assigned_in_unicode_3_2_is_of_that_age_or_older() -> None:
    old = unicodedata.ucd_3_2_0
    assigned = {code for code in range(sys.maxunicode + 1) if old.category(chr(code)) != "Cn"}
    assert assigned_until((3, 2)) == assigned


def test_noncharacters_have_an_age() -> None:
    assert age_of("\ufdd0") == "3.1"
