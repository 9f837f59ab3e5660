"""Any constructs of Oniguruma together against the official library."""

from __future__ import annotations

import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.pattern import compile_oniguruma

from ...oniguruma_comparison import assert_same

CHARACTERS = "abcskfiß1 ſKŉ"
ATOMS = [*CHARACTERS, "ss", "ffi", "ʼn", ".", "^", "$", r"\x{DF}", r"\163", r"\p{Lu}", r"\P{L}", r"\p{^Alpha}"]
ATOMS += [r"\p{Punct}", "(?#x)", "{,}", "(?i)", *(rf"\{letter}" for letter in "dDsSwWhHbBAzGRN")]
CLASS_ITEMS = [
    *CHARACTERS,
    "a-c",
    "é-ǆ",
    "[:punct:]",
    "[:^lower:]",
    "&&",
    "-",
    r"\w",
    r"\S",
    r"\p{Lu}",
    r"\P{Ll}",
    r"\]",
]
QUANTIFIERS = ["", "", "", *(kind + mode for kind in ("?", "*", "+", "{1,2}") for mode in ("", "?", "+"))]
QUANTIFIERS += ["{2}", "{,2}", "{2,}", "{2}?", "{2,1}", "{0}", "+*", "{2}{2}"]
OPENINGS = [
    "(",
    *(f"(?{kind}" for kind in (":", "i:", "m:", "x:", "-i:", "W:", ">", "=", "!", "<=", "<!", "(1)", "<n>", "(a)")),
]

classes = st.recursive(
    st.sampled_from(CLASS_ITEMS),
    lambda inner: st.builds(
        "[{}{}]".format, st.sampled_from(["", "^"]), st.lists(inner, min_size=1, max_size=3).map("".join)
    ),
    max_leaves=4,
).map(lambda item: item if item.startswith("[") and not item.startswith("[:") else f"[{item}]")
PATTERNS = st.recursive(
    st.sampled_from(ATOMS) | classes,
    lambda inner: (
        st.builds(str.__add__, inner, st.sampled_from(QUANTIFIERS))
        | st.lists(inner, max_size=3).map("".join)
        | st.lists(inner, min_size=1, max_size=3).map("|".join)
        | st.builds("{}{})".format, st.sampled_from(OPENINGS), inner)
    ),
    max_leaves=6,
)
TEXTS = st.text(st.sampled_from([*CHARACTERS, *"ABSẞﬀﬃéÉ中'_-\n\r\t\u200d\u0301\x85\u2028ʕ\U0001e6c0😀"]), max_size=10)


@settings(max_examples=400)
@given(PATTERNS, TEXTS)
def test_any_pattern_matches_what_oniguruma_matches_or_is_refused(pattern: str, text: str) -> None:
    try:
        compile_oniguruma(pattern)
    except UnsupportedFeature:
        return
    try:
        tokenizers.Regex(pattern)
    except Exception:
        return
    assert_same(pattern, text)


def test_hardly_any_pattern_that_oniguruma_takes_is_refused() -> None:
    taken, refused = 0, 0

    @settings(max_examples=300, database=None)
    @given(PATTERNS)
    def count(pattern: str) -> None:
        nonlocal taken, refused
        try:
            tokenizers.Regex(pattern)
        except Exception:
            return
        taken += 1
        try:
            compile_oniguruma(pattern)
        except UnsupportedFeature:
            refused += 1

    count()
    assert taken > 150
    assert refused < taken * 0.04
