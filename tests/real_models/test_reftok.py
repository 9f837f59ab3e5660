"""Published models against the official libraries, on a sample of the corpora.

The folder that REFTOK_MODELS names holds the models, one folder each or files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers

import reftok
from reftok.formats.model_files import file_format, models_in
from reftok.formats.tiktoken.rank_file import read_ranks, recognise

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
LINES_OF_A_LANGUAGE = 5
LONGEST = 400
ROOT = os.environ.get("REFTOK_MODELS")

pytestmark = pytest.mark.skipif(ROOT is None, reason="REFTOK_MODELS is not set")

Row = tuple[int, str, tuple[int, int]]


def model_files() -> Iterator[Path]:
    if ROOT is not None:
        for path in sorted([Path(ROOT), *Path(ROOT).rglob("*")]):
            if path.is_dir():
                yield from models_in(path)


FILES = list(model_files())


@cache
def sample() -> tuple[str, ...]:
    """Some lines of every language, and every edge case that is a text."""
    texts: dict[str, None] = {"": None}
    for path in sorted((CORPORA / "languages").glob("*.txt")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line]
        texts |= dict.fromkeys(lines[:: max(1, len(lines) // LINES_OF_A_LANGUAGE)])
    for path in sorted((CORPORA / "edge_cases").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = json.loads(line).get("text")
            if isinstance(text, str) and is_text(text):
                texts[text[:LONGEST]] = None
    return tuple(texts)


def is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def own_rows(tokenizer: reftok.Tokenizer, text: str) -> list[Row]:
    """What the plain rules and the engine both give."""
    encoding = tokenizer.rules.encode(text)
    assert tokenizer.encode(text) == encoding, text
    assert tokenizer.encode_ids(text) == list(encoding.ids), text
    return list(zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True))


def own_text(tokenizer: reftok.Tokenizer, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
    """What the plain rules and the engine both give."""
    text = tokenizer.rules.decode(ids, skip_special_tokens)
    assert tokenizer.decode(ids, skip_special_tokens) == text, ids
    return text


def official_tokenizer(path: Path) -> Any:
    data = path.read_bytes()
    if path.name == "vocab.json":
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(path), str(path.with_name("merges.txt"))))
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
        return tokenizer
    match file_format(data):
        case "tokenizer.json":
            return tokenizers.Tokenizer.from_file(str(path))
        case "tiktoken":
            encoding = recognise(data, str(path))
            ranks, special_tokens = read_ranks(data), dict(encoding.special_tokens)
            return tiktoken.Encoding(
                encoding.name, pat_str=encoding.pattern, mergeable_ranks=ranks, special_tokens=special_tokens
            )
        case _:
            return sentencepiece.SentencePieceProcessor(model_proto=data)


def check_tokenizers(ours: reftok.Tokenizer, theirs: tokenizers.Tokenizer) -> None:
    for text, expected in zip(sample(), theirs.encode_batch(list(sample())), strict=True):
        assert own_rows(ours, text) == list(zip(expected.ids, expected.tokens, expected.offsets, strict=True)), text
        for skip in (True, False):
            assert own_text(ours, expected.ids, skip) == theirs.decode(expected.ids, skip_special_tokens=skip), text


def check_sentencepiece(ours: reftok.Tokenizer, theirs: sentencepiece.SentencePieceProcessor) -> None:
    for text in sample():
        found = theirs.Encode(text, return_type="offset_mapping")
        expected = list(zip(found["ids"], found["pieces"], map(tuple, found["offsets"]), strict=True))
        assert own_rows(ours, text) == expected, text
        assert own_text(ours, found["ids"]) == theirs.Decode(found["ids"]), text


def check_tiktoken(ours: reftok.Tokenizer, theirs: tiktoken.Encoding) -> None:
    for text, expected in zip(sample(), theirs.encode_batch(list(sample()), allowed_special="all"), strict=True):
        rows = own_rows(ours, text)
        assert [token_id for token_id, _, _ in rows] == expected, text
        starts = theirs.decode_with_offsets(expected)[1]
        assert [start for _, _, (start, _) in rows] == starts, text
        assert own_text(ours, expected, skip_special_tokens=False) == theirs.decode(expected) == text


CHECKS = {"tokenizers": check_tokenizers, "sentencepiece": check_sentencepiece, "tiktoken": check_tiktoken}


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.name}" for path in FILES])
def test_a_published_model_gives_what_its_official_library_gives(path: Path) -> None:
    try:
        ours = reftok.load(path)
    except reftok.UnsupportedFeature:
        raise
    except reftok.ModelFormatError:
        with pytest.raises(Exception, match=r"."):
            official_tokenizer(path)
        return
    assert len(sample()) > 500
    CHECKS[ours.library](ours, official_tokenizer(path))


def test_there_are_models_to_compare() -> None:
    assert FILES, f"{ROOT} holds no model"
