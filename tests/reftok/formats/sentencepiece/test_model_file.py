from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from reftok import Tokenizer
from reftok.errors import InvalidIds, InvalidText, ModelFormatError, ReftokError, UnsupportedFeature
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.sentencepiece.pieces import PieceType

from ...protobuf_writer import (
    BPE,
    CHAR,
    UNIGRAM,
    UNKNOWN,
    WORD,
    byte_pieces,
    encode_field,
    message,
    model_bytes,
    piece_message,
)
from ...sentencepiece_strategies import inputs, load_both, models, official_encoding, own_encoding

NORMAL, CONTROL, USER_DEFINED, UNUSED, BYTE = (
    PieceType.NORMAL,
    PieceType.CONTROL,
    PieceType.USER_DEFINED,
    PieceType.UNUSED,
    PieceType.BYTE,
)
A = ("a", -1.0, NORMAL)
SMALL = model_bytes([UNKNOWN, A, ("▁a", -2.0, NORMAL), ("▁", -3.0, NORMAL)])


def official_refuses(data: bytes) -> bool:
    try:
        SentencePieceProcessor(model_proto=data)
    except RuntimeError:
        return True
    return False


def pieces_of_bytes(*more: tuple[str, float, PieceType]) -> bytes:
    return model_bytes([UNKNOWN, A, *more, *byte_pieces()], trainer={35: True})


