from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError

from ...official import Json, assert_same_encoding, official, outcome, own, tokenizer_json, wordlevel
from ...tokenizers_strategies import wordlevel_models, words
from .rows import byte_rows


@settings(max_examples=200)
@given(wordlevel_models, st.lists(words, min_size=1, max_size=5))
def test_every_model_gives_the_tokens_of_the_library(model: Json, inputs: list[str]) -> None:
    ours, theirs = own(tokenizer_json(model)).rules.model, official(tokenizer_json(model)).model
    for text in inputs:
        assert outcome(partial(byte_rows, ours, text)) == outcome(partial(byte_rows, theirs, text))


def test_a_word_is_one_token_known_or_not() -> None:
    config = tokenizer_json(wordlevel(["<unk>", "yes", "é中"]), pre_tokenizer={"type": "WhitespaceSplit"})
    encoding = assert_same_encoding(config, "yes no é中")
    assert encoding.tokens == ["yes", "<unk>", "é中"]
    assert encoding.offsets == [(0, 3), (4, 6), (7, 9)]


def test_an_unknown_token_outside_the_vocab_is_an_error_where_it_is_needed() -> None:
    config = tokenizer_json(wordlevel(["yes"]))
    assert assert_same_encoding(config, "yes").ids == [0]
    assert outcome(lambda: official(config).encode("no")) == "refused"
    with pytest.raises(ModelFormatError, match=r"^tokenizer\.json: model\.unk_token: '<unk>' is not in the vocab"):
        own(config).encode("no")
