from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reftok import Tokenizer
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.sentencepiece.pieces import PieceType

from ...protobuf_writer import UNKNOWN, byte_pieces, compile_charsmap, model_bytes
from ...sentencepiece_strategies import load_both, models
from ..decoding import assert_streams, certain_text

PIECES = [
    UNKNOWN,
    ("<s>", 0.0, PieceType.CONTROL),
    ("▁", -1.0, PieceType.NORMAL),
    ("▁a", -1.0, PieceType.NORMAL),
    ("é", -1.0, PieceType.NORMAL),
    ("▁▁b▁", -1.0, PieceType.UNUSED),
    ("�", -1.0, PieceType.NORMAL),
    *byte_pieces(),
]
BYTE_0 = len(PIECES) - 256
BYTES = [BYTE_0 + byte for byte in (0x41, 0x80, 0xA9, 0xC3, 0xE4, 0xBD, 0xA0, 0xED, 0xF0, 0x9F, 0x98, 0x81, 0xFF)]


@settings(max_examples=100)
@given(models(), st.data())
def test_the_texts_are_together_what_the_library_decodes(data: bytes, draw: st.DataObject) -> None:
    tokenizer, official = load_both(data)
    size = official.GetPieceSize()
    lists = st.lists(st.integers(0, size - 1) | st.integers(max(0, size - 256), size - 1), max_size=8)
    ids = draw.draw(lists)
    given = assert_streams(tokenizer, ids, [(), draw.draw(lists), draw.draw(lists)])
    assert "".join(given) == (official.Decode(ids) if ids else "")


@settings(max_examples=200)
@given(st.booleans(), st.booleans(), st.lists(st.integers(0, BYTE_0 - 1) | st.sampled_from(BYTES), max_size=8))
def test_nothing_but_the_bytes_of_an_open_character_is_held(dummy: bool, extra: bool, ids: list[int]) -> None:
    model = model_bytes(PIECES, trainer={35: True}, normalizer={3: dummy, 4: extra})
    tokenizer = Tokenizer(read_sentencepiece_model(model, "test.model"))
    decoder = tokenizer.stream_decoder()
    continuations = [(), (BYTE_0 + 0x41,), *((BYTE_0 + byte,) for byte in (0x80, 0x90, 0xA0, 0xBF))]
    continuations += [(*first, BYTE_0 + 0x80, *rest) for first in continuations[2:] for rest in ((), (BYTE_0 + 0x80,))]
    assert decoder.feed_all(ids) == certain_text(tokenizer, ids, continuations)
    assert decoder.held == len(decoder.pending_bytes) <= 3


def test_a_piece_behind_a_byte_is_not_at_the_start_and_keeps_its_space() -> None:
    tokenizer = Tokenizer(read_sentencepiece_model(model_bytes(PIECES, trainer={35: True}), "test.model"))
    assert assert_streams(tokenizer, [BYTE_0 + 0x41, 3, 3]) == ["A", " a", " a", ""]
    assert assert_streams(tokenizer, [1, 3, BYTE_0 + 0xC3, 3]) == ["", "a", "", "� a", ""]


def test_a_denormalizer_holds_what_its_rules_may_still_change() -> None:
    rules = compile_charsmap({"a": "A", "ab": "[ab]"})
    pieces = [UNKNOWN, ("a", -1.0, PieceType.NORMAL), ("b", -1.0, PieceType.NORMAL)]
    denormalizer = {2: rules, 3: False, 4: False, 5: False}
    tokenizer = Tokenizer(read_sentencepiece_model(model_bytes(pieces, denormalizer=denormalizer), "test.model"))
    given = assert_streams(tokenizer, [1, 1, 2, 2, 1], [(), (1,), (2,)])
    assert (given[0], "".join(given[:4]), given[5]) == ("", "A[ab]b", "A")
    decoder = tokenizer.stream_decoder()
    assert decoder.feed(1) == ""
    assert decoder.held == 1
