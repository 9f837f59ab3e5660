r"""Every scalar value through the tables of the official library.

Characters are tested in long texts, with a separator where one character could act on the next.
"""

from __future__ import annotations

import tracemalloc
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from types import SimpleNamespace

import pytest
import regex
import tokenizers

from reftok.fast.normalizers import fast_normalizer
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.normalizers import UnicodeForm
from reftok.rules.patterns import pattern_matches
from reftok.rules.text import NormalizedString
from reftok.unicode import characters as characters_module
from reftok.unicode.characters import (
    RUST,
    WHITE_SPACE,
    Form,
    as_of_16,
    combining_class,
    composition,
    decomposition,
    is_numeric,
    newer_than_16,
)
from reftok.unicode.ranges import ranges_of
from reftok.unicode.tables import UNASSIGNED_IN_16

from ..official import EVERY_CHARACTER, added, bpe, official, own_normalized, own_parts, tokenizer_json

FORMS: list[Form] = ["NFC", "NFD", "NFKC", "NFKD"]
CHUNK = 1 << 14
SMALL_CHUNK = 1 << 8
"""For added tokens: the library looks through all of the text before each match."""
CATEGORIES = sorted({unicodedata.category(character) for character in EVERY_CHARACTER})
SCRIPTS = ("Han", "Hiragana", "Katakana", "Hangul", "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Thai")
EVERYTHING = "".join(EVERY_CHARACTER)
COMBINING = [character for character in EVERY_CHARACTER if combining_class(character)]
MARKS_TODAY = [character for character in EVERY_CHARACTER if unicodedata.combining(character)]


def in_texts(characters: Iterable[str], separator: str, chunk: int = CHUNK) -> Iterable[str]:
    """The characters in texts of `chunk` of them, each between separators."""
    waiting = list(characters)
    for start in range(0, len(waiting), chunk):
        yield separator + separator.join(waiting[start : start + chunk]) + separator


@pytest.mark.parametrize("form", FORMS)
def test_every_character_is_normalized_as_in_the_library(form: Form) -> None:
    theirs = getattr(tokenizers.normalizers, form)()
    for text in in_texts(EVERY_CHARACTER, "!"):
        assert own_normalized({"type": form}, text).text == theirs.normalize_str(text)


@pytest.mark.parametrize("reference", ["\u0345", "\u0334", "\u0301", "\u0323", "\u05b0", "\u094d", "\u0300"])
def test_the_canonical_order_of_every_mark_is_that_of_the_library(reference: str) -> None:
    theirs = tokenizers.normalizers.NFD()
    text = "".join(f"a{reference}{mark}a{mark}{reference}" for mark in sorted({*COMBINING, *MARKS_TODAY}))
    assert own_normalized({"type": "NFD"}, text).text == theirs.normalize_str(text)


