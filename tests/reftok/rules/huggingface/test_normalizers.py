from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.rules.huggingface.normalizers import NFC
from reftok.rules.text import NormalizedString
from reftok.unicode.forms import decompose

from ...official import (
    Json,
    added,
    assert_same_encoding,
    chain,
    normalized_alignment,
    outcome,
    own,
    own_normalized,
    tokenizer_json,
    wordlevel,
)
from ...tokenizers_strategies import JAMO, MARKS, NEWER, NORMALIZERS, texts

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
forms = st.sampled_from([{"type": form} for form in FORMS])
marked = st.lists(
    st.one_of(
        st.sampled_from([*MARKS, *JAMO, *NEWER, "a", "ﬁ", "Å", "が", "か\u3099", "ﾊﾟ", "\u0958", "\u2adc"]),
        st.characters(categories=["Mn", "Mc", "Lo", "Lm", "No", "So"]),
    ),
    max_size=9,
).map("".join)


def assert_same(normalizer: Json, text: str) -> NormalizedString:
    expected = normalized_alignment(normalizer, text)
    normalized = own_normalized(normalizer, text)
    assert (normalized.text, [*normalized.spans()]) == expected
    return normalized


@settings(max_examples=600)
@given(forms, marked)
def test_forms_and_their_alignment_are_those_of_the_library(form: Json, text: str) -> None:
    assert_same(form, text)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(NORMALIZERS), min_size=1, max_size=3), texts)
def test_chains_of_normalizers_and_their_alignment_are_those_of_the_library(steps: list[Json], text: str) -> None:
    normalizer = chain("normalizers", steps)
    assert normalizer is not None
    expected = outcome(lambda: normalized_alignment(normalizer, text))
    if expected != "panicked":
        normalized = own_normalized(normalizer, text)
        assert (normalized.text, [*normalized.spans()]) == expected


@given(marked, st.sampled_from(FORMS))
def test_a_normalized_text_stays_as_it_is(text: str, form: str) -> None:
    once = own_normalized({"type": form}, text).text
    assert own_normalized({"type": form}, once).text == once


def test_a_composed_character_stands_for_its_first_part_only() -> None:
    assert assert_same({"type": "NFC"}, "e\u0301x").spans() == [(0, 1), (2, 3)]


def test_each_character_of_a_decomposition_stands_for_the_whole() -> None:
    assert assert_same({"type": "NFD"}, "xḍ\u0307").spans() == [(0, 1), (1, 2), (1, 2), (2, 3)]


def test_sorted_marks_keep_their_change_and_not_their_place() -> None:
    assert list(decompose("a\u0301\u0323", compatible=False)) == [("a", 0), ("\u0323", 0), ("\u0301", 0)]
    assert_same({"type": "NFD"}, "é\u0323\u0327x")


def test_a_blocked_mark_is_not_composed() -> None:
    assert assert_same({"type": "NFC"}, "a\u0325\u0327\u0301").text == "ḁ\u0327\u0301"


def test_a_mark_without_a_starter_stays_alone() -> None:
    assert assert_same({"type": "NFC"}, "\u0301e\u0301").text == "\u0301é"


def test_composition_excluded_characters_stay_decomposed() -> None:
    assert assert_same({"type": "NFC"}, "\u0958\u2adc\ufb1d").text == "क\u093c\u2add\u0338י\u05b4"


def test_jamo_compose_to_syllables_and_trailing_jamo_join_open_ones_only() -> None:
    assert assert_same({"type": "NFC"}, "\u1100\u1161\u11a8가\u11a8각\u11a8").text == "각각각\u11a8"


def test_marks_that_came_after_unicode_9_have_no_class() -> None:
    assert assert_same({"type": "NFD"}, "a\u0301\u1dfa").text == "a\u0301\u1dfa"
    assert NFC().normalize(NormalizedString("a\u1dfa\u0323")).text == "a\u1dfa\u0323"


@pytest.mark.parametrize("prefix", ["▁", "ab", "é"])
@pytest.mark.parametrize("text", ["", "a", "éa", " "])
def test_a_prefix_goes_before_every_text_that_is_not_empty(prefix: str, text: str) -> None:
    assert assert_same({"type": "Prepend", "prepend": prefix}, text).text == (prefix + text if text else "")


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ({"String": "."}, "a.b", "a-b"),
        ({"String": "aa"}, "aaa", "-a"),
        ({"Regex": "a+"}, "baac", "b-c"),
        ({"Regex": "x(?=b)|(?<!x)b"}, "xbb", "-b-"),
    ],
)
def test_every_match_is_replaced(pattern: Json, text: str, expected: str) -> None:
    assert assert_same({"type": "Replace", "pattern": pattern, "content": "-"}, text).text == expected


