"""What an adapter gets wrong is said in a sentence, before anything is compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.subjects.adapter_check import first_look, mistakes
from conformance.subjects.base import Subject
from conformance.subjects.special_tokens import SpecialTokens

from .isolated_subjects import Make

RIGHT = """
class Subject:
    capabilities = {says}
    def __init__(self, path): pass
    def encode(self, text, special): return [*map(ord, text)]
    def decode(self, ids, skip): return "".join(map(chr, ids))
"""


class OfCodePoints(Subject):
    """Stands for an official library; its ids are code points."""

    name = "official"

    def encode(self, text: str | bytes) -> Encoding:
        return Encoded(tuple(map(ord, str(text))))

    def decode(self, ids: Sequence[int]) -> Decoding:
        text = "".join(map(chr, ids))
        return Decoded(text, text)


def said(make: Make, text: str, says: str = "{}") -> list[str]:
    return [*mistakes(make(text.replace("{says}", says)), OfCodePoints(), SpecialTokens())]


def test_nothing_is_said_of_an_adapter_that_is_right(make: Make) -> None:
    assert said(make, RIGHT) == []


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("[*map(ord, text)]", "[]", "every list of ids is empty: is it the adapter?"),
        ("[*map(ord, text)]", "[*map(str, map(ord, text))]", "nonsense"),
        ("[*map(ord, text)]", "[7]", "every encoding is wrong"),
        ('"".join(map(chr, ids))', "''", "every decoded text is empty: is it the adapter?"),
        ('"".join(map(chr, ids))', "'7'", "every decoded text is wrong"),
    ],
)
def test_what_is_wrong_in_every_answer_is_said_once(make: Make, right: str, wrong: str, sentence: str) -> None:
    (only,) = said(make, RIGHT.replace(right, wrong))
    assert sentence in only


def test_one_right_answer_is_enough_for_a_library_that_is_wrong(make: Make) -> None:
    look = first_look(
        make(RIGHT.replace("[*map", "[] if text != 'a' else [*map").replace("{says}", "{}")), OfCodePoints()
    )
    assert (look.nothing, look.doubts) == ((), ())


@pytest.mark.parametrize(
    ("adds", "sentences"),
    [("[1]", ["always"]), ("[]", ["never"]), ("[1] * special", [])],
    ids=["always", "never", "as it is told"],
)
def test_special_tokens_that_are_added_always_or_never_are_said(make: Make, adds: str, sentences: list[str]) -> None:
    """Fault: never was not told, since every encoding is wrong then, behind which nothing was said."""

    class WithTemplate(OfCodePoints):
        def encode(self, text: str | bytes) -> Encoding:
            return Encoded((1, *map(ord, str(text))))

    tokens = SpecialTokens(before=Encoded((1,), ("<s>",), ((0, 0),), (1,)))
    subject = make(RIGHT.replace("[*map", f"{adds} + [*map").replace("{says}", "{}"))
    told = [one for one in mistakes(subject, WithTemplate(), tokens) if "of the template" in one]
    assert [one.split(" added")[0].split()[-1] for one in told] == sentences


@pytest.mark.parametrize("promised", ["stream_encode", "stream_decode"])
def test_a_stream_that_is_promised_and_not_there_is_said(make: Make, promised: str) -> None:
    (only,) = said(make, RIGHT, f"{{'{promised}': []}}")
    assert "is promised, and has no answer" in only


def test_a_promised_unit_of_offsets_that_is_another_is_said(make: Make) -> None:
    with_offsets = """
    def encode_with_offsets(self, text, special):
        ends = [len(text[:end].encode()) for end in range(len(text) + 1)]
        return [*map(ord, text)], None, [*zip(ends, ends[1:])]
"""

    class WithOffsets(OfCodePoints):
        def encode(self, text: str | bytes) -> Encoding:
            ids = tuple(map(ord, str(text)))
            return Encoded(ids, None, tuple((at, at + 1) for at in range(len(ids))))

    subject = make(RIGHT.replace("{says}", "{}") + with_offsets)
    (only,) = mistakes(subject, WithOffsets(), SpecialTokens())
    assert only == "offsets are in bytes of UTF-8: say so in the capabilities (encode.offsets_unit)"
