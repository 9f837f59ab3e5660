"""A sentencepiece model is taken apart and put together so that it stays one, and loses what nothing needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sentencepiece import SentencePieceProcessor

from conformance.causes.shrinking.search import Search
from conformance.causes.shrinking.sentencepiece_model import PieceModel, piece_model, steps
from conformance.core.case import Case, ids_case, text_case
from reftok import embedded_models

MODELS = [name for name, path in embedded_models().items() if path.suffix == ".model"]
MANY = 5_000


def loaded(data: bytes) -> SentencePieceProcessor:
    return SentencePieceProcessor(model_proto=data)


def pieces(data: bytes) -> list[str]:
    processor = loaded(data)
    return [processor.IdToPiece(number) for number in range(processor.GetPieceSize())]


def read(name: str) -> PieceModel:
    return piece_model(embedded_models()[name].read_bytes())


def smaller(
    model: PieceModel, case: Case, fails: Callable[[bytes, Case], bool], tokens: list[str]
) -> tuple[bytes, tuple[int, ...]]:
    """What is left of the model and of the ids of the case; a model that the library refuses does not fail."""

    def fails_and_loads(data: bytes, other: Case) -> bool:
        try:
            loaded(data)
        except RuntimeError:
            return False
        return fails(data, other)

    search = Search(model.keeping(tokens), case, fails_and_loads, MANY)
    search.run(steps(tokens))
    written = search.model.written(case)
    assert written is not None
    return written[0], written[1].ids


@pytest.mark.parametrize("name", MODELS)
def test_what_is_written_is_what_was_read(name: str) -> None:
    data = embedded_models()[name].read_bytes()
    written = piece_model(data).written(text_case("", "test"))
    assert written is not None
    before, after = loaded(data), loaded(written[0])
    for text in ("hello world", "\u2460  caf\u00e9", ""):
        answers = [processor.Encode(text, return_type="serialized_proto") for processor in (before, after)]
        assert answers[0] == answers[1]


def test_all_goes_that_nothing_needs() -> None:
    left, _ = smaller(read("spm-bpe"), text_case("a", "test"), lambda data, case: True, ["\u2581a"])
    assert pieces(left) == ["<unk>", "\u2581", "a"]
    assert len(left) < 60


def test_the_type_of_the_model_stays() -> None:
    left, _ = smaller(read("spm-bpe"), text_case("a", "test"), lambda data, case: True, ["a"])
    ((number, trainer), *_) = piece_model(left).specs
    assert (number, [(field[0], field[3]) for field in trainer]) == (2, [(3, 2)])


def test_byte_pieces_stay_together_where_one_is_needed() -> None:
    left, _ = smaller(read("spm-bpe"), text_case("a", "test"), lambda data, case: "<0xC3>" in pieces(data), ["a"])
    assert [piece for piece in pieces(left) if not piece.startswith("<0x")] == ["<unk>", "a"]
    assert sum(piece.startswith("<0x") for piece in pieces(left)) == 256


def test_an_option_that_is_needed_stays() -> None:
    def fails(data: bytes, case: Case) -> bool:
        return "".join(loaded(data).Encode("a  a", out_type=str)).count("\u2581") >= 2

    left, _ = smaller(read("spm-bpe"), text_case("a  a", "test"), fails, ["\u2581", "a"])
    assert fails(left, text_case("a  a", "test"))


def test_of_a_charsmap_the_rule_that_is_needed_is_left() -> None:
    def fails(data: bytes, case: Case) -> bool:
        return loaded(data).Normalize("\u2460\u2461").endswith("12")

    left, _ = smaller(read("spm-unigram"), text_case("\u2460\u2461\u2462", "test"), fails, ["1", "2"])
    assert loaded(left).Normalize("\u2460\u2461\u2462").endswith("12\u2462")
    assert len(left) < 2_000


def test_ids_follow_their_pieces() -> None:
    model = read("spm-unigram")
    case = ids_case((model.pieces[-1].id, 10**6), "test")
    left, ids = smaller(model, case, lambda data, other: True, [])
    assert [pieces(left)[number] for number in ids[:-1]] == [model.pieces[-1].text]
    assert ids[-1] == 10**6


def test_a_case_with_a_piece_that_is_dropped_is_not_written() -> None:
    model = read("spm-unigram")
    assert model.with_pieces([]).written(ids_case((len(model.pieces) - 1,), "test")) is None
