"""Every scalar value through UnicodeScripts of the official library."""

from __future__ import annotations

from itertools import combinations, groupby

from tokenizers.pre_tokenizers import UnicodeScripts

from reftok.unicode.characters import script

from ..official import EVERY_CHARACTER

SCRIPTS = {character: name for character in EVERY_CHARACTER if (name := script(character)) is not None}
cut = UnicodeScripts().pre_tokenize_str


def test_what_has_no_script_is_what_the_library_drops() -> None:
    assert "".join(character for character in EVERY_CHARACTER if cut(character)) == "".join(SCRIPTS)


def test_the_library_cuts_nowhere_within_a_script_and_between_all_of_them() -> None:
    by_script = sorted(SCRIPTS, key=lambda character: SCRIPTS[character])
    parts = ["".join(group) for _, group in groupby(by_script, key=lambda character: SCRIPTS[character])]
    assert [part for part, _ in cut("".join(parts))] == parts
    assert all(len(cut(one[0] + other[0])) == 2 for one, other in combinations(parts, 2))


def test_scripts_bear_the_names_that_unicode_gives_them() -> None:
    names = ["Latin", "Cyrillic", "Hebrew", "Devanagari", "Hangul", "Han", "Common", "Inherited"]
    assert [script(character) for character in "aжאक한中1\u0301"] == names


def test_kana_and_the_prolonged_sound_mark_are_han_and_their_voicing_marks_are_not() -> None:
    assert [script(character) for character in "あアーｱ\u3099ｰ"] == ["Han"] * 4 + ["Inherited", "Common"]
