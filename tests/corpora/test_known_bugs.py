"""Every public story has a home, and reftok is right on each: as the official library is, and as the story says."""

from __future__ import annotations

import json
import os
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
REAL_MODELS = os.environ.get("REFTOK_MODELS")

COLLECTED = {
    "HF": (
        1,
        2,
        3,
        6,
        7,
        8,
        10,
        11,
        17,
        18,
        19,
        21,
        23,
        26,
        28,
        29,
        30,
        31,
        32,
        33,
        34,
        36,
        37,
        38,
        39,
        40,
        42,
        43,
        44,
        45,
    ),
    "IM": (2,),
    "JS": (1, 2, 3, 5),
    "KI": (1, 2, 3, 5),
    "LA": (1,),
    "LC": (2, 4, 6, 8, 11, 14, 15, 17, 18, 19, 21, 23, 25, 26, 27, 30, 32, 33, 34, 35, 36, 38, 39, 41),
    "LT": (1,),
    "ME": (2, 5, 6, 11, 12, 13, 14, 15, 16, 17, 19),
    "MI": (1, 2, 4, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 20),
    "NT": (1,),
    "SH": (1, 3, 6, 8, 9, 12, 13, 14, 15),
    "SP": (1, 2, 4, 5, 6, 8, 10, 11, 12, 14),
    "SW": (1, 2, 5, 7),
    "TK": (1, 3, 4, 5, 6, 7),
    "VL": (1, 2, 3, 4, 5, 6, 9, 10),
}
STORIES = {f"{where}{number:02}" for where, numbers in COLLECTED.items() for number in numbers}
"""The stories that were collected, as corpora/known_bugs/README.md explains their names."""


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


CASES = {case["id"]: case for path in FILES for case in read(path)}
WITH_TEXT = [case for case in CASES.values() if "text" in case]
WITH_BYTES = [case for case in CASES.values() if "bytes_hex" in case]
WITH_TOKENS = [case for case in CASES.values() if "tokens" in case]


def untested() -> list[list[str]]:
    """The rows of the table in the README: story, reference, what it tells, why it is not here."""
    rows = [line.strip("|").split("|") for line in (FOLDER / "README.md").read_text("utf-8").splitlines()]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() in STORIES]


def homes() -> list[set[str]]:
    """The stories by where they are: the files, the tests, the README."""
    tests = {case.story for case in test_inline_stories.CASES} | {*test_inline_stories.STORIES}
    tests |= {*test_library_faults.STORIES}
    return [{case["story"] for case in CASES.values()}, tests, {row[0] for row in untested()}]


def test_every_story_has_one_home() -> None:
    stories = [story for home in homes() for story in home]
    assert sorted(stories) == sorted(STORIES)


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


RIGHT_PARTS = {
    "control-after-a-word": ["ju", "\x16", " ju", "\x16\x17", "mp"],
    "line-end-run-without-backtracking": ["a", "\n \n", "b", "\r\n \t\r\n", " c"],
    "line-ends-and-punctuation-grouped": ["\n", "A", " short", " line", ".\n\n", "###", " Heading", "\n"],
    "line-ends-in-a-row": ["first", "\n\n\n", "second", "\n\n\n\n\n", "third", "\n\n"],
    "long-s-in-a-contraction": ["'ſ", "tart", " it", "'ſ", " we", "'RE", " K", "'ll"],
    "next-line-inside-punctuation": ["!", "\x85x", " ?!", "\x85 \x85"],
    "numbers-of-two-blocks-only": list("y³") + list(" ¾ Ⅶ ٤٥ ३ ①"),
    "paragraph-separator-not-white-space": ["\u2029", " \ua3e4", "\u2028x"],
    "quote-joined-with-a-special-token": [
        "the",
        " reply",
        " may",
        " only",
        " be",
        " '",
        "<|im_end|>",
        "\n",
        "'",
        "[plain]",
        "\n",
    ],
    "separators-marks-and-numbers-by-the-engine": ["\x1c", "\t", "\x1f", " q", "\u0301x", " ", "²", " x", "\u20e3y"],
}
"""The parts that the pattern of Qwen makes; U+212A is a K before it is split, for NFC."""

