"""A model gives for a pre-token in chunks what it gives for the whole, wherever it is cut, and gives it early."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ReftokError
from reftok.fast.known_models import word_model
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, Piece, PieceTable, PieceType
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.stages import Model
from reftok.streams.cuts.models import model_parts
from reftok.streams.stages import Tokenizing

UNKNOWN = Piece("<unk>", 0.0, PieceType.UNKNOWN)


def whole(model: Model, text: str) -> list[int] | None:
    try:
        return [token.id for token in model.tokenize(text)]
    except ReftokError:
        return None


def given_after(model: Model, chunks: Sequence[str]) -> list[list[int]]:
    """The ids that have been given after each chunk, and at the end."""
    stage = Tokenizing(model_parts(word_model(model), lambda word: [token.id for token in model.tokenize(word)]))
    ids: list[int] = []
    after: list[list[int]] = []
    for item in (*filter(None, chunks), None):
        ids += [found for found in stage.take([item]) if isinstance(found, int)]
        after.append([*ids])
    return after


def check(model: Model, text: str, places: Sequence[int] = ()) -> None:
    expected = whole(model, text)
    bounds = [0, *sorted({place for place in places if place < len(text)}), len(text)]
    for chunks in ([*text], [text[start:end] for start, end in pairwise(bounds)]):
        try:
            assert given_after(model, chunks)[-1] == expected, chunks
        except ReftokError:
            assert expected is None


@settings(max_examples=300)
@given(
    st.dictionaries(
        st.text("ab<x>", min_size=1, max_size=4),
        st.sampled_from([-1.0, -2.0, -0.5, 0.0, -3.3, 1.25]),
        min_size=1,
        max_size=9,
    ),
    st.booleans(),
    st.lists(st.sampled_from(["<x>", *"aabéx"]), max_size=12).map("".join),
    st.lists(st.integers(1, 12), max_size=6),
)
def test_a_unigram_whose_unknown_characters_may_be_bytes_and_its_unknown_piece_in_the_text(
    pieces: dict[str, float], falls_back: bool, text: str, places: list[int]
) -> None:
    byte_pieces = dict.fromkeys(BYTE_PIECES, -9.0) if falls_back else {}
    check(Unigram([*({"<x>": 0.0} | pieces | byte_pieces).items()], 0, falls_back), text, places)


@pytest.mark.parametrize("scale", [0.01, 10.0, 5_000.0, 60_000.0, 90_000.0, 1e9, 1e37])
def test_sums_are_those_of_float32_over_the_whole_text(scale: float) -> None:
    generator = random.Random(1)
    pieces = {"".join(generator.choices("abc▁", k=generator.randrange(1, 6))) for _ in range(60)}
    scored = [Piece(piece, -scale * generator.random()) for piece in sorted(pieces)]
    text = "".join(generator.choices("aabbcc▁▁x", k=900))
    check(SentencePieceUnigram(PieceTable([UNKNOWN, *scored])), text, generator.sample(range(900), 200))


def test_scores_are_taken_off_at_a_place_that_no_path_to_the_end_goes_through() -> None:
    """Fault: the rest began behind the start of a piece that spans its beginning, whose score was taken off."""
    scores = {"b": -60_000.0, "bb": -80_000.0, "aa": -21_125.3, "babb": -70_000.0, "bab": -20_000.0}
    pieces = [UNKNOWN, *(Piece(*item) for item in scores.items())]
    check(SentencePieceUnigram(PieceTable(pieces)), "bb" + "a" * 237 + "bbabbbabaaa", range(1, 240, 7))


def test_bytes_that_are_not_utf8_take_those_behind_them_into_a_symbol() -> None:
    tokens = {"a": 0, "b": 1, "ab": 2} | {piece: 3 + byte for byte, piece in enumerate(BYTE_PIECES)}
    check(LlamaSPM(tokens, [0.0] * 259), "abab\udce2abé\udcffab", [2, 5])


@pytest.mark.parametrize("options", [BPEOptions(ignore_merges=True), BPEOptions(end_of_word_suffix="b"), BPEOptions()])
def test_a_part_of_a_word_is_no_word(options: BPEOptions) -> None:
    check(BPE({"a": 0, "b": 1, "ab": 2, "bb": 3, "abb": 4}, [("a", "b"), ("b", "b")], options), "abababbab", [2, 3, 7])


def test_what_is_settled_is_given_at_once() -> None:
    pieces = PieceTable([UNKNOWN, *(Piece(piece, -1.0) for piece in ("a", "b", "ab", "▁c"))])
    assert given_after(SentencePieceUnigram(pieces), ["ab▁c", "a", "x"]) == [[3, 4], [3, 4], [3, 4, 1, 0], [3, 4, 1, 0]]
    assert given_after(SentencePieceBPE(pieces), ["ab▁c", "a", "x"]) == [[3], [3, 4], [3, 4, 1], [3, 4, 1, 0]]


def test_a_run_of_unknown_characters_is_one_id_across_chunks() -> None:
    for model in (SentencePieceUnigram(PieceTable([UNKNOWN, Piece("a", -1.0)])), Unigram([("?", 0.0), ("a", -1.0)], 0)):
        assert given_after(model, ["axx", "y", "ya"])[-1] == [1, 0, 1]
