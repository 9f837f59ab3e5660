from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.errors import InvalidText
from reftok.rules.types import Encoding

from ...official import Json, assert_same_encoding, bpe, official, outcome, own, tokenizer_json

MODEL = bpe([*"abcdefgh "])
BERT: Json = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}


def config(
    max_length: int, strategy: str = "LongestFirst", stride: int = 0, direction: str = "Right", **stages: Json
) -> Json:
    truncation = {"max_length": max_length, "strategy": strategy, "stride": stride, "direction": direction}
    return tokenizer_json(MODEL, truncation=truncation, **stages)


def tokens(encoding: Encoding) -> list[str]:
    return ["".join(part.tokens) for part in (encoding, *encoding.overflowing)]


PARTS: dict[str, tuple[Json, str, str | None, list[str]]] = {
    "what is cut off overflows part by part": (config(3), "abcdefgh", None, ["abc", "def", "gh"]),
    "or is cut off from the left": (config(3, direction="Left"), "abcdefgh", None, ["fgh", "cde", "ab"]),
    "the stride is what the next part repeats": (config(4, stride=2), "abcdefgh", None, ["abcd", "cdef", "efgh"]),
    "to the left": (config(4, stride=3, direction="Left"), "abcdef", None, ["cdef", "bcde", "abcd"]),
    "a text of just the length stays whole": (config(3), "abc", None, ["abc"]),
    "only the first text is cut": (config(5, "OnlyFirst"), "abcdef", "gh", ["abcgh", "defgh"]),
    "or only the second": (config(5, "OnlySecond"), "gh", "abcdef", ["ghabc", "ghdef"]),
    "what overflows from both is combined": (config(4), "abcd", "efgh", ["abef", "cdef", "cdgh", "abgh"]),
    "special tokens count": (
        config(4, post_processor=BERT), "abcde", None, ["[CLS]ab[SEP]", "[CLS]cd[SEP]", "[CLS]e[SEP]"],
    ),
    "no room beside special tokens leaves none of the text": (
        config(2, post_processor=BERT), "abc", None, ["[CLS][SEP]", "[CLS]abc[SEP]"],
    ),
    "less room than special tokens need is no truncation": (
        config(1, post_processor=BERT), "abc", None, ["[CLS]abc[SEP]"],
    ),
    "no room at all needs neither a stride nor a second text": (
        config(0, "OnlySecond", stride=3), "abc", None, ["", "abc"],
    ),
}  # fmt: skip
"""By what they show: a file, a text, a second one, and the tokens of the encoding and of what overflows."""


@pytest.mark.parametrize("name", PARTS)
def test_a_text_is_cut_as_by_the_library(name: str) -> None:
    cut, text, pair, parts = PARTS[name]
    assert tokens(assert_same_encoding(cut, text, pair=pair)) == parts


def test_offsets_and_words_stay_those_of_the_whole_text() -> None:
    cut = config(2, pre_tokenizer={"type": "WhitespaceSplit"}, direction="Left")
    encoding = assert_same_encoding(cut, "ab c d")
    assert (encoding.offsets, encoding.word_ids) == ([(3, 4), (5, 6)], [1, 2])


@pytest.mark.parametrize(
    ("lengths", "expected"), [((8, 2), "abcdeab"), ((2, 8), "ababcde"), ((8, 7), "abcdabc"), ((7, 7), "abcabcd")]
)
def test_of_a_pair_the_longer_text_is_cut_first(lengths: tuple[int, int], expected: str) -> None:
    first, second = ("abcdefgh"[:length] for length in lengths)
    assert tokens(assert_same_encoding(config(7), first, pair=second))[0] == expected


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 17))
def test_every_pair_of_lengths_is_cut_as_in_the_library(first: int, second: int, max_length: int) -> None:
    assert_same_encoding(config(max_length), "abcdefgh"[:first], pair="abcdefgh"[:second])


def test_what_overflows_from_both_texts_overflows_again() -> None:
    encoding = assert_same_encoding(config(4), "abcd", pair="efgh")
    assert [tokens(part)[1:] for part in encoding.overflowing] == [["cdgh"], [], ["cdgh"]]


def test_special_tokens_of_a_pair_are_as_many_as_its_template_has() -> None:
    roberta: Json = {**BERT, "type": "RobertaProcessing", "trim_offsets": False, "add_prefix_space": False}
    assert tokens(assert_same_encoding(config(8, post_processor=BERT), "abcd", pair="efg"))[0] == "[CLS]abc[SEP]ef[SEP]"
    assert (
        tokens(assert_same_encoding(config(8, post_processor=roberta), "abcd", pair="efg"))[0]
        == "[CLS]ab[SEP][SEP]ef[SEP]"
    )


@pytest.mark.parametrize(
    ("cut", "pair", "problem"),
    [
        (config(2, stride=2), None, "the stride 2 is not less than the 2 tokens that stay"),
        (config(4, stride=2), "abcd", "the stride 2 is not less than the 2 tokens that stay"),
        (config(2, "OnlySecond"), None, "OnlySecond needs a second text"),
        (config(2, "OnlySecond"), "a", "OnlySecond cannot cut 5 tokens down to 2: that text has 1"),
        (config(2, "OnlyFirst"), "ab", "OnlyFirst cannot cut 6 tokens down to 2: that text has 4"),
    ],
)
def test_what_the_library_cannot_cut_is_refused(cut: Json, pair: str | None, problem: str) -> None:
    with pytest.raises(InvalidText, match=f"truncation: {problem}"):
        own(cut).encode("abcd", pair)
    assert outcome(lambda: official(cut).encode("abcd", pair)) in ("refused", "panicked")
    assert_same_encoding(cut, "a")


def test_more_tokens_than_memory_holds_are_refused() -> None:
    cut = config(8_000, stride=7_999)
    with pytest.raises(InvalidText, match=r"would make 9\d{7} tokens of this text"):
        own(cut).encode("a" * 20_000)
    with pytest.raises(InvalidText, match="would make 163200000 tokens of this text"):
        own(config(20)).encode("a" * 4_000, "b" * 4_000)


def test_a_template_that_repeats_a_text_that_overflows_ends_and_is_refused() -> None:
    text_a: Json = {"Sequence": {"id": "A", "type_id": 0}}
    template = {"type": "TemplateProcessing", "single": [text_a] * 40, "pair": [], "special_tokens": {}}
    with pytest.raises(InvalidText, match=r"would make \d+ tokens of this text"):
        own(config(0, post_processor=template)).encode("abc")
