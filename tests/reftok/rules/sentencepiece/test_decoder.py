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


RUN = [f"<0x{byte}>" for byte in ("C3", "A9", "E4", "BD", "41", "F0", "9F", "98", "80", "ED", "A0")]
CHANGES = compile_charsmap({"a s": "A-S", "?": ""})
DECODED: dict[str, tuple[list[str], str, dict[str, dict[int, Value]]]] = {
    "control pieces vanish": (["<s>", "▁a", "<s>", "▁a"], "a a", {}),
    "the unknown piece is a double question mark": (["▁a", "<unk>"], "a ⁇ ", {}),
    "or what the file says": (["▁a", "<unk>", "<unk>"], "a▁?▁?", {"trainer": {44: "▁?"}}),
    "or nothing": (["▁a", "<unk>", "<unk>"], "a", {"trainer": {44: ""}}),
    "or NUL": (["▁a", "<unk>", "<unk>"], "aé\0é\0", {"trainer": {44: "é\0"}}),
    "a piece outside the vocab is copied": (["▁zzz", "▁a", "zz▁"], "▁zzz azz▁", {}),
    "each piece loses one space only": (["▁▁b▁", "▁a"], " b  a", {}),
    "a run of bytes has one replacement for each stray byte": (RUN, "é\ufffd\ufffdA😀\ufffd\ufffd", {}),
    "a control piece ends it": (["<0xC3>", "<s>", "<0xA9>"], "\ufffd\ufffd", {}),
    "the denormalizer rewrites the whole text": (
        ["▁a", "▁sep", "<unk>"], "A-Sep",
        {"trainer": {44: "?"}, "denormalizer": {2: CHANGES, 3: False, 4: False, 5: False}},
    ),
    "with its options": (["▁a", "▁sep"], "▁A-Sep", {"denormalizer": {2: CHANGES}}),
    "without a charsmap it does nothing": (["▁a", "▁sep"], "a sep", {"denormalizer": {3: True}}),
}  # fmt: skip
"""By what they show: pieces, their text, and the specs of the model."""


@pytest.mark.parametrize("name", DECODED)
def test_pieces_have_the_text_of_the_library(name: str) -> None:
    pieces, text, specs = DECODED[name]
    assert decode_both(pieces, **specs) == text


@pytest.mark.parametrize("first", [["▁"], ["▁", "▁"], ["<s>", "▁", "<s>", "▁a"], ["▁▁b▁"], ["<0x20>"], ["<unk>"]])
def test_leading_spaces_are_stripped_once_or_as_long_as_there_is_no_text(first: list[str]) -> None:
    for flags in itertools.product([False, True], repeat=2):
        for surface in ("", "?"):
            decode_both([*first, "▁a", "▁sep"], trainer={44: surface}, normalizer={3: flags[0], 4: flags[1]})


@given(st.binary(max_size=12))
def test_there_is_one_text_for_each_byte(run: bytes) -> None:
    assert len(decode_bytes(run)) == len(run)


@given(models(), st.lists(st.integers(0, 300), max_size=12))
def test_each_piece_has_the_text_that_the_library_gives_it(data: bytes, numbers: list[int]) -> None:
    tokenizer, official = load_both(data)
    decoder = tokenizer.rules.decoders[0] if tokenizer.rules.decoders else None
    assert isinstance(decoder, SentencePieceDecoder)
    ids = [number % official.GetPieceSize() for number in numbers]
    pieces = [official.IdToPiece(token_id) for token_id in ids]
    if decoder.denormalizer is None:
        assert decoder.decode_chain(pieces) == official_surfaces(official, ids)