RIGHT_TOKENS: dict[tuple[str, str], list[str]] = {
    ("byte-fallback-lost-in-conversion", "spm-unigram-bytes"): [
        "▁",
        "<0xE4>",
        "<0x80>",
        "<0x80>",
        "<0xE3>",
        "<0xBF>",
        "<0xBF>",
    ],
    ("bytes-in-the-notation-of-the-other-family", "bpe-gpt2"): ["Ã©", "Ã", "¿"],
    ("carriage-return-and-line-feed-as-one", "spm-bpe"): ["▁a", *["<0x0D>", "<0x0A>"], "b", *["<0x0D>", "<0x0A>"] * 2],
    ("fullwidth-tilde-folded-as-nfkc-does", "spm-unigram"): ["▁1", "～", "2", "▁", "～"],
    ("invalid-byte-taken-for-a-written-u-fffd", "spm-unigram"): ["▁a", "\ufffd"],
    ("length-of-a-character-from-its-lead-byte", "spm-bpe"): ["▁", "<0xEF>", "<0xBF>", "<0xBD>", "A"],
    ("length-of-a-character-past-the-end", "spm-bpe"): ["▁a", *["<0xEF>", "<0xBF>", "<0xBD>"] * 2],
    ("nul-not-a-character", "spm-bpe"): ["▁a", "<0x00>", "b", "<0x00>"],
    ("rstrip-without-effect", "bpe-qwen"): ["<rs>\n"],
    ("single-space-becomes-unknown", "spm-unigram"): [],
    ("space-run-kept-by-the-converted-model", "spm-bpe-hf"): ["<s>", "▁a", "▁▁▁▁", "b"],
    ("space-run-kept-by-the-converted-model", "spm-unigram"): ["▁a", "▁b"],
    ("two-dots-from-one-character", "spm-unigram"): ["▁a", ".", ".", "b"],
    ("unknown-neighbours-not-joined", "spm-unigram"): ["▁a", "\U00010380\U00010381", "▁", "\U00010382", "b"],
    ("written-u-fffd-kept", "spm-unigram"): ["▁a", "▁b"],
}
RIGHT_ADDED_TOKENS = {
    ("line-end-after-rstrip", "bpe-qwen"): ["<rs>\n ", "<rs-norm> \n", "[rs]  \n", "[plain]", "token_1", "token_1"],
    ("lstrip-without-effect", "bpe-gpt2"): [" <ls>"],
    ("only-special-ones-cut-out", "bpe-qwen"): ["  ", "  ", "  ", "  ", "[plain]"],
    ("quote-joined-with-a-special-token", "bpe-qwen"): ["<|im_end|>", "[plain]"],
    ("space-before-a-token-without-lstrip", "spm-unigram-hf"): ["[plain]", " [ls]", " <ls>", " [ls-rs] "],
    ("space-run-split-before-it-is-matched", "bpe-qwen"): ["  ", "  ", "  ", "  "],
    ("space-slipped-in-after-an-image-token", "bpe-qwen"): ["<|im_start|>", "<image>", "<|im_end|>", "<img>"],
    ("special-token-refused-in-plain-text", "bpe-gpt2"): ["<|endoftext|>"],
}
"""The added tokens that are cut out, each with the white space that it takes along."""
RIGHT_TEXTS = {
    ("all-sent-again-where-the-text-changes", "spm-bpe"): "aé\ufffda",
    ("all-sent-again-where-the-text-changes", "spm-bpe-hf"): "a\ufffd\ufffd\ufffda",
    ("border-of-tokens-inside-a-character", "bpe-gpt2"): "你a",
    ("byte-pieces-shown-as-written", "spm-bpe-hf"): "a爿a",
    ("characters-of-several-byte-pieces-missing", "spm-bpe"): "你好",
    ("leading-space-of-each-word-dropped", "spm-bpe"): "The the a!",
    ("nul-byte-not-decoded", "spm-bpe"): "\0a\0",
    ("piece-that-is-not-utf-8", "bpe-llama3"): "“a\ufffd",
    ("several-leading-space-marks", "spm-bpe"): " a",
    ("several-leading-space-marks", "spm-unigram"): "a",
    ("space-after-a-full-stop-lost", "spm-bpe-hf"): "a. a. the",
    ("space-run-with-one-space", "spm-bpe"): "  a.   a",
    ("special-token-without-text", "bpe-qwen"): "a<|im_end|>.",
    ("text-sent-again-after-a-cut-character", "bpe-qwen"): "A 世\ufffda\ufffdb",
    ("unknown-token-without-its-spaces", "spm-unigram"): "a ⁇ a ⁇ ",
    ("written-special-token-erased", "bpe-qwen"): "a<|im_end|>",
}
"""What the tokens decode to, special tokens kept."""
KEPT_TEXTS = [
    ("byte-pieces-in-text-shown-as-written", "spm-bpe"),
    ("bytes-turned-into-u-fffd-too-early", "bpe-gpt2"),
    ("bytes-turned-into-u-fffd-too-early", "spm-bpe"),
    ("ends-trimmed", "bpe-qwen"),
    ("long-space-token-without-text", "bpe-gpt2"),
    ("space-runs-in-text", "spm-bpe"),
    ("spaces-before-punctuation-cleaned", "bpe-llama3"),
    ("text-ends-at-nul", "bpe-gpt2"),
    ("unknown-instead-of-bytes", "spm-unigram-bytes"),
    ("written-u-fffd-withheld", "bpe-gpt2"),
]
"""Texts that these models keep as they are."""


