from __future__ import annotations

from typing import Any

import pytest

from reftok.errors import InvalidText

from ...official import Json, as_lists, assert_same_encoding, bpe, official, own, tokenizer_json

MODEL = bpe([*"abcdefgh "])
BATCH: Any = ["ab", "abcde", "", ("a", "bc")]


def config(**options: Any) -> Json:
    truncation = options.pop("truncation", None)
    padding = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 7,
        "pad_type_id": 3,
        "pad_token": "<pad>",
        **options,
    }
    return tokenizer_json(MODEL, padding=padding, truncation=truncation)


def assert_same_batch(padded: Json) -> list[list[int]]:
    encodings = own(padded).encode_batch(BATCH)
    assert list(map(as_lists, encodings)) == list(map(as_lists, official(padded).encode_batch(BATCH)))
    return [list(encoding.ids) for encoding in encodings]


def test_a_batch_is_padded_to_its_longest() -> None:
    assert assert_same_batch(config()) == [[0, 1, 7, 7, 7], [0, 1, 2, 3, 4], [7] * 5, [0, 1, 2, 7, 7]]
    assert assert_same_batch(config(direction="Left"))[0] == [7, 7, 7, 0, 1]


def test_a_text_alone_is_its_own_longest() -> None:
    assert assert_same_encoding(config(), "ab").ids == [0, 1]


def test_a_fixed_length_pads_each_and_cuts_none() -> None:
    assert list(map(len, assert_same_batch(config(strategy={"Fixed": 3})))) == [3, 5, 3, 3]


@pytest.mark.parametrize(("multiple", "length"), [(None, 5), (0, 5), (4, 8), (5, 5)])
def test_the_length_is_rounded_up_to_a_multiple(multiple: int | None, length: int) -> None:
    assert {len(ids) for ids in assert_same_batch(config(pad_to_multiple_of=multiple))} == {length}
    assert_same_encoding(config(pad_to_multiple_of=multiple, strategy={"Fixed": 3}), "ab", pair="c")


@pytest.mark.parametrize(("direction", "mask"), [("Left", [0, 0, 1, 1]), ("Right", [1, 1, 0, 0])])
def test_padding_is_special_has_no_attention_and_a_segment_of_its_own(direction: str, mask: list[int]) -> None:
    encoding = assert_same_encoding(config(direction=direction, strategy={"Fixed": 4}), "ab")
    assert encoding.attention_mask == mask
    assert encoding.special_tokens_mask == [1 - attended for attended in mask]
    assert encoding.type_ids == [3 * (1 - attended) for attended in mask]
    assert encoding.word_ids == [0 if attended else None for attended in mask]


def test_what_overflows_is_padded_too() -> None:
    truncation = {"max_length": 2, "strategy": "LongestFirst", "stride": 0}
    encoding = assert_same_encoding(config(truncation=truncation, pad_to_multiple_of=3), "abc")
    assert [list(part.ids) for part in (encoding, *encoding.overflowing)] == [[0, 1, 7], [2, 7, 7]]


def test_padding_twice_is_remembered() -> None:
    batch = own(config(direction="Left", pad_to_multiple_of=2)).encode_batch(["a", "abc"])
    assert [encoding.padding for encoding in batch] == [(3, 0), (1, 0)]


def test_without_padding_a_batch_is_the_texts_and_an_empty_one_stays_empty() -> None:
    plain = own(tokenizer_json(MODEL))
    assert [encoding.ids for encoding in plain.encode_batch(["ab", ("a", "b")])] == [[0, 1], [0, 1]]
    pairs: Any = [["a", "b"]]
    assert plain.encode_batch(pairs)[0].ids == official(tokenizer_json(MODEL)).encode_batch(pairs)[0].ids == [0, 1]
    assert own(config()).encode_batch([]) == official(config()).encode_batch([]) == []


@pytest.mark.parametrize(
    ("batch", "problem"),
    [
        ("abc", "encode_batch takes a list of texts, not str"),
        (None, "encode_batch takes a list of texts, not NoneType"),
        ([("a", "b", "c")], "a pair is two texts, not 3"),
        ([("a", 5)], "tokenizers takes str, not int"),
        ([5], "tokenizers takes str, not int"),
    ],
)
def test_what_is_no_batch_is_refused(batch: Any, problem: str) -> None:
    with pytest.raises(InvalidText, match=problem):
        own(config()).encode_batch(batch)
    with pytest.raises(TypeError):
        official(config()).encode_batch(batch)


def test_more_padding_than_memory_holds_is_refused() -> None:
    truncation = {"max_length": 1, "strategy": "LongestFirst", "stride": 0}
    with pytest.raises(InvalidText, match="would make 9900000 tokens of this text"):
        own(config(truncation=truncation, strategy={"Fixed": 100_000})).encode("a" * 100)