def test_a_replacement_stands_for_the_last_character_of_its_match() -> None:
    normalized = assert_same({"type": "Replace", "pattern": {"String": "ab"}, "content": "xyz"}, "cab")
    assert normalized.spans() == [(0, 1), (2, 3), (2, 3), (2, 3)]


@pytest.mark.parametrize(
    "pattern",
    [
        {"String": ""},
        *({"Regex": regex} for regex in ["", "a*", "x?", "x{0,1}", "x|", "x|(?=b)", "^|b", "$", "(?<=a)b?", "(?!a)"]),
    ],
)
def test_a_replacement_of_nothing_is_refused_before_stages_with_which_the_library_loses_its_alignment(
    pattern: Json,
) -> None:
    replace = {"type": "Replace", "pattern": pattern, "content": "-"}
    for later in ({"type": "NFD"}, {"type": "Strip", "strip_left": True, "strip_right": True}):
        with pytest.raises(UnsupportedFeature, match=r"normalizer.*: a match of nothing.*, .* is not supported"):
            own_normalized({"type": "Sequence", "normalizers": [replace, later]}, "ab")


@given(texts, st.booleans(), st.booleans())
def test_white_space_goes_from_the_ends_that_are_asked_for(text: str, left: bool, right: bool) -> None:
    assert_same({"type": "Strip", "strip_left": left, "strip_right": right}, text)


def test_what_is_stripped_is_white_space_and_not_what_python_calls_space() -> None:
    both = {"type": "Strip", "strip_left": True, "strip_right": True}
    assert assert_same(both, "\u3000\x85 \x1ca\x1c\u2029").text == "\x1ca\x1c"


@settings(max_examples=400)
@given(texts)
def test_the_charsmap_is_applied_as_the_library_does(text: str) -> None:
    assert_same(NORMALIZERS[-1], text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e\u0301", "E"),
        ("e\u0301\u0301", "E"),
        ("e\u0301\u0301\u0301", "E\u0301\u0301\u0301"),
        ("ﬁA", "fia"),
        ("\u200ba", "a"),
        ("a\u200bb", "ab"),
        ("👩\u200d🚀", "woman\u200d🚀"),
        ("b\u0323x", "x"),
        ("ｶﾞｶ", "ｶﾞｶ"),
    ],
)
def test_a_short_cluster_is_looked_up_whole_and_the_shortest_rule_swallows_it(text: str, expected: str) -> None:
    assert assert_same(NORMALIZERS[-1], text).text == expected


REPLACED = st.sampled_from([r"(?<!\n)^", "^", r"\A", "(?=b)", "(?<=a)", "$", "a*", r"\b", " ", "[ab]+"])
CUTTING: list[Json | None] = [
    None,
    {"type": "Split", "pattern": {"Regex": "(?m)."}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"Regex": "[\u2581a]+"}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Whitespace"},
    {"type": "Digits", "individual_digits": True},
    {"type": "UnicodeScripts"},
    {"type": "FixedLength", "length": 2},
]


@settings(max_examples=300)
@given(
    st.lists(st.tuples(REPLACED, st.sampled_from(["\u2581", "xy", "", "\u00e9"])), min_size=1, max_size=3),
    st.sampled_from(CUTTING),
    st.booleans(),
    st.text("ab\u00e9\u65e5\n A", max_size=8),
)
def test_a_match_of_nothing_is_replaced_where_later_stages_only_replace_and_cut(
    replaced: list[tuple[str, str]], pre_tokenizer: Json | None, is_normalized: bool, text: str
) -> None:
    steps = [{"type": "Replace", "pattern": {"Regex": pattern}, "content": content} for pattern, content in replaced]
    config = tokenizer_json(
        wordlevel(["u"], "u"),
        [added("<x>", normalized=is_normalized)],
        normalizer={"type": "Sequence", "normalizers": steps},
        pre_tokenizer=pre_tokenizer,
    )
    for whole in (text, f"{text}<x>{text}", f"<x>{text}"):
        encoding = assert_same_encoding(config, whole)
        assert own(config).encode_ids(whole) == list(encoding.ids)
        assert [*own(config).encode_iterable([*whole])] == encoding.ids
