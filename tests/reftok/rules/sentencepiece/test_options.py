from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from sentencepiece import SentencePieceProcessor

from reftok.errors import UnsupportedFeature
from reftok.rules.encodings import end_to_end, numbered
from reftok.rules.sentencepiece.options import SentencePieceOptions, apply_options
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType
from reftok.rules.types import Encoding
from reftok.tokenizer import Tokenizer

from ...official import bpe, outcome, own, tokenizer_json
from ...protobuf_writer import BPE, UNKNOWN, PieceTuple, Value, byte_pieces, model_bytes
from ...sentencepiece_strategies import OPTION_NAMES, inputs, load_both, models

CONTROL, NORMAL, UNUSED = PieceType.CONTROL, PieceType.NORMAL, PieceType.UNUSED
PIECES = [("a", -1.0, NORMAL), ("</s>", 0.0, CONTROL), ("<s>", 0.0, CONTROL), ("b", -1.0, NORMAL), UNKNOWN]
EVERY_COMBINATION = [dict(zip(OPTION_NAMES, flags, strict=True)) for flags in product([False, True], repeat=4)]


def table_of(tokenizer: Tokenizer) -> PieceTable:
    table = vars(tokenizer.rules.model)["table"]
    assert isinstance(table, PieceTable)
    return table


def encoded(tokenizer: Tokenizer, text: str | bytes, **options: bool) -> Encoding:
    return tokenizer.with_options(sentencepiece_options=SentencePieceOptions(**options)).encode(text)


def encoded_ids(tokenizer: Tokenizer, text: str | bytes, **options: bool) -> list[int]:
    return tokenizer.with_options(sentencepiece_options=SentencePieceOptions(**options)).encode_ids(text)


def assert_same(
    tokenizer: Tokenizer, official: SentencePieceProcessor, text: str | bytes, options: dict[str, bool]
) -> None:
    pieces = outcome(lambda: official.Encode(text, return_type=str, **options))
    ids = outcome(lambda: official.Encode(text, return_type=int, **options))
    assert outcome(lambda: list(encoded(tokenizer, text, **options).tokens)) == pieces
    assert outcome(lambda: encoded_ids(tokenizer, text, **options)) == ids
    if pieces != "refused":
        assert list(encoded(tokenizer, text, **options).ids) == ids


@settings(max_examples=60)
@given(models(), inputs)
def test_every_combination_of_options_is_as_in_the_official_library(data: bytes, text: str | bytes) -> None:
    tokenizer, official = load_both(data)
    table = table_of(tokenizer)
    assert (table.bos_id, table.eos_id, table.pad_id) == (official.bos_id(), official.eos_id(), official.pad_id())
    assert table.named_unk_id == official.unk_id()
    for flags in EVERY_COMBINATION:
        assert_same(tokenizer, official, text, flags)


def test_the_text_is_reversed_before_bos_and_eos_come() -> None:
    tokenizer, _ = load_both(model_bytes(PIECES, BPE, normalizer={3: False}))
    encoding = encoded(tokenizer, "abé ", reverse=True, add_bos=True, add_eos=True)
    assert encoding.tokens == ["<s>", "é", "b", "a", "</s>"]
    assert encoding.special_tokens_mask == [1, 0, 0, 0, 1]
    assert encoding.word_ids == [None, 0, 0, 0, None]
    assert encoding.sequence_ids == [None, 0, 0, 0, None]


def test_bos_is_where_the_text_begins_and_eos_where_it_ends() -> None:
    tokenizer, _ = load_both(model_bytes(PIECES))
    for text, end in (("é a ", 4), ("é a ".encode(), 5)):
        offsets = encoded(tokenizer, text, add_bos=True, add_eos=True).offsets
        assert (offsets[0], offsets[-1]) == ((0, 0), (end, end))


def test_a_trace_ends_with_what_encode_gives() -> None:
    tokenizer, _ = load_both(model_bytes(PIECES))
    with_eos = tokenizer.with_options(sentencepiece_options=SentencePieceOptions(add_eos=True))
    trace = with_eos.trace("é a")
    assert trace.encoding == with_eos.encode("é a")
    assert (trace.stages[-1].stage, trace.stages[-1].component) == ("PostProcessor", "SentencePieceOptions")


