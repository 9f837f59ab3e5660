"""Random models of every type, each with words, and what a word becomes: ids, tokens and offsets."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError

from ...official import Json, assert_same_encoding, bpe, official, outcome, own, tokenizer_json, wordlevel, wordpiece
from ...pipeline_comparison import official_rows, own_rows
from ...tokenizers_strategies import bpe_models, unigram_models, wordlevel_models, wordpiece_models, words

MODELS = {"BPE": bpe_models(), "Unigram": unigram_models(), "WordPiece": wordpiece_models(), "word": wordlevel_models}


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=500)
@given(st.data())
def test_every_model_gives_the_tokens_of_the_library(kind: str, data: st.DataObject) -> None:
    config = tokenizer_json(data.draw(MODELS[kind]))
    ours, theirs = own(config), official(config)
    for word in data.draw(st.lists(words, min_size=1, max_size=5)):
        assert outcome(partial(own_rows, ours, word)) == outcome(partial(official_rows, theirs, word))


def test_a_word_of_wordlevel_is_one_token_known_or_not() -> None:
    config = tokenizer_json(wordlevel(["<unk>", "yes", "é中"]), pre_tokenizer={"type": "WhitespaceSplit"})
    encoding = assert_same_encoding(config, "yes no é中")
    assert encoding.tokens == ["yes", "<unk>", "é中"]
    assert encoding.offsets == [(0, 3), (4, 6), (7, 9)]


@pytest.mark.parametrize(
    ("model", "unknown"), [(wordlevel(["a"]), "<unk>"), (wordpiece(["a"]), "[UNK]"), (bpe("a", unk_token="?"), "?")]
)
def test_an_unknown_token_outside_the_vocab_is_an_error_where_it_is_needed(model: Json, unknown: str) -> None:
    config = tokenizer_json(model)
    assert assert_same_encoding(config, "a").ids == own(config).encode_ids("a") == [0]
    assert outcome(lambda: official(config).encode("x")) == "refused"
    with pytest.raises(ModelFormatError) as refused:
        own(config).encode("x")
    assert str(refused.value).startswith(f"tokenizer.json: model.unk_token: '{unknown}' is not in the vocab")
