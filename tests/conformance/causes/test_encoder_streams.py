"""What stands at the seam of two chunks names the stage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.encoder_streams import (
    MOST_CUTS,
    are_chunks_encoded_alone,
    attribute_stream_encoding,
    plain_entries,
)
from conformance.core.streaming import Chunks, FedStream, Feeding, Streamed
from reftok import Tokenizer
from tests.models import load


def chunk_by_chunk(model: str, chunks: tuple[str, ...]) -> Attribution:
    """What is said of a stream that encodes each chunk alone."""
    tokenizer = load(model)
    given = (*(tokenizer.encode(chunk).ids for chunk in chunks), ())
    text = "".join(chunks)
    fed = FedStream(Feeding("encoder", chunks), Streamed(tuple(map(tuple, given))), tokenizer.encode(text).ids)
    assert fed.whole != tuple(token_id for ids in given for token_id in ids)
    return attribute_stream_encoding(tokenizer, text, fed)


@pytest.mark.parametrize(
    ("model", "chunks", "stage"),
    [
        ("bpe-qwen", ("a<|im", "_end|>"), "AddedTokens"),
        ("bpe-qwen", ("e", "\u0301"), "Normalizer"),
        ("bpe-qwen", ("of  ", "the"), "PreTokenizer"),
        ("bpe-qwen", ("th", "e"), "Model"),
        ("bpe-llama3", ("the", " the"), "PostProcessor"),
        ("spm-unigram", ("th", "e"), "Normalizer"),
    ],
)
def test_the_stage_is_told_by_the_seam(model: str, chunks: tuple[str, ...], stage: str) -> None:
    assert chunk_by_chunk(model, chunks).stage == stage


def alone(tokenizer: Tokenizer, *chunks: str, adds_special_tokens: bool = True) -> FedStream:
    """A stream that encodes each chunk alone."""
    given = [tuple(tokenizer.encode(chunk, add_special_tokens=adds_special_tokens).ids) for chunk in chunks]
    whole = tuple(tokenizer.encode("".join(chunks)).ids)
    return FedStream(Feeding("encoder", chunks), Streamed((*given, ())), whole)


@pytest.mark.parametrize(
    ("model", "parts", "what"),
    [("spm-bpe", ("a b", " c"), "the last word that has come"), ("bpe-llama3", ("a\n", "\nb"), "each line")],
)
def test_parts_that_are_encoded_on_their_own_are_told_though_there_is_no_seam(
    model: str, parts: tuple[str, str], what: str
) -> None:
    tokenizer, text = load(model), "".join(parts)
    given = tuple(tuple(tokenizer.encode(part, add_special_tokens=False).ids) for part in parts)
    fed = FedStream(Feeding("encoder", (text,)), Streamed(given), tokenizer.encode(text).ids)
    told = attribute_stream_encoding(tokenizer, text, fed)
    assert told == Attribution("Input", f"{what} is encoded on its own")


@pytest.mark.parametrize(("model", "adds"), [("bpe-qwen", True), ("bpe-llama3", False)])
def test_faults_of_several_kinds_are_one_where_each_chunk_is_encoded_alone(model: str, adds: bool) -> None:
    tokenizer = load(model)
    cuts = [("th", "e cat"), ("the ", "cat"), ("cafe", "\u0301"), ("a<|end", "oftext|>")]
    entries = [alone(tokenizer, *cut, adds_special_tokens=adds) for cut in cuts]
    assert are_chunks_encoded_alone(tokenizer, entries)
    assert not are_chunks_encoded_alone(tokenizer, entries[:1] * 2)
    right = FedStream(Feeding("encoder", ("ca", "t")), Streamed((tuple(tokenizer.encode("cat").ids),)), ())
    assert not are_chunks_encoded_alone(tokenizer, [*entries, right])


def test_special_tokens_that_are_added_to_each_chunk_are_one_fault() -> None:
    tokenizer = load("bpe-llama3")
    entries = [alone(tokenizer, *cut) for cut in (("th", "e cat"), ("cafe", "\u0301"))]
    assert not are_chunks_encoded_alone(tokenizer, entries)


def test_plain_streams_are_looked_at_and_not_all_ways_to_cut_a_text() -> None:
    plain = alone(load("bpe-qwen"), "th", "e cat")
    of_bytes = replace(plain, feeding=replace(plain.feeding, chunks=(b"th", b"e cat")))
    with_an_empty_chunk = replace(plain, feeding=replace(plain.feeding, chunks=("the cat", "")))
    assert plain_entries([of_bytes, plain, with_an_empty_chunk]) == [plain]
    assert 0 < len(plain_entries([plain] * 10 * MOST_CUTS)) <= MOST_CUTS


def of_other_ids(tokenizer: Tokenizer, chunks: tuple[str, ...], *parts: str) -> Attribution:
    """What is said of a stream that gives the ids of these parts, instead of those of the whole."""
    first, *others = parts
    given = tuple(tokenizer.encode(first).ids)
    given += tuple(number for part in others for number in tokenizer.encode(part, add_special_tokens=False).ids)
    text = "".join(chunks)
    fed = FedStream(Feeding("encoder", chunks), Streamed((given, (), ())), tokenizer.encode(text).ids)
    assert fed.whole != given
    return attribute_stream_encoding(tokenizer, text, fed)


def test_a_seam_that_was_got_right_is_not_to_blame() -> None:
    chunks = ("x   ", "they cafe", "\u0301")
    assert of_other_ids(load("bpe-qwen"), chunks, "x   they cafe", "\u0301").stage == "Normalizer"
    assert of_other_ids(load("bpe-qwen"), chunks, "x   ", "they caf\u00e9").stage == "PreTokenizer"


@pytest.mark.parametrize(
    ("model", "stage"),
    [("spm-bpe-hf", "Normalizer"), ("spm-unigram", "Normalizer"), ("spm-unigram-hf", "PreTokenizer")],
)
def test_the_stage_that_adds_a_space_is_that_of_the_model(model: str, stage: str) -> None:
    added = of_other_ids(load(model), ("th", "e"), "th", "e")
    assert added == Attribution(stage, "a space is added before each chunk")


def test_a_space_that_no_stage_of_the_model_adds_is_added_to_the_input() -> None:
    added = of_other_ids(load("bpe-gpt2"), ("Hel", "lo"), " Hel", " lo")
    assert added == Attribution("Input", "a space is added before each chunk")


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram", "spm-unigram-hf"])
def test_what_composes_across_chunks_is_told_by_the_normalizers_of_the_model(model: str) -> None:
    found = of_other_ids(load(model), ("e", "\u0301"), "x")
    assert found == Attribution("Normalizer", "characters that compose across two chunks are normalized apart")


def test_a_model_without_a_normalizer_has_nothing_that_composes_across_chunks() -> None:
    assert of_other_ids(load("bpe-gpt2"), ("e", "\u0301"), "x").stage == "Model"


def test_a_mark_that_the_tables_of_the_library_do_not_have_lets_nothing_compose_across_it() -> None:
    of_unicode_14 = "e\u1dfa"
    assert of_other_ids(load("bpe-qwen"), (of_unicode_14, "\u0301"), "x").stage == "Model"


def test_a_model_without_a_pre_tokenizer_cuts_no_white_space() -> None:
    assert of_other_ids(load("spm-bpe-hf"), ("a ", " b"), "a", "x").stage != "PreTokenizer"


def test_special_tokens_that_the_model_does_not_add_are_added_to_the_input() -> None:
    assert of_other_ids(load("bpe-qwen"), ("a", "b"), "<|im_end|>a", "b").stage == "Input"


def test_bytes_that_are_cut_within_a_character_are_no_matter_of_a_stage() -> None:
    tokenizer = load("bpe-qwen")
    chunks: Chunks = ("aé".encode()[:2], "aé".encode()[2:])
    wrong = tuple(tokenizer.encode("a\ufffd\ufffd").ids)
    fed = FedStream(Feeding("encoder", chunks), Streamed((wrong, (), ())), tokenizer.encode("aé").ids)
    assert attribute_stream_encoding(tokenizer, "aé", fed).stage == "Input"
