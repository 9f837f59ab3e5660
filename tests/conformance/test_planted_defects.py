"""Planted defects with a witness differ from the official library there, and not on a plain text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.runs.models import plan_models
from conformance.subjects.serve import load_factory
from tests.conformance.conftest import environment
from tests.planted_defects.catalogue import DEFECTS, Defect

PLANTED = Path(__file__).parents[1] / "planted_defects"
PLAIN = "Hello world"
Question = str | list[int]

WITNESSES: dict[str, tuple[Question, ...]] = {
    "wrong_inputs.py:JavaTrim": ("\x01a",),
    "wrong_inputs.py:JavaStrip": ("a\x1c",),
    "wrong_inputs.py:EcmaTrim": ("\ufeffa",),
    "wrong_inputs.py:CTrim": ("a\v",),
    "wrong_inputs.py:GoTrim": ("a\x85",),
    "wrong_inputs.py:EcmaTrimEnd": ("a\ufeff",),
    "wrong_inputs.py:CTrimStart": ("\fa",),
    "wrong_inputs.py:Chomped": ("a\r\n",),
    "wrong_inputs.py:FirstCharacters": ("a" * 513,),
    "wrong_inputs.py:FirstBytes": ("a" * 256,),
    "wrong_inputs.py:ByteLength": ("a" * 256,),
    "wrong_inputs.py:FullBuffers": ("a" * 127 + "é",),
    "wrong_inputs.py:Blocks": ("the" * 33 + "re",),
    "wrong_normalizers.py:FormOf6": ("q\u0301\u1ab5",),
    "wrong_normalizers.py:FormOf12": ("a\u1df6\u0316",),
    "wrong_normalizers.py:FormOf14": ("\U00011935\U00011930",),
    "wrong_normalizers.py:FormOf16": ("\U00011382\U000113c9",),
    "wrong_normalizers.py:TurkishCase": ("IT",),
    "wrong_added_tokens.py:SplitByEach": ("[over|lap|ping]",),
    "wrong_post_processors.py:NoSecondEnd": ("a</s>",),
    "wrong_pre_tokenizers.py:OnlyASpaceIsLeft": ("a\t\tb",),
    "wrong_pre_tokenizers.py:DigitsFromTheRight": ("1234",),
    "wrong_added_tokens.py:AllSingleWord": ("a<plain>",),
    "wrong_added_tokens.py:OnlyAtStart": ("a<plain>",),
    "wrong_added_tokens.py:OnlyWholeText": ("<plain>a",),
    "wrong_added_tokens.py:EndsOfTurns": ("<|im_end|>",),
    "wrong_added_tokens.py:TokensOfAnEncoding": ("<|endofprompt|>",),
    "wrong_added_tokens.py:PadOfPieces": ("<pad>",),
    "wrong_added_tokens.py:ChatTokens": ("<|im_end|>",),
    "wrong_added_tokens.py:AsciiWords": ("é[sw]",),
    "wrong_added_tokens.py:AlphanumericWords": ("_[sw]",),
    "wrong_added_tokens.py:WordsOfUnicode9": ("\U00010d22[sw]",),
    "wrong_added_tokens.py:AsciiStrips": ("[rs]\x0b",),
    "wrong_added_tokens.py:EquivalentTokens": ("[café-raw]",),
    "wrong_added_tokens.py:NormalizedFirst": ("<|im_end|>\u0338",),
    "wrong_pre_tokenizers.py:JavaScriptSpace": (".\x85",),
    "wrong_pre_tokenizers.py:GoSpace": ("\t\t\xa0",),
    "wrong_pre_tokenizers.py:JavaSpace": (".\x85",),
    "wrong_pre_tokenizers.py:PythonSpace": ("\t\t\x1d",),
    "wrong_pre_tokenizers.py:CSpace": (".\x85",),
    "wrong_pre_tokenizers.py:OldSpace": ("\t\t\u180e",),
    "wrong_pre_tokenizers.py:Unicode9": ("\u1c90's",),
    "wrong_pre_tokenizers.py:Unicode13": ("\u1c89\n",),
    "wrong_pre_tokenizers.py:Unicode15": ("\u1c89\n",),
    "wrong_pre_tokenizers.py:PythonPattern": ("\u088f's",),
    "wrong_pre_tokenizers.py:PlaneZero": ("\U0001d400's",),
    "wrong_pre_tokenizers.py:DecimalDigits": (" ①",),
    "wrong_pre_tokenizers.py:WordsOf64": ("the" * 21 + "re",),
    "wrong_pre_tokenizers.py:WordsOf255Bytes": ("a" * 256,),
    "wrong_pre_tokenizers.py:SignedBytesLost": ("é",),
    "wrong_pre_tokenizers.py:SevenBits": ("é",),
    "wrong_pre_tokenizers.py:NegativeIndex": ("é",),
    "wrong_pre_tokenizers.py:AsciiBytes": ("é",),
    "wrong_pre_tokenizers.py:HalvesReplaced": ("😀",),
    "wrong_pre_tokenizers.py:HalvesEncoded": ("😀", "\0"),
    "wrong_pre_tokenizers.py:SplitMetaspace": ("a  b",),
    "wrong_pre_tokenizers.py:WholeMetaspace": (" a",),
    "wrong_models.py:RightmostFirst": ("a" * 17,),
    "wrong_models.py:LongestFrom32": ("ab" * 60,),
    "wrong_models.py:MergedFromTheLeft": ("the" * 9,),
    "wrong_models.py:WordsOf100": ("ab" * 51,),
    "wrong_models.py:MergesOf64": ("a" * 70,),
    "wrong_models.py:PieceBuffers": ("the quick brown fox " * 8,),
    "wrong_models.py:LatticeOf100": ("ab" * 51,),
    "wrong_models.py:PackedPairs": ("dầ",),
    "wrong_models.py:Clusters": ("e\u0301",),
    "wrong_models.py:ClusterLattice": ("q\u0301",),
    "wrong_models.py:EquivalentKeys": ("\u212b",),
    "wrong_models.py:EquivalentClusters": ("e\u0301",),
    "wrong_models.py:HalvesFallBack": ("😀",),
    "wrong_models.py:HalvesAreQuestionMarks": ("😀",),
    "wrong_models.py:SignedNames": ("\x85",),
    "wrong_models.py:SignedIndex": ("\x85",),
    "wrong_models.py:SmallLetterBytes": ("\x0b",),
    "wrong_post_processors.py:BeginAdded": (PLAIN,),
    "wrong_post_processors.py:BeginAlways": (PLAIN,),
    "wrong_post_processors.py:PieceBeginAdded": (PLAIN,),
    "wrong_post_processors.py:First512Tokens": ("1" * 513,),
    "wrong_post_processors.py:TwelveBits": ("<plain>",),
    "wrong_decoders.py:ByteOrderMarkDropped": ([171, 119, 123, 655],),
    "wrong_decoders.py:ByteOrderMarksDropped": ([64, 5004, 171, 119, 123, 655],),
    "wrong_decoders.py:PieceByteOrderMarkDropped": ([242, 190, 194],),
    "wrong_decoders.py:UnfinishedDropped": ([66, 4830],),
    "wrong_decoders.py:UnfinishedBytesDropped": ([980, 229, 155],),
    "wrong_decoders.py:OutsideIsUnknown": ([40, 99999],),
    "wrong_decoders.py:OutsideIsFirst": ([40, 99999],),
    "wrong_decoders.py:OutsideIsReplaced": ([40, 99999],),
    "wrong_decoders.py:SignedBytesDropped": ([980, 229, 155, 134],),
    "wrong_caches.py:FirstCharacters": ("internationally", "internationalization"),
    "wrong_caches.py:LowerCased": ("the", "THE"),
    "wrong_caches.py:Hashed": ("listen", "silent"),
    "wrong_caches.py:SpecialTokensForgotten": (PLAIN,),
    "wrong_caches.py:SkippingForgotten": ([40, 5004],),
    "wrong_stacks.py:Recursion": ("ab" * 300,),
}
"""What each must be asked, in this order, for its defect to show; numbers are ids."""
NEVER_RIGHT = {question for question, witness in WITNESSES.items() if witness == (PLAIN,)}
"""Those that are wrong about any text."""
WITNESSED = [defect for defect in DEFECTS if defect.subject in WITNESSES]


def loaded(subject: str, model: str) -> Any:
    file, _, factory = subject.partition(":")
    (planned,) = plan_models((model,))
    return load_factory(str(PLANTED / file), factory)(str(planned.path))


@cache
def official(model: str) -> Any:
    return loaded("official.py:Official", model)


def answers(subject: Any, questions: tuple[Question, ...]) -> Iterator[object]:
    for question in questions:
        ask = subject.encode if isinstance(question, str) else subject.decode
        for choice in (True, False):
            try:
                yield ask(question, choice)
            except RecursionError as error:
                yield type(error)


@pytest.fixture(autouse=True)
def _path_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.parametrize("defect", WITNESSED, ids=lambda defect: defect.name)
def test_a_planted_defect_shows_in_its_witness(defect: Defect) -> None:
    asked = WITNESSES[defect.subject]
    assert [*answers(loaded(defect.subject, defect.model), asked)] != [*answers(official(defect.model), asked)]


@pytest.mark.parametrize(
    "defect", [one for one in WITNESSED if one.subject not in NEVER_RIGHT], ids=lambda defect: defect.name
)
def test_a_planted_defect_is_right_about_a_plain_text(defect: Defect) -> None:
    right = official(defect.model)
    asked = PLAIN, right.encode(PLAIN, False)
    assert [*answers(loaded(defect.subject, defect.model), asked)] == [*answers(right, asked)]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="from 3.14 on Python itself raises where a stack ends")
def test_a_small_stack_ends_the_process_at_a_long_word_alone() -> None:
    (planned,) = plan_models(("spm-bpe-hf",))
    code = f"from wrong_stacks import SmallStack as S; print(len(S({str(planned.path)!r}).encode({{}}, True)))"
    ends = [
        subprocess.run(
            [sys.executable, "-c", code.format(repr(text))], cwd=PLANTED, env=environment(), capture_output=True
        )
        for text in (PLAIN, "ab" * 1000)
    ]
    assert [end.returncode < 0 for end in ends] == [False, True]


def test_every_witness_is_of_a_planted_defect() -> None:
    assert {defect.subject for defect in WITNESSED} == {*WITNESSES}
