"""A pattern of Rust's fancy-regex means the same as in tiktoken, or is refused by name."""

from __future__ import annotations

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.rules.patterns import pattern_matches

from ..tokenizers_strategies import texts

RANKS = {bytes([byte]): byte for byte in range(256)}
PATTERNS = (
    r"\p{Lu}?\p{Ll}+|\p{N}{1,2}+|\s+(?!\S)|[^\p{L}\p{N}]",
    r"(?i:'s|'t|kk|[ml])|\w\d*|[\W_]",
    r"a$|^b|[$\-a-c]+|(?:x|y){2}|\$|\.|.",
    r"[\p{L}&&[^\p{Han}a-c]]+|(?i:'s|k)|[\p{Han}]++|\S|\s",
    r"(?<=a)b|(?<!a)c|(?=c).|(?>a+)b?|[a-b-c]|[-x]|[x-]|\n|\x41|\u00e9|\PL",
    r"[^\r\n]+?(?=b)|\S{2,}|\s\s??|[|&~]|\\|\]|.",
    r"\p{Thai}+|\p{Greek}+|[\p{Hangul}\p{Katakana}]|\P{Cyrillic}|\p{Cyrillic}{2}",
)
TEXTS = st.text(
    st.sampled_from(
        "abcxyABkKıİiſsSſtTmlM'ſ$^-&|~\\]_ \n\r\t漢汉々〇ー\u3099\U00031350。é\u0301"
        "ก\u0e34αж한ア1²Ⅳ\u2028\u180e\u200d\U0001f600ßﬆ"
    )
)


@pytest.mark.parametrize("pattern", [*PATTERNS, *sorted({encoding.pattern for encoding in ENCODINGS.values()})])
@settings(max_examples=150)
@given(text=TEXTS | texts)
@example("'Skſ KK\u212a'T")
@example("a\n")
@example("汉ab汉\u0301a")
@example("'S汉's")
def test_what_is_taken_means_the_same_as_in_the_library(pattern: str, text: str) -> None:
    """The library leaves out what the pattern does not match; each match here is one pre-token with a rank."""
    found = [text[start:end] for start, end, matched in pattern_matches(compile_fancy_regex(pattern), text) if matched]
    ranks = dict(RANKS)
    for part in {text[start:end] for start in range(len(text)) for end in range(start + 1, len(text) + 1)}:
        ranks.setdefault(part.encode(), len(ranks))
    theirs = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    pieces = [theirs.decode_single_token_bytes(rank).decode() for rank in theirs.encode_ordinary(text)]
    assert found == pieces


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"a\h", r"at character 1, '\\h': is not known to be reproduced"),
        (r"a\<b", r"at character 1, '\\<b': is not known"),
        (r"\p{Script=Han}", "at character 0, "),
        (r"\p{Foo}", "at character 0, "),
        (r"a{,3}", "at character 1, '{,3'"),
        ("a**", "at character 2, '*'"),
        ("^*", "at character 1, '*'"),
        ("(?=a)*b", "at character 5, '*b'"),
        ("[a--b]", "at character 2, '--b'"),
        ("[a~~b]", "at character 2, '~~b'"),
        ("[[:alpha:]]", "at character 1, '[:a'"),
        (r"(a)\1", r"at character 3, '\\1'"),
        ("(?x)a", "at character 1, '?x)'"),
        ("(?P<name>a)", "at character 1, '?P<'"),
        ("(?i:é)", "at character 4, 'é)'"),
        ("(?i:i)", "at character 4, 'i)'"),
        ("(?i:[a-c])", "at character 6, '-c]'"),
        (r"(?i:\p{Lu})", "at character 4, "),
        ("[a&&[b]](?i:ss)", "at character 13, 's)'"),
        ("[a&&[b]](?i:f)", "at character 12, 'f)'"),
        ("[a&&[b]](?i:[s])", "at character 12, '[s]'"),
        ("a)", "at character 1, ')'"),
        ("(a", ": the "),
        ("[a", "at character 0, '[a': the class has no end"),
        ("a{2,1}", "not understood: "),
        ("a*", "may match nothing"),
        ("a|", "may match nothing"),
        ("(?:(?:a{1000}){1000}){1000}", "parts with its counts written out"),
        ("(?:" * 300 + "a" + ")" * 300, "is nested too deeply"),
        ("(" * 9000 + "a" + ")" * 9000, "is nested too deeply"),
    ],
)
def test_what_may_mean_something_else_is_refused_with_its_place(pattern: str, problem: str) -> None:
    with pytest.raises(UnsupportedFeature) as refused:
        compile_fancy_regex(pattern)
    assert str(refused.value).startswith(f"pattern {pattern[:60]!r}"[:-1])
    assert problem in str(refused.value)


def test_the_end_of_the_text_is_not_before_a_last_line_feed() -> None:
    assert compile_fancy_regex("a$").compiled.findall("a\n") == []
    assert compile_fancy_regex(r"[$]|\$").compiled.findall("$\n") == ["$"]