@pytest.mark.parametrize("name", RIGHT_PARTS)
def test_the_pre_tokenizer_makes_the_right_parts(name: str) -> None:
    stages = load("bpe-qwen").trace(CASES[name]["text"]).stages
    (split,) = (stage for stage in stages if stage.component == "Split")
    assert [piece.text for piece in split.pieces] == RIGHT_PARTS[name]


@pytest.mark.parametrize(("name", "model"), RIGHT_TOKENS)
def test_the_tokens_are_right(name: str, model: str) -> None:
    case = CASES[name]
    text = bytes.fromhex(case["bytes_hex"]) if "bytes_hex" in case else case["text"]
    assert list(load(model).encode(text).tokens) == RIGHT_TOKENS[name, model]


@pytest.mark.parametrize(("name", "model"), RIGHT_ADDED_TOKENS)
def test_the_right_added_tokens_are_cut_out(name: str, model: str) -> None:
    tokenizer, text = load(model), CASES[name]["text"]
    contents = tokenizer.rules.added_tokens.contents
    found = tokenizer.encode(text, add_special_tokens=False).tokens
    assert [token for token in found if token in contents or token.strip() in contents] == RIGHT_ADDED_TOKENS[
        name, model
    ]


@pytest.mark.parametrize(("name", "model"), RIGHT_TEXTS)
def test_the_decoded_text_is_right(name: str, model: str) -> None:
    ids = ids_of(model, CASES[name]["tokens"])
    assert ids is not None
    assert load(model).decode(ids, skip_special_tokens=False) == RIGHT_TEXTS[name, model]


@pytest.mark.parametrize(("name", "model"), KEPT_TEXTS)
def test_the_text_comes_back(name: str, model: str) -> None:
    tokenizer, text = load(model), CASES[name]["text"]
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.skipif(REAL_MODELS is None, reason="REFTOK_MODELS is not set")
def test_scores_and_ranks_give_the_published_ids() -> None:
    assert REAL_MODELS is not None
    text = CASES["scores-lost-in-conversion"]["text"]
    assert load(Path(REAL_MODELS) / "qwen3").encode_ids(text) == [108386, 3837, 99489, 6313]
