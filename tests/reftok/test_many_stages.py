"""A flat Sequence of any length is a tokenizer for the official library, and for reftok."""

from __future__ import annotations

import tracemalloc

import pytest

from reftok import Tokenizer
from reftok.errors import InvalidText, ModelFormatError
from reftok.explain.explanation import explain
from reftok.limits import MOST_STREAMED_STAGES, MOST_TRACED

from .official import Json, added, assert_same_encoding, official, own, tokenizer_json, wordlevel
from .streaming import check_stream

MODEL = wordlevel(["<unk>", "a", "b", "1", "xa"])
NORMALIZERS: list[Json] = [
    {"type": "NFC"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Replace", "pattern": {"Regex": "b+"}, "content": "b"},
]
PRE_TOKENIZERS: list[Json] = [
    {"type": "Digits", "individual_digits": True},
    {"type": "WhitespaceSplit"},
    {"type": "Split", "pattern": {"Regex": r"\d"}, "behavior": "Isolated", "invert": False},
]
DECODERS: list[Json] = [
    {"type": "Fuse"},
    {"type": "ByteFallback"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
    {"type": "Strip", "content": "x", "start": 1, "stop": 0},
]


@pytest.mark.parametrize("count", [MOST_STREAMED_STAGES, MOST_STREAMED_STAGES + 1, 1000])
@pytest.mark.parametrize(
    ("stage", "children", "step"),
    [
        *(("normalizer", "normalizers", step) for step in NORMALIZERS),
        *(("pre_tokenizer", "pretokenizers", step) for step in PRE_TOKENIZERS),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)
def test_many_stages_do_not_end_in_a_recursion_error(stage: str, children: str, step: Json, count: int) -> None:
    sequence: Json = {"type": "Sequence", children: [step] * count}
    config = tokenizer_json(MODEL, [added("<s>")], **{stage: sequence})
    assert_same_encoding(config, "a1 bb<s> a")
    tokenizer = own(config)
    check_stream(tokenizer, "a1 bb<s> a")
    reasons = [reason for reason in tokenizer.stream_encoder().held_until_end if "more are not streamed" in reason]
    assert bool(reasons) is (count > MOST_STREAMED_STAGES)
    assert tokenizer.trace("a").encoding.ids == [1]
    assert explain(tokenizer.rules, "a")


@pytest.mark.parametrize("count", [MOST_STREAMED_STAGES, MOST_STREAMED_STAGES + 1, 1000])
@pytest.mark.parametrize("step", DECODERS, ids=lambda step: step["type"])
def test_many_decoders_do_not_end_in_a_recursion_error(step: Json, count: int) -> None:
    config = tokenizer_json(MODEL, decoder={"type": "Sequence", "decoders": [step] * count})
    tokenizer, library = own(config), official(config)
    ids = [4, 1, 2, 4]
    expected = library.decode(ids)
    assert tokenizer.decode(ids) == tokenizer.rules.decode(ids) == tokenizer.trace_decode(ids).text == expected
    decoder = tokenizer.stream_decoder()
    assert "".join(map(decoder.feed, ids)) + decoder.finish() == expected


UNTRACED = r"^too long to be traced through more than \d+ stages: trace a part of it$"


@pytest.mark.parametrize(
    ("stage", "children", "step"),
    [
        ("normalizer", "normalizers", {"type": "Prepend", "prepend": "a"}),
        ("pre_tokenizer", "pretokenizers", PRE_TOKENIZERS[1]),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else None,
)
def test_a_trace_does_not_keep_a_long_text_as_often_as_there_are_stages(stage: str, children: str, step: Json) -> None:
    tokenizer = own(tokenizer_json(MODEL, **{stage: {"type": "Sequence", children: [step] * 200}}))
    text = "a b " * 1500
    assert tokenizer.encode_ids(text)
    with pytest.raises(InvalidText, match=UNTRACED):
        tokenizer.trace(text)
    with pytest.raises(InvalidText, match=UNTRACED):
        explain(tokenizer.rules, text)


def test_a_trace_of_ids_does_not_keep_them_as_often_as_there_are_decoders() -> None:
    decoders = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}] * 300}
    tokenizer = own(tokenizer_json(MODEL, decoder=decoders))
    ids = [1, 2] * 3000
    assert tokenizer.decode(ids) == "ab" * 3000
    with pytest.raises(InvalidText, match=UNTRACED):
        tokenizer.trace_decode(ids)


def test_very_many_normalizers_do_not_go_over_a_text_that_one_of_them_blows_up() -> None:
    # A thousand of them behind one that makes 100,000 characters of 40: each encoding took six seconds.
    longer: Json = {"type": "Replace", "pattern": {"String": "a"}, "content": "é" * 1000}
    config = tokenizer_json(MODEL, normalizer={"type": "Sequence", "normalizers": [longer, *[{"type": "NFD"}] * 60]})
    tokenizer = own(config)
    for encode in (tokenizer.encode_ids, tokenizer.encode, tokenizer.rules.encode, tokenizer.trace):
        with pytest.raises(ModelFormatError, match=r"^normalizer: 61 of them go over \d{3},\d{3} characters"):
            encode("a" * 40)
    assert tokenizer.encode_ids("b a")


def test_the_longest_trace_of_a_short_text_takes_no_more_memory_than_a_file_may() -> None:
    # 1,000 processors that insert two tokens each: their trace took 231 MB.
    def with_processors(count: int) -> Tokenizer:
        inserted = {"type": "RobertaProcessing", "sep": ["a", 1], "cls": ["b", 2]}
        step: Json = {**inserted, "trim_offsets": True, "add_prefix_space": True}
        return own(tokenizer_json(MODEL, post_processor={"type": "Sequence", "processors": [step] * count}))

    with pytest.raises(InvalidText, match=UNTRACED):
        explain(with_processors(1000).rules, "a")
    traced, parts = with_processors(100), 100 * 101
    tracemalloc.start()
    try:
        explain(traced.rules, "a")
        assert tracemalloc.get_traced_memory()[1] / parts * MOST_TRACED < 200 << 20
    finally:
        tracemalloc.stop()