def test_reversing_moves_the_range_of_the_text() -> None:
    tokenizer, _ = load_both(model_bytes(PIECES, BPE, normalizer={3: False}))
    both = end_to_end([numbered(tokenizer.encode("a"), 0), numbered(tokenizer.encode("b"), 1)])
    reverse = apply_options(both, SentencePieceOptions(reverse=True), table_of(tokenizer), 2)
    assert (reverse.tokens, reverse.sequence_ids) == (["b", "a"], [1, 0])


NAMED: dict[str, tuple[list[PieceTuple], dict[int, Value]]] = {
    "another name": ([("[B]", 0.0, CONTROL), ("[E]", 0.0, CONTROL)], {46: "[B]", 47: "[E]"}),
    "an empty name is the default": ([("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)], {46: "", 47: ""}),
}


@pytest.mark.parametrize(("pieces", "trainer"), NAMED.values(), ids=NAMED.keys())
def test_bos_and_eos_are_found_by_the_names_in_the_file(pieces: list[PieceTuple], trainer: dict[int, Value]) -> None:
    tokenizer, official = load_both(model_bytes([UNKNOWN, *PIECES[:1], *pieces], trainer=trainer))
    expected = official.Encode("a", return_type=str, add_bos=True, add_eos=True)
    assert encoded(tokenizer, "a", add_bos=True, add_eos=True).tokens == expected


WITHOUT: dict[str, tuple[str, list[PieceTuple], dict[int, Value]]] = {
    "no bos": ("add_bos", [], {}),
    "bos that is text": ("add_bos", [("<s>", 0.0, NORMAL)], {}),
    "eos that is text": ("add_eos", [("</s>", 0.0, NORMAL)], {}),
    "no piece of that name": ("add_eos", [("</s>", 0.0, CONTROL)], {47: "[E]"}),
    "the unknown piece's name on another": ("emit_unk_piece", [("[U]", 0.0, NORMAL)], {45: "[U]"}),
}


@pytest.mark.parametrize(("option", "pieces", "trainer"), WITHOUT.values(), ids=WITHOUT.keys())
def test_an_option_whose_piece_is_missing_is_refused(
    option: str, pieces: list[PieceTuple], trainer: dict[int, Value]
) -> None:
    tokenizer, official = load_both(model_bytes([UNKNOWN, *PIECES[:1], *pieces], trainer=trainer))
    with pytest.raises(ValueError, match="not defined"):
        official.Encode("a", return_type=str, **{option: True})
    with pytest.raises(UnsupportedFeature, match=option):
        encoded(tokenizer, "a", **{option: True})


def test_an_unknown_text_written_like_another_piece_keeps_its_name() -> None:
    pieces = [UNKNOWN, *PIECES[:3], ("q", -1.0, UNUSED)]
    tokenizer, official = load_both(model_bytes(pieces, BPE, normalizer={3: False}))
    for text in ("xyz", "q", "aqa", "qq"):
        tokens = encoded(tokenizer, text, emit_unk_piece=True).tokens
        assert tokens == official.Encode(text, return_type=str, emit_unk_piece=True)
    assert tokens == ["<unk>"]
    assert encoded(tokenizer, "aqa", emit_unk_piece=True).tokens == ["a", "q", "a"]


def test_other_libraries_do_not_have_the_options() -> None:
    tokenizer = own(tokenizer_json(bpe("a")))
    with pytest.raises(UnsupportedFeature, match="sentencepiece_options: tokenizers does not have them"):
        encoded(tokenizer, "a", add_bos=True)
    with pytest.raises(UnsupportedFeature, match="sentencepiece_options"):
        encoded_ids(tokenizer, "a", reverse=True)


def test_every_piece_counts_in_the_size_of_the_vocab() -> None:
    nul = ("\0", -1.0, NORMAL)
    tokenizer, official = load_both(model_bytes([UNKNOWN, nul, nul, PIECES[0], *byte_pieces()], trainer={35: True}))
    assert tokenizer.vocab_size == official.GetPieceSize() == 260
