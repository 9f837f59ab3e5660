"""The patterns of published encodings are recognised however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits.patterns import rewritten, spelled_out
from conformance.core.rule_table import usual_cause
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN
from reftok.rules.patterns import pattern_matches

CL100K, O200K = (compile_fancy_regex(ENCODINGS[name].pattern) for name in ("cl100k_base", "o200k_base"))
CONVERTED = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = st.lists(
    st.sampled_from([*"aA1'. \n\r\t\u3000中\u0301", "'ll", "'Re", "'S", "12345", "  ", "\r\n", " a"]), max_size=9
)


def pieces(pattern: Pattern, text: str) -> list[str]:
    return [text[start:stop] for start, stop, _ in pattern_matches(pattern, text) if start < stop]


def changes(pattern: Pattern) -> list[tuple[str, Pattern]]:
    return [(rule, compile_oniguruma(changed)) for rule, changed in rewritten(pattern.as_oniguruma())]


@pytest.mark.parametrize(
    ("pattern", "rules"),
    [
        (CL100K, {"contractions in capitals are not split", "contractions are not split", "digits are not grouped"}),
        (O200K, {"contractions in capitals are split from words", "contractions are split from words"}),
    ],
)
def test_a_published_pattern_is_changed_to_others_that_are_documented(pattern: Pattern, rules: set[str]) -> None:
    found = {rule for rule, _ in changes(pattern)}
    assert found >= rules | {"digits in groups of 1", "digits in groups of 3 from the right"}
    assert not found & {"contractions are not split" if pattern is O200K else "contractions are split from words"}
    assert all(usual_cause("PreTokenizer", rule) for rule in found)


@pytest.mark.parametrize(
    ("rule", "text", "wrong"),
    [
        ("contractions in capitals are not split", "'REMPL", ["'REMPL"]),
        ("contractions are not split", "it'sx", ["it", "'sx"]),
        ("\\p{L} is not all letters", "aß", ["a", "ß"]),
        ("digits are not grouped", "12345", ["12345"]),
        ("white space at the end is cut behind a line end", "a\n  ", ["a", "\n", "  "]),
        ("white space lookahead is missing", "a  b", ["a", "  ", "b"]),
        ("line ends are split from punctuation", ".\n", [".", "\n"]),
        ("contractions take the space before them", "it 's", ["it", " 's"]),
    ],
)
def test_a_change_of_cl100k_cuts_as_it_says(rule: str, text: str, wrong: list[str]) -> None:
    assert wrong != pieces(CL100K, text)
    assert wrong in [pieces(changed, text) for name, changed in changes(CL100K) if name == rule]


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("contractions are not split at the end of the text", ["it", "'s", " we", "'", "re"]),
        ("contractions take the space before them", ["it", "'s", " we", "'re"]),
    ],
)
def test_contractions_of_gpt2_are_cut_otherwise(rule: str, wrong: list[str]) -> None:
    gpt2 = compile_oniguruma(GPT2_PATTERN)
    assert [pieces(changed, "it's we're") for name, changed in changes(gpt2) if name == rule] == [wrong]


@given(TEXTS.map("".join))
def test_of_cl100k_only_white_space_at_the_end_is_cut_otherwise_in_converted_files(text: str) -> None:
    (older,) = (changed for rule, changed in changes(CL100K) if rule.startswith("white space at the end is cut"))
    assert older.as_oniguruma() == CONVERTED
    assert pieces(older, text + "a") == pieces(CL100K, text + "a")


@given(TEXTS.map("".join))
@pytest.mark.parametrize("pattern", [CL100K, O200K], ids=["cl100k", "o200k"])
def test_a_pattern_of_tiktoken_that_is_spelled_out_matches_the_same(pattern: Pattern, text: str) -> None:
    assert pieces(compile_oniguruma(spelled_out(pattern.as_oniguruma())), text) == pieces(pattern, text)


def test_what_looks_possessive_within_a_class_is_not_spelled_out() -> None:
    """Fault: the + left its class, and DeepSeek's punctuation was cut at it."""
    of_deepseek = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    assert spelled_out(of_deepseek) == of_deepseek
