from __future__ import annotations

import pickle

import pytest
import tokenizers
from hypothesis import assume, given

import reftok.regex_dialects.executor as executor_module
import reftok.regex_dialects.pattern as pattern_module
from reftok.errors import InvalidText, UnsupportedFeature
from reftok.explain.explanation import options
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma, may_match_nothing
from reftok.rules.huggingface.pre_tokenizers import Split
from reftok.rules.patterns import pattern_matches

from ..regex_dialects.oniguruma.test_random_patterns import PATTERNS, TEXTS


@pytest.mark.parametrize("pattern", ["(a", "a)", "*", "(?=a)+*", "[z-a]"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(UnsupportedFeature, match="at character"):
        compile_oniguruma(pattern)


def test_a_pattern_that_takes_too_long_on_a_text_is_an_error_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "PATTERN_SECONDS", 0.1)
    text = "a" * 500
    for pattern in ("a*a*a*a*a*b|a", "(?:a|aa)+b|(?=b)"):
        with pytest.raises(InvalidText, match=r"takes too long on this text of 500 characters"):
            pattern_matches(compile_oniguruma(pattern), text)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_patterns_of_tiktoken_need_no_timer(encoding: str) -> None:
    pattern = compile_fancy_regex(ENCODINGS[encoding].pattern)
    assert not pattern.may_run_away


def test_a_pattern_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UnsupportedFeature, match="is nested too deeply"):
        compile_oniguruma("(a" * 1000 + ")" * 1000)


def test_a_pattern_is_refused_for_its_depth_wherever_it_is_read_from() -> None:
    """What is read with few calls open would be matched with many."""
    assert compile_oniguruma("(" * 49 + "a" + ")" * 49).tree is not None
    with pytest.raises(UnsupportedFeature, match="is nested too deeply"):
        compile_oniguruma("(" * 50 + "a" + ")" * 50)


@pytest.mark.parametrize(
    "pattern",
    ["(?:(?:a{1000}){1000}){1000}", "(?:(?:[ab]{2}c){1000}d){1000}", "(?:ab?c){10000}", "(?:" * 14 + "ab" + "c)+" * 14],
)
def test_counts_within_counts_of_a_pattern_do_not_take_gigabytes(pattern: str) -> None:
    with pytest.raises(UnsupportedFeature, match="parts with its counts written out, more than 20,000"):
        compile_oniguruma(pattern)


@pytest.mark.parametrize("pattern", ["(?:ab?c){3000}", "(?:(?:ab){0,1000}c){0,1000}", "b" * 30_000, r"\p{N}{1,9999}"])
def test_counts_that_take_little_are_within_bounds(pattern: str) -> None:
    assert compile_oniguruma(pattern).source == pattern


@given(PATTERNS, TEXTS)
def test_a_pattern_that_matches_nothing_somewhere_is_known_to(pattern: str, text: str) -> None:
    try:
        spans = pattern_matches(compile_oniguruma(pattern), text)
    except UnsupportedFeature:
        assume(False)
    assert may_match_nothing(pattern) or not any(start == end and is_match for start, end, is_match in spans)


def test_an_empty_text_is_one_gap_even_for_a_pattern_that_matches_nothing() -> None:
    assert pattern_matches(compile_oniguruma("a*"), "") == [(0, 0, False)]
    assert tokenizers.normalizers.Replace(tokenizers.Regex("a*"), "<>").normalize_str("") == ""


def test_the_source_of_a_pattern_is_the_expression_of_the_file() -> None:
    expression = r"\p{N}{1,3}+|^(?i:ss)"
    compiled = compile_oniguruma(expression)
    assert compiled.source == expression != compiled.compiled.pattern
    of_rust = compile_fancy_regex(r"\p{N}{1,3}+")
    assert of_rust.source == of_rust.compiled.pattern
    assert of_rust != compile_oniguruma(of_rust.source)
    assert options(Split(compiled, "Isolated", invert=False))["pattern"] == expression


@pytest.mark.parametrize("pattern", [compile_oniguruma(r"\p{N}{1,3}+"), compile_fancy_regex(r"\p{N}{1,3}+")])
def test_a_pattern_is_copied_by_its_source(pattern: Pattern) -> None:
    copied = pickle.loads(pickle.dumps(pattern))
    assert copied == pattern
    assert copied.compiled.pattern == pattern.compiled.pattern


def test_what_a_pattern_must_not_meet_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    r"""Fault: each match looked up a set by value, which was compared with the equal one of an earlier pattern.

    A hundred decoders Replace of \\s+ took half a minute, where a model with the same pattern had been loaded before.
    """
    pattern = compile_oniguruma(r"\s+\p{Lu}")
    pattern_matches(pattern, "é A")
    monkeypatch.setattr(pattern_module, "_search", None)
    assert pattern_matches(pattern, "é A") == [(0, 1, False), (1, 3, True)]


def test_a_pattern_looks_at_all_of_unicode_for_a_text_beyond_ascii_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: each did when it was compiled, which cost the first load a tenth of a second and 70 MB."""
    monkeypatch.setattr(pattern_module, "suspects", None)
    pattern = compile_oniguruma(r"\p{Lu}+|x{61}")
    assert pattern_matches(pattern, "a BC") == [(0, 2, False), (2, 4, True)]
    with pytest.raises(TypeError):
        pattern_matches(pattern, "é BC")
