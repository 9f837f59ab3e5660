"""Which text must come back is decided by the kind of model, and left out where the model loses text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.checks.base import RoundTrip
from conformance.checks.round_trip import round_trip_rule
from reftok import Tokenizer, embedded_models
from tests.models import load

from ...corpora.inline_cases import byte_level
from ...reftok.official import own


def wanted(tokenizer: Tokenizer, text: str) -> str | None:
    rule = round_trip_rule(tokenizer)
    found = None if rule is None else rule(text)
    return None if found is None else found.text


@pytest.mark.parametrize("text", ["Hello  world\n", "  a ", "\0\ufeff☠", ""])
def test_byte_level_gives_back_every_text(text: str) -> None:
    assert wanted(load("bpe-gpt2"), text) == text


def test_byte_level_gives_back_the_normalized_text() -> None:
    assert wanted(load("bpe-qwen"), "cafe\u0301") == "caf\u00e9"


def test_the_template_stands_around_the_text() -> None:
    assert wanted(load("bpe-llama3"), "a b") == "<|begin_of_text|>a b"


def test_an_added_token_gives_its_content() -> None:
    assert wanted(load("bpe-qwen"), "a <|im_start|>b") == "a <|im_start|>b"


@pytest.mark.parametrize(("text", "back"), [("hello", "hello"), ("  two   spaces ", "two spaces"), ("ﬁne", "fine")])
def test_sentencepiece_gives_back_the_normalized_text_without_the_dummy_prefix(text: str, back: str) -> None:
    assert wanted(load("spm-unigram"), text) == back


@pytest.mark.parametrize("model", ["spm-unigram", "spm-bpe-hf"])
def test_a_text_in_the_notation_of_the_model_is_left_out(model: str) -> None:
    assert wanted(load(model), "a▁b") is None


def test_a_text_with_unknown_characters_is_left_out() -> None:
    assert wanted(load("spm-unigram"), "\U00012345") is None


def test_a_pipeline_like_llama_2_gives_back_the_text() -> None:
    assert wanted(load("spm-bpe-hf"), "hello world") == "<s> hello world"


def test_a_byte_token_written_out_is_left_out_where_bytes_fall_back() -> None:
    assert wanted(load("spm-bpe-hf"), "a <0x41>") is None


def changed(tmp_path: Path, **changes: Any) -> Tokenizer:
    """The model bpe-gpt2 with some parts of its file replaced."""
    value = json.loads(embedded_models()["bpe-gpt2"].read_text("utf-8"))
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**value, **changes}), "utf-8")
    return load(path)


def test_a_prefix_space_leaves_the_model_out(tmp_path: Path) -> None:
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    assert wanted(changed(tmp_path, pre_tokenizer=byte_level), "hello") is None


def test_a_model_without_a_decoder_is_left_out(tmp_path: Path) -> None:
    assert wanted(changed(tmp_path, decoder=None), "hello") is None


def test_an_added_token_of_byte_characters_may_come_back_as_these_bytes() -> None:
    tokenizer = own(byte_level(contents=("đem", "日é")))
    rule = round_trip_rule(tokenizer)
    assert rule is not None
    assert rule("a đem 日é") == RoundTrip("a đem 日é", read_as_bytes="a \x11em 日é")
    assert rule("é 日é") == RoundTrip("é 日é")
