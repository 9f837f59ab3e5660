"""Every public story has one home, and reftok is as right on each as the official library is."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from tokenizers import Tokenizer

import reftok

from . import test_inline_stories, test_library_faults

CORPORA = Path(__file__).resolve().parents[2] / "corpora"
FOLDER = CORPORA / "known_bugs"
FILES = sorted(FOLDER.glob("*.jsonl"))
INPUTS = ("text", "bytes_hex", "tokens")
STORY = re.compile(r"[A-Z]{2}\d\d")
"""How a story is called, as corpora/known_bugs/README.md explains."""



def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


CASES = {case["id"]: case for path in FILES for case in read(path)}
WITH_TEXT = [case for case in CASES.values() if "text" in case]
WITH_BYTES = [case for case in CASES.values() if "bytes_hex" in case]
WITH_TOKENS = [case for case in CASES.values() if "tokens" in case]


def untested() -> list[list[str]]:
    """The rows of the table in the README: story, reference, what it tells, why it is not here."""
    rows = [line.strip("|").split("|") for line in (FOLDER / "README.md").read_text("utf-8").splitlines()]
    return [[cell.strip() for cell in row] for row in rows if STORY.fullmatch(row[0].strip())]


def homes() -> list[set[str]]:
    """The stories by where they are: the files, the tests, the README."""
    tests = {case.story for case in test_inline_stories.CASES} | {*test_inline_stories.STORIES}
    tests |= {*test_library_faults.STORIES}
    return [{case["story"] for case in CASES.values()}, tests, {row[0] for row in untested()}]


def test_every_story_has_one_home() -> None:
    stories = [story for home in homes() for story in home]
    assert all(map(STORY.fullmatch, stories))
    assert len(stories) == len({*stories})


def test_what_is_not_tested_has_a_reference_and_a_reason() -> None:
    assert all(len(row) == 4 and all(row) for row in untested())


def test_no_two_cases_have_one_name() -> None:
    names = [case["id"] for path in FILES for case in read(path)] + [case.id for case in test_inline_stories.CASES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_file_is_sorted_and_each_case_says_what_it_is(path: Path) -> None:
    cases = read(path)
    assert [case["id"] for case in cases] == sorted(case["id"] for case in cases)
    for case in cases:
        (kind,) = set(case) - {"id", "story", "ref", "fault"}
        assert kind in INPUTS
        assert case["ref"]
        assert case["fault"].endswith(".")
        assert case["id"].replace("-", "").isalnum()
        assert case["id"] == case["id"].lower()


def test_no_two_cases_have_one_input() -> None:
    inputs = [json.dumps([case.get(kind) for kind in INPUTS]) for case in CASES.values()]
    assert len(inputs) == len(set(inputs))


load = cache(reftok.load)


@cache
def vocab(name: str) -> dict[str, int]:
    tokenizer = load(name)
    ids = {*tokenizer.rules.model.vocab.values(), *tokenizer.rules.added_tokens.tokens}
    return {tokenizer.id_to_token(token_id) or "": token_id for token_id in sorted(ids)}


def ids_of(name: str, tokens: list[str]) -> list[int] | None:
    """The ids of tokens to decode; None where the model lacks one of them."""
    ids = [vocab(name).get(token) for token in tokens]
    return None if None in ids else ids


@pytest.mark.parametrize("name", reftok.embedded_models())
def test_reftok_is_as_right_as_the_official_library(name: str) -> None:
    path = reftok.embedded_models()[name]
    same_as = same_as_sentencepiece if path.suffix == ".model" else same_as_tokenizers
    same_as(name, path)


def same_as_tokenizers(name: str, path: Path) -> None:
    ours, theirs = load(name), Tokenizer.from_file(str(path))
    replaced = [bytes.fromhex(case["bytes_hex"]).decode("utf-8", "replace") for case in WITH_BYTES]
    for text in (*(case["text"] for case in WITH_TEXT), *replaced):
        expected, encoding = theirs.encode(text), ours.encode(text)
        for key in ("ids", "tokens", "offsets", "special_tokens_mask", "word_ids"):
            assert list(getattr(encoding, key)) == getattr(expected, key), (text, key)
    for ids in (*(ours.encode(case["text"]).ids for case in WITH_TEXT), *token_ids(name)):
        for skip in (True, False):
            assert ours.decode(ids, skip) == theirs.decode(list(ids), skip_special_tokens=skip), ids


def same_as_sentencepiece(name: str, path: Path) -> None:
    ours, theirs = load(name), sentencepiece.SentencePieceProcessor(model_file=str(path))
    inputs = [case["text"] for case in WITH_TEXT] + [bytes.fromhex(case["bytes_hex"]) for case in WITH_BYTES]
    for text in inputs:
        encoding, expected = ours.encode(text), theirs.Encode(text, return_type="offset_mapping")
        pieces = [piece if isinstance(piece, str) else piece.decode() for piece in expected["pieces"]]
        assert (list(encoding.ids), list(encoding.tokens)) == (list(expected["ids"]), pieces), text
        assert list(encoding.offsets) == list(map(tuple, expected["offsets"])), text
    for ids in (*(ours.encode(text).ids for text in inputs), *token_ids(name)):
        assert ours.decode(ids) == theirs.Decode(list(ids)), ids


def token_ids(name: str) -> list[list[int]]:
    """What is decoded in this model."""
    return [ids for case in WITH_TOKENS if (ids := ids_of(name, case["tokens"])) is not None]


@pytest.mark.parametrize("case", WITH_TOKENS, ids=[case["id"] for case in WITH_TOKENS])
def test_some_embedded_model_has_the_tokens(case: dict[str, Any]) -> None:
    assert any(ids_of(name, case["tokens"]) for name in reftok.embedded_models())















