"""Each model of tokenizer.json, made of pieces of the corpora, on their lines: encoded and decoded."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from conformance.inputs.corpora import corpus_files, read_corpus

from ...official import (
    Json,
    added,
    as_lists,
    bpe,
    official,
    official_encoding,
    own,
    tokenizer_json,
    unigram,
    wordlevel,
    wordpiece,
)

LINES_OF_A_FILE = 6
LONGEST = 400
SPECIAL = "[SEP]"


@cache
def lines() -> tuple[str, ...]:
    """Some lines of every language and edge case, and some of them with a special token within."""
    texts: list[str] = []
    for path in corpus_files(("languages", "edge_cases")):
        found = [case.readable_text for case in read_corpus(path)]
        texts += found[:: max(1, len(found) // LINES_OF_A_FILE)]
        texts.append(SPECIAL.join(texts[-2:]))
    return tuple(text[:LONGEST] for text in texts)


@cache
def frequent(kind: str) -> tuple[str, ...]:
    """The most frequent characters, words, beginnings of words or parts within words of the lines."""
    words = [word for line in lines() for word in line.split()]
    match kind:
        case "characters":
            found = Counter(character for word in words for character in word)
        case "words":
            found = Counter(words)
        case "beginnings":
            found = Counter(word[:end] for word in words for end in range(1, 5))
        case _:
            found = Counter(word[i : i + size] for word in words for size in (2, 3) for i in range(1, len(word)))
    return tuple(text for text, _ in found.most_common(1500))


def bpe_of_the_corpora(**options: object) -> Json:
    """Characters and merges of two of them, the most frequent first; rare characters are unknown or bytes."""
    characters = frequent("characters")[:300]
    pairs = Counter(pair for word in frequent("words") for pair in pairwise(word) if {*pair} <= {*characters})
    merges = [pair for pair, _ in pairs.most_common(500)]
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = list(dict.fromkeys(["<unk>", *characters, *map("".join, merges), *byte_tokens]))
    return bpe(vocab, merges, unk_token="<unk>", **options)


def unigram_of_the_corpora() -> Json:
    pieces = dict.fromkeys([*frequent("characters")[:300], *frequent("beginnings"), *frequent("parts")])
    scored = [(piece, -1.1 - index / 7) for index, piece in enumerate(pieces)]
    return unigram(("<unk>", 0.0), *scored)


def wordpiece_of_the_corpora() -> Json:
    parts = [*frequent("characters")[:600], *frequent("parts")]
    return wordpiece(dict.fromkeys(["[UNK]", *frequent("beginnings"), *[f"##{part}" for part in parts]]))


CASES: dict[str, tuple[Json, Json]] = {
    "bpe": (bpe_of_the_corpora(fuse_unk=True), {"type": "Fuse"}),
    "bpe-bytes": (bpe_of_the_corpora(byte_fallback=True), {"type": "ByteFallback"}),
    "unigram": (unigram_of_the_corpora(), {"type": "BPEDecoder", "suffix": "e"}),
    "wordpiece": (wordpiece_of_the_corpora(), {"type": "WordPiece", "prefix": "##", "cleanup": True}),
    "wordlevel": (
        wordlevel(["<unk>", *frequent("words")]),
        {"type": "CTC", "pad_token": "the", "word_delimiter_token": "a", "cleanup": True},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_lines_of_the_corpora_are_encoded_and_decoded_as_by_the_library(case: str) -> None:
    model, decoder = CASES[case]
    config = tokenizer_json(
        model, [added(SPECIAL, special=True)], pre_tokenizer={"type": "WhitespaceSplit"}, decoder=decoder
    )
    ours, theirs = own(config), official(config)
    assert len(lines()) > 400
    for text in lines():
        expected = official_encoding(theirs, text)
        assert as_lists(ours.encode(text)) == as_lists(expected), text
        for skip in (False, True):
            assert ours.decode(expected.ids, skip) == theirs.decode(expected.ids, skip_special_tokens=skip), text
