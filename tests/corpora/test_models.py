"""The embedded models load, and each has what it is there for."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers

CORPORA = Path(__file__).resolve().parent.parent.parent / "corpora"
MODELS = CORPORA / "models"
NAMES = {
    "tokenizer.json": ("bpe-gpt2", "bpe-llama3", "bpe-qwen", "spm-bpe-hf", "spm-unigram-hf"),
    "tokenizer.model": (
        "spm-bpe",
        "spm-bpe-symbols",
        "spm-char",
        "spm-unigram",
        "spm-unigram-bytes",
        "spm-unigram-suffix",
        "spm-unigram-symbols",
        "spm-word",
    ),
}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def read_json(name: str) -> Any:
    """The content of a tokenizer.json."""
    return json.loads((MODELS / name / "tokenizer.json").read_text("utf-8"))


def sentencepiece_model(name: str) -> Any:
    """A model in the official library."""
    return sentencepiece.SentencePieceProcessor(model_file=str(MODELS / name / "tokenizer.model"))


def corpus_lines() -> list[str]:
    """Some lines of every language."""
    paths = sorted((CORPORA / "languages").glob("*.txt"))
    return [line for path in paths for line in path.read_text("utf-8").split("\n")[:5]]


def test_one_file_a_folder() -> None:
    expected = {f"{name}/{file}" for file, names in NAMES.items() for name in names}
    assert {path.relative_to(MODELS).as_posix() for path in MODELS.rglob("*") if path.is_file()} == expected


@pytest.mark.parametrize("name", NAMES["tokenizer.json"])
def test_ids_are_contiguous_and_as_written(name: str) -> None:
    tokenizer = tokenizers.Tokenizer.from_file(str(MODELS / name / "tokenizer.json"))
    vocab = tokenizer.get_vocab(with_added_tokens=True)
    assert sorted(vocab.values()) == list(range(len(vocab)))
    for token in read_json(name)["added_tokens"]:
        assert tokenizer.token_to_id(token["content"]) == token["id"]


@pytest.mark.parametrize("name", NAMES["tokenizer.json"])
def test_added_tokens_have_every_combination_of_flags(name: str) -> None:
    tokens = read_json(name)["added_tokens"]
    combinations = {tuple(token[flag] for flag in FLAGS) for token in tokens}
    assert combinations == set(product((False, True), repeat=len(FLAGS)))
    assert any(" " in token["content"].strip() for token in tokens), "none with white space inside"
    vocab = read_json(name)["model"]["vocab"]
    pieces = vocab if isinstance(vocab, dict) else {piece for piece, _ in vocab}
    assert any(token["content"] in pieces for token in tokens), "none that is in the vocab"


@pytest.mark.parametrize("name", NAMES["tokenizer.model"])
def test_model_takes_every_language(name: str) -> None:
    model = sentencepiece_model(name)
    assert all(model.encode(line) for line in corpus_lines() if line.strip())


def test_llama3_has_words_without_merges() -> None:
    content = read_json("bpe-llama3")
    word = "ĠUnigram"
    assert word in content["model"]["vocab"]
    with_it = tokenizers.Tokenizer.from_str(json.dumps(content)).encode(" Unigram").tokens
    content["model"]["ignore_merges"] = False
    without = tokenizers.Tokenizer.from_str(json.dumps(content)).encode(" Unigram").tokens
    assert with_it[1:] == [word]
    assert len(without[1:]) > 1


@pytest.mark.parametrize("name", ["spm-bpe", "spm-unigram-bytes"])
def test_bytes_are_needed(name: str) -> None:
    model = sentencepiece_model(name)
    assert any(model.is_byte(piece_id) for line in corpus_lines() for piece_id in model.encode(line))


@pytest.mark.parametrize("name", ["spm-bpe-symbols", "spm-unigram", "spm-unigram-symbols", "spm-unigram-suffix"])
def test_unknown_characters_occur(name: str) -> None:
    model = sentencepiece_model(name)
    assert any(model.is_unknown(piece_id) for line in corpus_lines() for piece_id in model.encode(line))


def test_unused_pieces_are_met() -> None:
    """An UNUSED piece is never given, but text that it spells is there."""
    model = sentencepiece_model("spm-bpe-symbols")
    unused = [model.id_to_piece(i) for i in range(model.get_piece_size()) if model.is_unused(i)]
    assert unused
    text = "\n".join(corpus_lines()).replace(" ", "▁")
    assert any(piece in text for piece in unused)
    assert not any(model.is_unused(piece_id) for line in corpus_lines() for piece_id in model.encode(line))


@pytest.mark.parametrize("name", ["spm-bpe-symbols", "spm-unigram-symbols"])
def test_the_longest_symbol_wins(name: str) -> None:
    pieces = sentencepiece_model(name).encode("<extra_id_10><img><im token_1", out_type=str)
    assert [piece for piece in pieces if piece != "▁"] == ["<extra_id_10>", "<img>", "<im", "token_1"]


def test_space_is_a_suffix() -> None:
    assert sentencepiece_model("spm-unigram-suffix").encode("a b", out_type=str)[-1].endswith("▁")


def test_converted_bpe_gives_the_ids_of_its_origin() -> None:
    """Without the added tokens, which sentencepiece does not know."""
    model = sentencepiece_model("spm-bpe")
    content = read_json("spm-bpe-hf") | {"added_tokens": [], "post_processor": None}
    converted = tokenizers.Tokenizer.from_str(json.dumps(content))
    for line in corpus_lines():
        assert converted.encode(line).ids == model.encode(line), line
