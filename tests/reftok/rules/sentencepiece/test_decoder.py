from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.rules.sentencepiece.decoder import SentencePieceDecoder, decode_bytes
from reftok.rules.sentencepiece.pieces import PieceType

from ...protobuf_writer import UNKNOWN, Value, byte_pieces, compile_charsmap, model_bytes
from ...sentencepiece_strategies import load_both, models, official_surfaces

PIECES = [
    UNKNOWN,
    ("<s>", 0.0, PieceType.CONTROL),
    ("▁", -1.0, PieceType.NORMAL),
    ("▁a", -1.0, PieceType.NORMAL),
    ("▁▁b▁", -1.0, PieceType.UNUSED),
    ("▁sep", -1.0, PieceType.USER_DEFINED),
    *byte_pieces(),
]


def decode_both(
    pieces: list[str],
    trainer: dict[int, Value] | None = None,
    normalizer: dict[int, Value] | None = None,
    denormalizer: dict[int, Value] | None = None,
) -> str:
    data = model_bytes(PIECES, trainer={35: True} | (trainer or {}), normalizer=normalizer, denormalizer=denormalizer)
    tokenizer, official = load_both(data)
    assert tokenizer.rules.decoders is not None
    decoded = "".join(tokenizer.rules.decoders[0].decode_chain(pieces))
    assert decoded == official.Decode(pieces)
    return decoded


@given(
    models(),
    st.lists(st.one_of(st.text("ab▁é中", min_size=1, max_size=3), st.sampled_from(PIECES).map(lambda p: p[0]))),
)
def test_pieces_decode_as_in_the_official_library(data: bytes, pieces: list[str]) -> None:
    tokenizer, official = load_both(data)
    assert tokenizer.rules.decoders is not None
    assert "".join(tokenizer.rules.decoders[0].decode_chain(pieces)) == (official.Decode(pieces) if pieces else "")


def test_control_pieces_vanish() -> None:
    assert decode_both(["<s>", "▁a", "<s>", "▁a"]) == "a a"


@pytest.mark.parametrize("surface", [" ⁇ ", "", "▁?", "é\0"])
def test_the_unknown_piece_is_written_as_the_file_says(surface: str) -> None:
    assert decode_both(["▁a", "<unk>", "<unk>"], trainer={44: surface}) == "a" + surface * 2


def test_the_unknown_piece_is_a_double_question_mark_unless_the_file_says_otherwise() -> None:
    assert decode_both(["▁a", "<unk>"]) == "a ⁇ "


def test_a_piece_outside_the_vocab_is_copied() -> None:
    assert decode_both(["▁zzz", "▁a", "zz▁"]) == "▁zzz azz▁"


@pytest.mark.parametrize("first", [["▁"], ["▁", "▁"], ["<s>", "▁", "<s>", "▁a"], ["▁▁b▁"], ["<0x20>"], ["<unk>"]])
def test_leading_spaces_are_stripped_once_or_as_long_as_there_is_no_text(first: list[str]) -> None:
    for flags in itertools.product([False, True], repeat=2):
        for surface in ("", "?"):
            decode_both([*first, "▁a", "▁sep"], trainer={44: surface}, normalizer={3: flags[0], 4: flags[1]})


def test_each_piece_loses_one_space_only() -> None:
    assert decode_both(["▁▁b▁", "▁a"]) == " b  a"


def test_a_run_of_bytes_is_decoded_with_one_replacement_for_each_stray_byte() -> None:
    run = ["<0xC3>", "<0xA9>", "<0xE4>", "<0xBD>", "<0x41>", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0xED>", "<0xA0>"]
    assert decode_both(run) == "é\ufffd\ufffdA😀\ufffd\ufffd"
    assert decode_both(["<0xC3>", "<s>", "<0xA9>"]) == "\ufffd\ufffd"


@given(st.binary(max_size=12))
def test_there_is_one_text_for_each_byte(run: bytes) -> None:
    assert len(decode_bytes(run)) == len(run)


def test_the_denormalizer_rewrites_the_whole_text() -> None:
    rules = {"a s": "A-S", "?": ""}
    spec: dict[int, Value] = {2: compile_charsmap(rules), 3: False, 4: False, 5: False}
    assert decode_both(["▁a", "▁sep", "<unk>"], trainer={44: "?"}, denormalizer=spec) == "A-Sep"
    assert decode_both(["▁a", "▁sep"], denormalizer={2: compile_charsmap(rules)}) == "▁A-Sep"


def test_a_denormalizer_without_a_charsmap_does_nothing() -> None:
    assert decode_both(["▁a", "▁sep"], denormalizer={3: True}) == "a sep"


@given(models(), st.lists(st.integers(0, 300), max_size=12))
def test_each_piece_has_the_text_that_the_library_gives_it(data: bytes, numbers: list[int]) -> None:
    tokenizer, official = load_both(data)
    decoder = tokenizer.rules.decoders[0] if tokenizer.rules.decoders else None
    assert isinstance(decoder, SentencePieceDecoder)
    ids = [number % official.GetPieceSize() for number in numbers]
    pieces = [official.IdToPiece(token_id) for token_id in ids]
    if decoder.denormalizer is None:
        assert decoder.decode_chain(pieces) == official_surfaces(official, ids)
