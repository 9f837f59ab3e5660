"""Each defect of the second catalogue answers wrongly where it should, and rightly on plain text."""

from __future__ import annotations

from collections.abc import Container
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conformance.core.streaming import Chunks, Feeding, Streamed
from conformance.subjects.streams import fed
from tests.planted_defects.catalogue import Defect
from tests.planted_defects.official import Official
from tests.planted_defects.second.catalogue import SECOND

MODELS = Path(__file__).resolve().parents[3] / "corpora" / "models"
PLAIN = "in the"

TEXTS = {
    "inputs.py:ModifiedUtf8": "😀",
    "inputs.py:BufferCutsCharacters": "ab" * 31 + "aé",
    "inputs.py:PlusIsSpace": "1+1",
    "normalizers.py:FinalsStayApart": "한",
    "normalizers.py:TrimmedByBytes": "voilà",
    "normalizers.py:RulesOfOneCharacter": "e\u0301",
    "normalizers.py:SpacesHalved": "a    b",
    "added_tokens.py:AsciiWords": "ésoleword",
    "added_tokens.py:StripsOneSpace": "[rs]   a",
    "added_tokens.py:TrieGoesOn": "[<mask>",
    "pre_tokenizers.py:EcmaScriptSpace": "  \ufeff",
    "pre_tokenizers.py:DecimalDigits": " ²",
    "pre_tokenizers.py:MarksAreLetters": "e\u0301's",
    "pre_tokenizers.py:ThousandsGrouped": "1234",
    "pre_tokenizers.py:SoftHyphenPrints": "í",
    "models.py:TiesFromTheRight": "aaa",
    "models.py:CommentsInMerges": "##",
    "models.py:EscapesStay": '"',
    "models.py:CacheWithoutSpace": "the the",
    "models.py:BytesInLowerCase": "😀",
    "models.py:StaleMerges": "hello world",
    "models.py:BytesOfSurrogates": "😀",
    "models.py:ShortestSymbol": "<img>",
    "models.py:LongestFirst": "hello world",
    "models.py:ScoresUpToThePoint": "a    b",
    "post_processors.py:NoSecondBegin": "<|begin_of_text|>a",
    "post_processors.py:NothingForNothing": "",
    "offsets.py:OfGraphemes": "e\u0301x",
    "offsets.py:Searched": "😀",
    "offsets.py:OfNormalizedText": "e\u0301x",
}
TOKENS = {
    "decoders.py:FirstSpaceOfTokens": ("a", "▁▁", "b"),
    "decoders.py:OneForEachByte": ("â", "ĺ", "a"),
    "decoders.py:SkipsEveryAddedToken": ("[plain]",),
    "stream_decoders.py:CountsFollowers": ("â", "a", "b"),
    "stream_decoders.py:HoldsThreeTokens": ("ð", "Ł", "ĺ", "Ģ"),
    "stream_decoders.py:SpecialTokenFlushes": ("Ã", "<|eot_id|>", "©"),
    "stream_decoders.py:FirstIdIsFirstWord": ("<s>", "▁a"),
}
FED: dict[str, tuple[Chunks, Chunks]] = {
    "stream_encoders.py:KeepsOneToken": ((), ("strin", "g")),
    "stream_encoders.py:ForgetsFourBytes": ((), (b"\xf0\x9f", b"\x98\x80")),
    "stream_encoders.py:BeginsOnce": (("a",), ("b",)),
}
"""What is forgotten, and the chunks."""


def made(defect: Defect) -> tuple[Any, Official]:
    """The subject, and the official library."""
    file, factory = defect.subject.split(":")
    (model,) = map(str, (MODELS / defect.model).iterdir())
    return getattr(import_module(f"tests.planted_defects.second.{file.removesuffix('.py')}"), factory)(model), Official(
        model
    )


def encoded(subject: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    ids, _, offsets = subject.encode_with_offsets(text, True)
    return ids, list(map(tuple, offsets))


def streamed(subject: Any, feeding: Feeding) -> tuple[Any, ...]:
    """All that came out of a stream, joined."""
    given = fed(subject, feeding)
    assert isinstance(given, Streamed)
    return tuple(part for piece in given.given for part in piece)


def ids_of(official: Official, tokens: tuple[str, ...]) -> list[int]:
    tokenizer = official.tokenizer
    return [(tokenizer.token_to_id if official.is_json else tokenizer.PieceToId)(token) for token in tokens]


def of(names: Container[str]) -> pytest.MarkDecorator:
    chosen = [defect for defect in SECOND if defect.subject in names]
    return pytest.mark.parametrize("defect", chosen, ids=lambda defect: defect.name)


@of(TEXTS)
def test_a_defect_of_the_encoder_answers_otherwise_than_the_official_library(defect: Defect) -> None:
    subject, official = made(defect)
    text = TEXTS[defect.subject]
    (ids, offsets), (right_ids, right_offsets) = encoded(subject, text), encoded(official, text)
    assert (ids == right_ids) == (defect.stage == "Offsets")
    assert (ids, offsets) != (right_ids, right_offsets)


@of([name for name in TOKENS if name.startswith("decoders")])
def test_a_defect_of_the_decoder_answers_otherwise_than_the_official_library(defect: Defect) -> None:
    subject, official = made(defect)
    ids = ids_of(official, TOKENS[defect.subject])
    assert subject.decode(ids, True) != official.decode(ids, True)


@of([name for name in TOKENS if name.startswith("stream_decoders")])
def test_a_defect_of_a_streaming_decoder_gives_other_text_than_the_whole(defect: Defect) -> None:
    subject, official = made(defect)
    ids = ids_of(official, TOKENS[defect.subject])
    right = official.decode(ids, True)
    assert subject.decode(ids, True) == right
    assert "".join(streamed(subject, Feeding("decoder", tuple(ids)))) != right


@of(FED)
def test_a_defect_of_a_streaming_encoder_gives_other_ids_than_the_whole(defect: Defect) -> None:
    subject, official = made(defect)
    forgotten, chunks = FED[defect.subject]
    text = "".join(chunks) if isinstance(chunks[0], str) else b"".join(chunks).decode("utf-8")  # type: ignore[arg-type]
    assert subject.encode(text, True) == official.encode(text, True)
    assert list(streamed(subject, Feeding("encoder", chunks, forgotten=forgotten))) != official.encode(text, True)


@of([defect.subject for defect in SECOND])
def test_a_defect_of_the_second_catalogue_is_right_on_plain_text(defect: Defect) -> None:
    subject, official = made(defect)
    ids, offsets = encoded(official, PLAIN)
    assert encoded(subject, PLAIN) == (ids, offsets)
    assert subject.decode(ids, True) == official.decode(ids, True)
    if hasattr(subject, "stream_encoder"):
        assert list(streamed(subject, Feeding("encoder", ("in", " the")))) == ids
    if hasattr(subject, "stream_decoder"):
        assert "".join(streamed(subject, Feeding("decoder", tuple(ids)))) == official.decode(ids, True)


def test_every_defect_of_the_second_catalogue_has_an_input_on_which_it_is_wrong() -> None:
    assert sorted([*TEXTS, *TOKENS, *FED]) == sorted(defect.subject for defect in SECOND)
