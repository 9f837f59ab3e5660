"""Pre-tokenizers with keys missing and with values of other types: both read them, or neither does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from reftok.errors import UnsupportedFeature

from ....official import Json, official_parts, outcome, own_parts, refusal

TEXT = "a b_c-d 12\u3000é中い"
COMPONENTS: list[Json] = [
    {"type": "BertPreTokenizer"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False},
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "Digits", "individual_digits": True},
    {"type": "FixedLength", "length": 2},
    {
        "type": "Metaspace",
        "replacement": "_",
        "prepend_scheme": "never",
        "split": False,
        "add_prefix_space": False,
        "str_rep": "x",
    },
    {"type": "Punctuation", "behavior": "MergedWithNext"},
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}]},
    {"type": "Split", "pattern": {"Regex": "[a-c]"}, "behavior": "Isolated", "invert": True},
    {"type": "Split", "pattern": {"String": "-"}, "behavior": "Contiguous", "invert": False},
    {"type": "UnicodeScripts"},
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
]
VALUES: list[Any] = [None, True, False, -1, 3, 1.5, 1 << 64, "", "é", "ab", "first", "Removed", [], [None], {}]


def subsets(component: Json) -> Iterator[Json]:
    """The component with some of its keys, all of them and none included."""
    for size in range(len(component) + 1):
        for keys in combinations(component, size):
            yield {key: component[key] for key in keys}


def variants(component: Json) -> Iterator[Json]:
    """The component with one value replaced."""
    for key in component:
        for value in VALUES:
            yield {**component, key: value}


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component["type"])
def test_a_missing_key_means_what_it_means_to_the_library(component: Json) -> None:
    for subset in subsets(component):
        expected = outcome(partial(official_parts, subset, TEXT))
        assert outcome(partial(own_parts, subset, TEXT)) == expected, subset


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component["type"])
def test_a_value_of_another_kind_is_refused_where_the_library_refuses_it(component: Json) -> None:
    for variant in variants(component):
        expected = outcome(partial(official_parts, variant, TEXT))
        assert outcome(partial(own_parts, variant, TEXT)) == expected, variant


@pytest.mark.parametrize(
    ("component", "problem"),
    [
        ({"type": "Delimiter", "delimiter": "-"}, "type: Delimiter is not supported"),
        ({"type": "CharDelimiterSplit", "delimiter": "--"}, "delimiter: is not one character: '--'"),
        ({"type": "Metaspace", "replacement": "__"}, "replacement: is not one character: '__'"),
        ({"type": "Digits"}, "individual_digits: is missing"),
        ({"type": "Punctuation", "behavior": "removed"}, "behavior: removed is not supported"),
        (
            {"type": "FixedLength", "length": 2.0},
            "length: is not a whole number from 0 to 18446744073709551615 but 2.0",
        ),
    ],
)
def test_what_the_library_refuses_is_refused_with_its_place(component: Json, problem: str) -> None:
    assert outcome(partial(official_parts, component, TEXT)) == "refused"
    assert refusal(partial(own_parts, component, TEXT)) == f"tokenizer.json: pre_tokenizer.{problem}"


def test_a_length_of_nothing_is_refused_because_the_library_panics() -> None:
    component: Json = {"type": "FixedLength", "length": 0}
    assert outcome(partial(official_parts, component, TEXT)) == "panicked"
    with pytest.raises(UnsupportedFeature, match=r"pre_tokenizer\.length: 0, with which the library panics, is not"):
        own_parts(component, TEXT)


def test_the_library_reads_the_keys_that_it_does_not_know_and_reftok_refuses_them() -> None:
    component: Json = {"type": "Whitespace", "pattern": "x"}
    assert outcome(partial(official_parts, component, TEXT)) != "refused"
    assert refusal(partial(own_parts, component, TEXT)) == (
        "tokenizer.json: pre_tokenizer.pattern: this key is not known"
    )


def test_byte_levels_that_double_the_text_without_end_are_refused() -> None:
    """The library makes 2**n characters of an accented letter."""
    byte_level: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    steps: Json = {"type": "Sequence", "pretokenizers": [byte_level] * 3}
    assert own_parts(steps, "é") == official_parts(steps, "é")
    steps = {"type": "Sequence", "pretokenizers": [byte_level, steps]}
    assert "more than 3 ByteLevel" in refusal(lambda: own_parts(steps, "é"))


def test_patterns_that_together_take_hundreds_of_megabytes_are_refused() -> None:
    splits = [
        {"type": "Split", "pattern": {"Regex": f"(?:ab?c{index}){{1000}}"}, "behavior": "Isolated", "invert": False}
        for index in range(5)
    ]
    assert own_parts({"type": "Sequence", "pretokenizers": splits[:3]}, "a") == [("a", (0, 1))]
    nested = {"type": "Sequence", "pretokenizers": [splits[0], {"type": "Sequence", "pretokenizers": splits[1:]}]}
    assert "the patterns have more than 20,000 parts" in refusal(lambda: own_parts(nested, "a"))