REFUSED: dict[str, Callable[[], bytes]] = {
    "no unknown piece": lambda: model_bytes([A]),
    "two unknown pieces": lambda: model_bytes([UNKNOWN, ("u", 0.0, PieceType.UNKNOWN), A]),
    "an empty piece": lambda: model_bytes([UNKNOWN, A, ("", 0.0, NORMAL)]),
    "a piece with NUL": lambda: model_bytes([UNKNOWN, A, ("b\0", 0.0, NORMAL)]),
    "a piece of 8000 bytes": lambda: model_bytes([UNKNOWN, A, ("b" * 8000, 0.0, NORMAL)]),
    "the same piece twice": lambda: model_bytes([UNKNOWN, A, A]),
    "the same control piece twice": lambda: model_bytes([UNKNOWN, A, ("<s>", 0.0, CONTROL), ("<s>", 0.0, CONTROL)]),
    "a byte piece without byte_fallback": lambda: model_bytes([UNKNOWN, A, ("<0x41>", 0.0, BYTE)]),
    "a byte piece that names no byte": lambda: pieces_of_bytes(("<0xZZ>", 0.0, BYTE)),
    "byte_fallback with a byte missing": lambda: model_bytes([UNKNOWN, A, *byte_pieces()[1:]], trainer={35: True}),
    "unigram without pieces for text": lambda: model_bytes([UNKNOWN]),
    "unigram with an infinite score": lambda: model_bytes([UNKNOWN, A, ("b", float("inf"), NORMAL)]),
    "unigram with a score that is no number": lambda: model_bytes([UNKNOWN, A, ("b", float("nan"), NORMAL)]),
    "a charsmap that is cut off": lambda: model_bytes([UNKNOWN, A], normalizer={2: b"\0\4\0\0ab"}),
    "a charsmap of the wrong size": lambda: model_bytes([UNKNOWN, A], normalizer={2: b"\4\0\0\0" + bytes(12)}),
    "a charsmap whose trie has no root": lambda: model_bytes([UNKNOWN, A], normalizer={2: b"\0\4\0\0" + bytes(1028)}),
    "a charsmap that does not end with NUL": lambda: model_bytes(
        [UNKNOWN, A], normalizer={2: b"\0\4\0\0" + bytes(1024) + b"a"}
    ),
    "a broken denormalizer": lambda: model_bytes([UNKNOWN, A], denormalizer={2: b"\0\4\0\0" + bytes(1028)}),
    "a piece that is cut off": lambda: SMALL[:9],
    "a tag of six bytes": lambda: SMALL + b"\x92\x80\x80\x80\x80\x00\x02\x18\x02",
    "a length of six bytes": lambda: SMALL + b"\x12\x82\x80\x80\x80\x80\x00\x18\x02",
    "a varint of eleven bytes": lambda: SMALL + encode_field(2, b"\x18" + b"\x80" * 10 + b"\x00"),
    "the end of a group without its start": lambda: SMALL + bytes([9 << 3 | 4]),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_what_the_library_refuses_is_refused(data: Callable[[], bytes]) -> None:
    assert official_refuses(data())
    with pytest.raises(ModelFormatError, match=r"test\.model"):
        read_sentencepiece_model(data(), "test.model")


LONG = [(str(digit) * 7990, -1.0, NORMAL) for digit in range(3)]
UNSUPPORTED: dict[str, tuple[bytes, str]] = {
    "a field of ModelProto": (SMALL + encode_field(6, 1), "field 6 of ModelProto"),
    "an extension": (SMALL + encode_field(200, 1), "field 200 of ModelProto"),
    "a field of TrainerSpec": (model_bytes([UNKNOWN, A], trainer={99: 1}), "trainer_spec: field 99"),
    "a field of NormalizerSpec": (model_bytes([UNKNOWN, A], normalizer={9: 1}), "normalizer_spec: field 9"),
    "a field of a piece": (SMALL + encode_field(1, message([(1, "x"), (4, 1)])), r"pieces\[4\]: field 4"),
    "a type of piece": (SMALL + encode_field(1, message([(1, "x"), (3, 7)])), r"pieces\[4\].type: 7"),
    "a wire type of ModelProto": (SMALL + encode_field(2, 1), "field 2 of ModelProto is not a message"),
    "a wire type of a piece": (SMALL + encode_field(1, message([(1, 1)])), r"pieces\[4\].piece: wire type 0"),
    "a model type": (model_bytes([UNKNOWN, A], 5), "model_type: 5"),
    "a piece that is not UTF-8": (SMALL + encode_field(1, piece_message(b"\xff")), r"pieces\[4\].piece: is not UTF-8"),
    "a piece that is text and control": (model_bytes([UNKNOWN, A, ("a", 0.0, CONTROL)]), "is piece 1 already"),
    "a group": (SMALL + bytes([9 << 3 | 3, 9 << 3 | 4]), "field 9 is a group"),
}


@pytest.mark.parametrize(("data", "message"), UNSUPPORTED.values(), ids=UNSUPPORTED.keys())
def test_what_the_schema_does_not_know_is_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(UnsupportedFeature, match=message):
        read_sentencepiece_model(data, "test.model")


@pytest.mark.parametrize("number", [*range(4, 8), *range(10, 24), 25, 26, 30, 31, 36, 40, 43, 45, 49, 50, 54, 55])
def test_the_fields_of_training_are_left_alone(number: int) -> None:
    rules = read_sentencepiece_model(model_bytes([UNKNOWN, A], trainer={number: b"x"}), "test.model")
    assert rules.model.vocab == {"<unk>": 0, "a": 1}


def test_self_test_data_is_left_alone() -> None:
    tokenizer, official = load_both(SMALL + encode_field(4, encode_field(1, encode_field(1, "a"))))
    assert tokenizer.encode_ids("a") == official.Encode("a") == [2]


def test_a_message_that_comes_twice_is_merged_and_the_last_value_counts() -> None:
    data = SMALL + encode_field(3, message([(3, False)])) + encode_field(3, message([(4, False)]))
    tokenizer, official = load_both(data)
    assert tokenizer.encode_ids(" a") == official.Encode(" a") == [2]
    assert tokenizer.encode_ids("a") == official.Encode("a") == [1]


def test_the_model_type_is_unigram_unless_the_file_names_another() -> None:
    data = encode_field(1, piece_message(*UNKNOWN)) + encode_field(1, piece_message(*A))
    tokenizer, official = load_both(data)
    assert type(tokenizer.rules.model).__name__ == "SentencePieceUnigram"
    assert tokenizer.encode_ids("aa") == official.Encode("aa")


@pytest.mark.parametrize("model_type", [UNIGRAM, BPE, WORD, CHAR])
def test_without_an_unknown_piece_everything_falls_back_to_bytes(model_type: int) -> None:
    tokenizer, official = load_both(model_bytes([A, *byte_pieces()], model_type, trainer={35: True}))
    assert own_encoding(tokenizer, "aé a") == official_encoding(official, "aé a")
    assert tokenizer.id_to_token(-1) is None


@pytest.mark.parametrize("piece_type", [NORMAL, UNUSED, CONTROL])
@pytest.mark.parametrize("model_type", [UNIGRAM, BPE])
def test_a_nul_piece_counts_as_unused_where_bytes_fall_back(piece_type: PieceType, model_type: int) -> None:
    pieces = [UNKNOWN, ("\0", -50.0, piece_type), ("\0", -60.0, piece_type), A, *byte_pieces()]
    tokenizer, official = load_both(model_bytes(pieces, model_type, trainer={35: True}))
    assert own_encoding(tokenizer, "a\0é") == official_encoding(official, "a\0é")
    assert tokenizer.decode([1, 3, 2]) == official.Decode([1, 3, 2]) == "\0a\0"


def test_a_lone_surrogate_is_refused_as_the_library_does() -> None:
    tokenizer, official = load_both(SMALL)
    with pytest.raises(InvalidText):
        tokenizer.encode("a\ud800")
    with pytest.raises((RuntimeError, TypeError)):
        official.Encode("a\ud800")


@pytest.mark.parametrize("token_id", [-1, 4])
def test_an_id_outside_the_vocab_is_refused_as_the_library_does(token_id: int) -> None:
    tokenizer, official = load_both(SMALL)
    with pytest.raises(InvalidIds):
        tokenizer.decode([token_id])
    with pytest.raises(IndexError):
        official.Decode([token_id])


@given(models(), st.integers(0, 10**6), st.binary(max_size=3), inputs)
def test_a_mutated_model_is_refused_or_the_same_in_both(
    data: bytes, place: int, change: bytes, text: str | bytes
) -> None:
    place %= len(data)
    mutated = data[:place] + change + data[place + len(change) :]
    try:
        tokenizer = Tokenizer(read_sentencepiece_model(mutated, "test.model"))
        encoding = own_encoding(tokenizer, text)
    except ReftokError:
        return
    assert encoding == official_encoding(SentencePieceProcessor(model_proto=mutated), text)


@pytest.mark.parametrize("last", [0, 1, 2, 0x7E, 0x7F])
def test_of_an_overlong_varint_the_library_keeps_the_lower_bits(last: int) -> None:
    pieces = [UNKNOWN, A, ("b", -1.0, NORMAL), ("ab", -3.0, NORMAL)]
    data = model_bytes(pieces) + encode_field(3, b"\x18" + b"\x80" * 9 + bytes([last]))
    data += encode_field(2, b"\x98\x80\x80\x80\x10\x82\x80\x80\x80\x70")
    tokenizer, official = load_both(data)
    assert own_encoding(tokenizer, "ab ab") == official_encoding(official, "ab ab")
    assert type(tokenizer.rules.model).__name__ == "SentencePieceBPE"


def test_long_pieces_take_memory_and_time_in_proportion() -> None:
    tokenizer, official = load_both(model_bytes([UNKNOWN, *LONG]))
    for text in ("0" * 1000, "12" * 50, "2" * 200):
        assert own_encoding(tokenizer, text) == official_encoding(official, text)
    assert list(tokenizer.rules.encode("0" * 7990).ids) == official.Encode("0" * 7990)


LONG_SYMBOLS = [(f"{number:02}" * 3995, -1.0, USER_DEFINED) for number in range(20)]


def test_long_symbols_take_memory_and_time_in_proportion() -> None:
    data = model_bytes([UNKNOWN, A, *LONG_SYMBOLS], BPE, normalizer={3: False})
    texts = ["01" * 3994, "01" * 3995, f"a{'19' * 3995}a{'00' * 3996}", "0" * 9000]
    tracemalloc.start()
    tokenizer = Tokenizer(read_sentencepiece_model(data, "test.model"))
    streamed = [list(tokenizer.encode_iterable([text[:5000], text[5000:]])) for text in texts]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(data)
    official = SentencePieceProcessor(model_proto=data)
    assert [own_encoding(tokenizer, text) for text in texts] == [official_encoding(official, text) for text in texts]
    assert streamed == [official.Encode(text) for text in texts]


@pytest.mark.parametrize("data", [SMALL, model_bytes([UNKNOWN, A], BPE, trainer={44: "?"}, normalizer={3: False})])
def test_a_model_that_ends_early_is_refused_or_the_same_in_both(data: bytes) -> None:
    for end in range(1, len(data)):
        if official_refuses(data[:end]):
            with pytest.raises(ModelFormatError):
                read_sentencepiece_model(data[:end], "test.model")
        else:
            tokenizer, official = load_both(data[:end])
            assert own_encoding(tokenizer, "a ab") == official_encoding(official, "a ab")
