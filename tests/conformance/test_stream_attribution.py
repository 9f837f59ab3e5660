"""What stands at the seam of two chunks names the stage; why text does not come is told by what is certain."""

from __future__ import annotations

import pytest

from conformance.attribute import Attribution
from conformance.attribute_streams import attribute_lost_text, attribute_stream_encoding
from conformance.streaming import Chunks, FedStream, Feeding, Streamed
from reftok import load


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


def test_bytes_that_are_cut_within_a_character_are_no_matter_of_a_stage() -> None:
    tokenizer = load("bpe-qwen")
    chunks: Chunks = ("aé".encode()[:2], "aé".encode()[2:])
    wrong = tuple(tokenizer.encode("a\ufffd\ufffd").ids)
    fed = FedStream(Feeding("encoder", chunks), Streamed((wrong, (), ())), tokenizer.encode("aé").ids)
    assert attribute_stream_encoding(tokenizer, "aé", fed).stage == "Input"


@pytest.mark.parametrize(
    ("tokens", "rule"),
    [
        (("a", "Ã"), "a character that stays incomplete is never given out as U+FFFD"),
        (("a", "©"), "a U+FFFD that nothing can change is held for ever"),
        (("a", "ï", "¿", "½"), "a U+FFFD that nothing can change is held for ever"),
        (("a", "ï", "¿"), "a character that stays incomplete is never given out as U+FFFD"),
    ],
)
def test_a_lost_replacement_character_is_certain_or_not(tokens: tuple[str, ...], rule: str) -> None:
    tokenizer = load("bpe-qwen")
    ids = tuple(tokenizer.model.vocab[token] for token in tokens)
    fed = FedStream(Feeding("decoder", ids), Streamed(("a",)), tokenizer.decode(ids))
    assert attribute_lost_text(tokenizer, fed) == Attribution("Decoder", rule)
