from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import Any

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature

from ....official import Json, bpe, official, outcome, own, refusal, tokenizer_json, unigram, wordlevel, wordpiece

KEYS: Json = {
    "merges": [],
    "unk_token": "a",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
    "unk_id": 0,
}
VOCABS: list[Any] = [{"a": 0}, [["a", -1.0]]]
FULL = [
    bpe(
        ["a", "b", "ab"],
        [("a", "b")],
        dropout=None,
        unk_token=None,
        continuing_subword_prefix=None,
        end_of_word_suffix=None,
        fuse_unk=False,
        byte_fallback=False,
        ignore_merges=False,
    ),
    wordpiece(["[UNK]", "a", "##b"]),
    wordlevel(["<unk>", "a"]),
    unigram(("<unk>", 0.0), ("a", -1.0), byte_fallback=False),
]


def model_name(model: object) -> str:
    return type(model).__name__


@pytest.mark.parametrize("vocab", VOCABS, ids=["object", "list"])
@pytest.mark.parametrize("count", range(6))
def test_models_of_old_files_are_told_by_their_keys(vocab: Any, count: int) -> None:
    """In the order of the library: BPE, WordPiece, WordLevel, Unigram; a key too many is refused by name."""
    for keys in combinations(KEYS, count):
        config = tokenizer_json({"vocab": vocab, **{key: KEYS[key] for key in keys}})
        expected = outcome(lambda config=config: model_name(official(config).model))
        problem = refusal(partial(own, config))
        if not problem:
            assert model_name(own(config).rules.model) == expected
        else:
            assert ("this key is not known" in problem) == (expected != "refused")


@pytest.mark.parametrize("model", FULL, ids=lambda model: model["type"])
def test_every_key_is_there_missing_or_null_as_in_the_library(model: Json) -> None:
    for key in model:
        for change in ({other: value for other, value in model.items() if other != key}, {**model, key: None}):
            config = tokenizer_json(change)
            expected = outcome(lambda config=config: official(config).encode("abx").ids)
            assert outcome(partial(own(tokenizer_json(model)).encode_ids, "a")) != "refused"
            assert outcome(lambda config=config: own(config).encode_ids("abx")) == expected, change


@pytest.mark.parametrize("kind", ["X", "bpe", ""])
def test_an_unknown_model_is_refused_by_name(kind: str) -> None:
    with pytest.raises(UnsupportedFeature, match=rf"^tokenizer\.json: model\.type: {kind} is not supported"):
        own(tokenizer_json({**FULL[1], "type": kind}))


@pytest.mark.parametrize("length", [-1, 1.0, 1 << 64, "1", True])
def test_the_length_of_a_word_is_a_whole_number(length: Any) -> None:
    config = tokenizer_json(wordpiece(["[UNK]", "a"], max_input_chars_per_word=length))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.max_input_chars_per_word: is not a whole number"):
        own(config)