RUNS = ["\u0323\u0301", "\u0f73\u0f75", "\u0344\u0323\u0301", "\u0345\u0334\u0e34\u0323", "\u0301\uff9e"]
"""Marks that swap places, are decomposed, have no class among those that have one, or become marks."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("before", ["", "a", "é", "é\u0323", "\u1e9b", "각", "か", "中"])
def test_long_runs_of_marks_are_normalized_as_in_the_library(form: Form, run: str, before: str) -> None:
    theirs = getattr(tokenizers.normalizers, form)()
    for count in (7, 15, 16, 31, 32, 100):
        text = f"{before}{run * count}{before}{run * 3}x{run * count}"
        expected = theirs.normalize_str(text)
        assert own_normalized({"type": form}, text).text == expected
        assert fast_normalizer(UnicodeForm(form)).normalize(NormalizedString(text)).text == expected


@pytest.mark.parametrize("form", FORMS)
def test_long_runs_of_marks_do_not_take_time_by_the_square(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """`unicodedata.normalize` swaps neighbours until they are in order: it is given none that are not."""
    given: list[str] = []

    def normalize(form: Form, text: str) -> str:
        given.append(text)
        return unicodedata.normalize(form, text)

    watched = SimpleNamespace(**{**vars(unicodedata), "normalize": normalize})
    monkeypatch.setattr(characters_module, "unicodedata", watched)
    for run in ("\u0301\u0323", "\u0f73\u0f75"):
        assert fast_normalizer(UnicodeForm(form)).normalize(NormalizedString(f"é{run * 500}x")).text
    classes = [[*map(unicodedata.combining, text)] for text in given if len(text) > 1]
    assert classes
    assert all(right >= left or not right for found in classes for left, right in pairwise(found))


def test_every_pair_that_composes_today_composes_as_in_the_library() -> None:
    theirs = tokenizers.normalizers.NFC()
    pairs = [unicodedata.normalize("NFD", character) for character in EVERY_CHARACTER if not "가" <= character <= "힣"]
    pairs = sorted({pair for pair in pairs if len(pair) == 2})
    text = "!".join(f"{pair}!{pair}\u0301" for pair in pairs)
    assert own_normalized({"type": "NFC"}, text).text == theirs.normalize_str(text)
    assert sum(composition(*pair) is not None for pair in pairs) > 600


@pytest.mark.parametrize(
    "pattern",
    [
        ".+",
        *[r"\p{L}+", r"\p{N}+", r"\s+", r"\d+", r"\p{M}+", r"\p{Lu}+", r"\p{Ll}+", r"\p{Cn}+", r"[^\s\p{L}\p{N}]+"],
        "|".join(rf"\p{{{category}}}+" for category in CATEGORIES),
        "|".join(rf"\p{{{script}}}+" for script in (*SCRIPTS, "Devanagari")),
    ],
    ids=lambda pattern: pattern[:12],
)
def test_every_class_of_a_pattern_has_the_members_that_oniguruma_gives_it(pattern: str) -> None:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed", invert=True)
    matches = pattern_matches(compile_oniguruma(pattern), EVERYTHING)
    found = [(start, end) for start, end, is_match in matches if is_match]
    assert found == [span for _, span in split.pre_tokenize_str(EVERYTHING)]


def around_brackets(flag: str) -> Iterable[tuple[set[str], list[tuple[int, int]], str]]:
    """Every character between ">" and "<", added tokens with a flag: the characters, their matches and the text."""
    theirs = official(tokenizer_json(bpe(["x"]), [added("<", **{flag: True}), added(">", **{flag: True})]))
    for text in in_texts(sorted({*EVERY_CHARACTER} - {*"<!>"}), "<!>", SMALL_CHUNK):
        yield {*text} - {*"<!>"}, theirs.encode(text).offsets, text


def test_single_word_asks_for_the_word_characters_of_rust() -> None:
    for characters, spans, text in around_brackets("single_word"):
        not_words = {character for character in characters if not RUST.is_word(character)}
        assert {text[start - 1] for start, _ in spans if text[start] == "<" and start} == not_words
        assert {text[end] for _, end in spans if text[end - 1] == ">" and end < len(text)} == not_words


@pytest.mark.parametrize(("flag", "side"), [("lstrip", 0), ("rstrip", -1)])
def test_stripping_takes_the_white_space_of_rust(flag: str, side: int) -> None:
    for characters, spans, text in around_brackets(flag):
        assert {text[start:end][side] for start, end in spans if end - start > 1} == WHITE_SPACE & characters


def test_metaspace_and_white_space_splits_know_no_other_space() -> None:
    split = tokenizers.pre_tokenizers.WhitespaceSplit()
    kept = "".join(part for part, _ in split.pre_tokenize_str(EVERYTHING))
    assert kept == "".join(character for character in EVERYTHING if character not in WHITE_SPACE)


def test_the_numbers_of_digits_are_those_of_unicode_17() -> None:
    digits = tokenizers.pre_tokenizers.Digits(individual_digits=True)
    alone = [part for part, _ in digits.pre_tokenize_str("a".join(EVERY_CHARACTER)) if part != "a"]
    assert [part for part in alone if len(part) == 1] == [c for c in EVERY_CHARACTER if is_numeric(c)]


def test_the_words_of_the_pre_tokenizer_whitespace_are_those_of_unicode_16() -> None:
    words = tokenizers.pre_tokenizers.Whitespace()
    assert own_parts({"type": "Whitespace"}, EVERYTHING) == words.pre_tokenize_str(EVERYTHING)


def test_what_is_newer_than_16_is_what_regex_has_assigned_since_and_a_piece_of_unicode_is_held_at_a_time() -> None:
    """Fault: all 800,000 code points that 16 has not assigned stood in one text, of 70 MB with what made it."""
    unassigned = "".join(chr(code) for start, end in ranges_of(UNASSIGNED_IN_16) for code in range(start, end + 1))
    expected = {*regex.findall(r"\P{Cn}", unassigned)}
    newer_than_16.cache_clear()
    tracemalloc.start()
    try:
        assert newer_than_16() == expected
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


def test_matching_positions_do_not_move_and_newer_characters_become_unassigned() -> None:
    assert len(as_of_16(EVERYTHING)) == len(EVERYTHING)
    assert regex.fullmatch(r"\p{Cn}", as_of_16("\U0001e6c0"))
    assert as_of_16("aé中😀") == "aé中😀"


def test_a_decomposition_is_full() -> None:
    assert decomposition("ǖ", compatible=False) == "u\u0308\u0304"
    assert decomposition("ﬁ", compatible=False) == "ﬁ"
    assert decomposition("ﬁ", compatible=True) == "fi"


def test_what_unicode_9_did_not_have_does_not_change() -> None:
    for character in ("\U000105c9", "\U00016121", "\ua7f2", "\U0001ccd6"):
        assert decomposition(character, compatible=True) == character
        assert tokenizers.normalizers.NFKD().normalize_str(character) == character
