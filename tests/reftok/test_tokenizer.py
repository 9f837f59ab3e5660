from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy
import pytest

import reftok
from reftok import Tokenizer
from reftok.errors import InvalidIds, InvalidText, ModelFormatError
from reftok.formats.tiktoken.encodings import RankEncoding
from reftok.formats.tiktoken.rank_file import read_tiktoken

from .official import Json, added, bpe, official, own, tokenizer_json
from .tekken_writer import rank_file


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_lone_surrogates_are_refused(text: str) -> None:
    config = tokenizer_json(bpe("ab"))
    with pytest.raises(InvalidText, match=r"lone surrogate U\+D[8F]\w\w at code point [01]"):
        own(config).encode(text)
    with pytest.raises((TypeError, ValueError)):
        official(config).encode(text)


def test_bytes_are_refused_where_the_library_takes_only_text() -> None:
    with pytest.raises(InvalidText, match="tokenizers takes str, not bytes"):
        own(tokenizer_json(bpe("ab"))).encode(b"a")


@pytest.mark.parametrize("model", ["spm-bpe", "spm-unigram"])
def test_a_library_without_pairs_refuses_them(model: str) -> None:
    for encode in (reftok.load(model).encode, reftok.load(model).encode_ids):
        with pytest.raises(InvalidText, match="sentencepiece does not encode pairs of texts"):
            encode("a", "b")


@pytest.mark.parametrize("pair", [b"a", 5, True, "\ud800"])
def test_a_second_text_is_checked_as_the_first_one_is(pair: Any) -> None:
    with pytest.raises(InvalidText, match=r"tokenizers takes str, not|lone surrogate U\+D800"):
        own(tokenizer_json(bpe("ab"))).encode("a", pair)
    with pytest.raises((TypeError, ValueError)):
        official(tokenizer_json(bpe("ab"))).encode("a", pair)


def test_ids_outside_the_vocab_are_refused_by_libraries_that_do() -> None:
    tokenizer = Tokenizer(read_tiktoken(rank_file(), RankEncoding("tiny", ".", {}, "")))
    with pytest.raises(InvalidIds, match="id 256 is not in the vocab"):
        tokenizer.decode([0, 256])


@pytest.mark.parametrize("ids", [[1.0], ["a"], [None], [-1], [2**32], "abc", "", 5, None, numpy.array(1)])
def test_what_the_library_does_not_take_for_ids_is_refused(ids: Any) -> None:
    config = tokenizer_json(bpe("ab"))
    with pytest.raises((TypeError, OverflowError)):
        official(config).decode(ids)
    with pytest.raises(InvalidIds, match=r"is not an id: a whole number from 0|takes a list of ids, not"):
        own(config).decode(ids)


@pytest.mark.parametrize("words", [["a", "b"], ("a", "b"), []])
def test_a_list_of_words_is_refused_by_what_reftok_lacks(words: Any) -> None:
    tokenizer = own(tokenizer_json(bpe("ab")))
    for encode in (tokenizer.encode, tokenizer.encode_ids, lambda text: tokenizer.encode("a", text)):
        with pytest.raises(InvalidText, match=r"is_pretokenized=True of tokenizers, which reftok does not have"):
            encode(words)


@pytest.mark.parametrize("text", [None, 5, bytearray(b"a")])
@pytest.mark.parametrize("model", ["bpe-gpt2", "spm-bpe"])
def test_what_is_no_text_is_refused_and_no_attribute_error(text: Any, model: str) -> None:
    for encode in (reftok.load(model).encode, reftok.load(model).encode_ids):
        with pytest.raises(InvalidText, match=rf"takes str, not {type(text).__name__}"):
            encode(text)


def doubling(times: int) -> Json:
    step: Json = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    return {"type": "Sequence", "normalizers": [step] * times}


def test_an_added_token_that_normalizers_blow_up_is_refused() -> None:
    config = tokenizer_json(bpe("ab"), [added("a", normalized=True)], normalizer=doubling(40))
    with pytest.raises(ModelFormatError, match="added_tokens: 'a' is too long when normalized"):
        own(config)


def test_added_tokens_that_normalizers_blow_up_together_are_refused() -> None:
    tokens = [added(f"a{number}", normalized=True) for number in range(100)]
    assert own(tokenizer_json(bpe("ab"), tokens[:10], normalizer=doubling(12)))
    with pytest.raises(ModelFormatError, match=r"added_tokens: 'a\d+' is too long when normalized"):
        own(tokenizer_json(bpe("ab"), tokens, normalizer=doubling(12)))


def test_a_text_that_normalizers_blow_up_is_refused() -> None:
    with pytest.raises(ModelFormatError, match="normalizer: makes 131072 characters of 1,"):
        own(tokenizer_json(bpe("ab"), normalizer=doubling(40))).encode("a")
    step: Json = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 100_000}
    with pytest.raises(ModelFormatError, match="normalizer: makes 10000100000 characters of 100000"):
        own(tokenizer_json(bpe("ab"), normalizer=step)).encode("a" * 100_000)


class _Element:
    """A whole number as an array or a tensor holds it."""

    def __index__(self) -> int:
        return 1


def test_ids_may_be_the_integers_of_an_array_and_may_come_one_by_one() -> None:
    config = tokenizer_json(bpe("ab"), decoder={"type": "Fuse"})
    ids: Any = [_Element(), 0]
    assert own(config).decode(ids) == official(config).decode(ids) == "ba"
    trace = own(config).trace_decode(iter([1, 0]))
    assert (trace.ids, trace.text) == ((1, 0), "ba")


@pytest.mark.parametrize("ids", [None, 5, "12"])
def test_tracing_refuses_what_decoding_refuses(ids: Any) -> None:
    with pytest.raises(InvalidIds, match="takes a list of ids, not"):
        own(tokenizer_json(bpe("ab"))).trace_decode(ids)


def test_options_are_changed_in_a_new_tokenizer_which_shares_the_tables_of_the_model() -> None:
    tokenizer = reftok.load("bpe-gpt2")
    changed = tokenizer.with_options(encode_special_tokens=True)
    assert changed.rules == replace(tokenizer.rules, encode_special_tokens=True)
    assert len(changed.encode_ids("<|endoftext|>")) > len(tokenizer.encode_ids("<|endoftext|>")) == 1
    assert changed.memory.encoder.model is tokenizer.memory.encoder.model
    assert changed.with_options() == changed != tokenizer


def test_options_switch_truncation_and_padding_off() -> None:
    padding: Json = {"strategy": {"Fixed": 4}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
    truncation: Json = {"max_length": 2, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    config = tokenizer_json(bpe("ab"), padding={**padding, "pad_to_multiple_of": None}, truncation=truncation)
    assert own(config).encode("bbb").ids == [1, 1, 0, 0]
    assert own(config).with_options(padding=None).encode("bbb").ids == [1, 1]
    assert own(config).with_options(padding=None, truncation=None).encode("bbb").ids == [1, 1, 1]


@pytest.mark.parametrize("change", [{"encode_special_tokens": True}, {"normalizers": ()}, {"rules": None}, {}])
def test_dataclasses_replace_names_with_options(change: Any) -> None:
    with pytest.raises(TypeError, match="with_options"):
        replace(reftok.load("bpe-gpt2"), **change)


def test_what_is_no_option_is_refused() -> None:
    options: Any = {"model": None}
    with pytest.raises(TypeError, match="with_options does not take 'model', only encode_special_tokens, "):
        reftok.load("bpe-gpt2").with_options(**options)
