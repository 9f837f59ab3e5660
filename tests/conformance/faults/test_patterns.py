"""The patterns of published encodings are recognised however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.rule_table import usual_cause
from conformance.faults.patterns import rewritten
from reftok.formats.fancy_regex import compile_fancy_regex
from reftok.formats.tiktoken_encodings import ENCODINGS
from reftok.spec.patterns import Pattern, compile_oniguruma, pattern_matches

CL100K, O200K = (ENCODINGS[name].pattern for name in ("cl100k_base", "o200k_base"))
CONVERTED = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = st.lists(
    st.sampled_from([*"aA1'. \n\r\t\u3000中\u0301", "'ll", "'Re", "'S", "12345", "  ", "\r\n", " a"]), max_size=9
)


def pieces(pattern: Pattern, text: str) -> list[str]:
    return [text[start:stop] for start, stop, _ in pattern_matches(pattern, text) if start < stop]


@pytest.mark.parametrize("pattern", [CL100K, O200K])
def test_a_published_pattern_is_changed_to_others_that_compile_and_are_documented(pattern: str) -> None:
    found = [*rewritten(pattern)]
    rules = {rule for rule, _ in found}
    assert rules >= {"contractions in capitals are not split", "contractions are not split", "digits in groups of 1"}
    assert "line ends are split from punctuation" in rules or pattern == O200K
    for rule, changed in found:
        compile_oniguruma(changed)
        assert usual_cause("PreTokenizer", rule)


@pytest.mark.parametrize(
    ("rule", "text", "wrong"),
    [
        ("contractions in capitals are not split", "'REMPL", ["'REMPL"]),
        ("contractions are not split", "it's", ["it", "'s"]),
        ("\\p{L} is not all letters", "aß", ["a", "ß"]),
        ("digits are not grouped", "12345", ["12345"]),
        ("white space at the end is cut behind a line end", "a\n  ", ["a", "\n", "  "]),
        ("white space lookahead is missing", "a  b", ["a", "  ", "b"]),
        ("line ends are split from punctuation", ".\n", [".", "\n"]),
    ],
)
def test_a_change_of_cl100k_cuts_as_it_says(rule: str, text: str, wrong: list[str]) -> None:
    assert wrong in [pieces(compile_oniguruma(changed), text) for name, changed in rewritten(CL100K) if name == rule]


@given(TEXTS.map("".join))
def test_of_cl100k_only_white_space_at_the_end_is_cut_otherwise_in_converted_files(text: str) -> None:
    (older,) = (changed for rule, changed in rewritten(CL100K) if rule.startswith("white space at the end is cut"))
    assert older == CONVERTED
    assert pieces(compile_oniguruma(older), text + "a") == pieces(compile_fancy_regex(CL100K), text + "a")
