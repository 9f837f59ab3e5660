"""What a subject was asked for and does not have: it is told, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.checks.base import Answers
from conformance.checks.methods import BATCH, OFFICIAL_PARTS, SKIPS, STREAMS, methods_asked, untested
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE
from conformance.core.observation import Decoded, Encoded, Encoding, Failure
from conformance.core.streaming import FedStream, Feeding
from conformance.inputs.cuts import ids_feedings, text_feedings
from conformance.subjects.streams import STREAM_FEATURES, streaming

CALLBACK = "decode_with_callback"


class Encoder:
    def feed(self, text: str) -> list[int]:
        return []

    def finish(self) -> list[int]:
        return []


class WholeEncoder(Encoder):
    def feed_bytes(self, data: bytes) -> list[int]:
        return []

    def reset(self) -> None:
        pass


class Decoder:
    def feed(self, token_id: int) -> str:
        return ""

    def finish(self) -> str:
        return ""


def subject(**methods: Any) -> Any:
    return type("Subject", (), methods)()


def encoding(stream: Any) -> dict[str, Any]:
    return {"stream_encoder": lambda _, adds: stream()}


def decode(_: Any, ids: list[int], skips: bool) -> Iterator[str]:
    yield ""


def missing(streams: Any) -> tuple[str, ...]:
    """What a subject is not tested with that is fed in every way."""
    fed = [[FedStream(f, streaming(streams, f), "") for f in feedings] for feedings in _feedings()]
    answers = [Answers(stream_encoded=tuple(fed[0])), Answers(stream_decoded=tuple(fed[1]))]
    return untested(methods_asked(answers, OFFICIAL_PARTS))


def _feedings() -> tuple[list[Feeding], list[Feeding]]:
    return text_feedings("aé", "close"), ids_feedings((1, 2), "close")


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({}, (STREAMS,)),
        (encoding(WholeEncoder), (CALLBACK, "stream_decode", "stream_decoder")),
        (
            {**encoding(Encoder), "stream_decode": decode},
            (CALLBACK, "stream_decoder", "stream_encoder.feed_bytes", "stream_encoder.reset"),
        ),
        (
            {"stream_decoder": lambda _, skips: Decoder()},
            (CALLBACK, "stream_decoder.reset", "stream_encoder"),
        ),
    ],
)
def test_what_a_subject_lacks_of_streams_is_told_once(methods: dict[str, Any], told: tuple[str, ...]) -> None:
    assert missing(subject(**methods)) == told


def test_a_stream_that_raises_is_there() -> None:
    def raises(_: Any, adds: bool) -> Any:
        raise ValueError

    assert "stream_encoder" not in missing(subject(stream_encoder=raises))


def test_the_methods_of_each_check_are_those_that_are_looked_for() -> None:
    assert [frozenset(check.methods) for check in (STREAM_ENCODE, STREAM_DECODE)] == [*STREAM_FEATURES.values()]


BARE, WHOLE = Encoded((7,)), Encoded((7,), ("a",), ((0, 1),), (0,))


@pytest.mark.parametrize(
    ("encodings", "told"),
    [
        ([BARE], ("tokens", "offsets", "special_tokens_mask")),
        ([BARE, WHOLE], ()),
        ([Encoded((7,), tokens=("a",)), Failure("refused", "no")], ("offsets", "special_tokens_mask")),
        ([Failure("refused", "no")], ()),
    ],
)
def test_a_part_that_no_answer_has_is_told(encodings: list[Encoding], told: tuple[str, ...]) -> None:
    assert untested(methods_asked([Answers(encoding) for encoding in encodings], OFFICIAL_PARTS)) == told
    assert methods_asked([Answers(encoding) for encoding in encodings], ()) == {}


@pytest.mark.parametrize(("decoded", "told"), [(Decoded("a"), (SKIPS,)), (Decoded("a", "a"), ())])
def test_a_decoder_without_a_choice_of_special_tokens_is_told(decoded: Decoded, told: tuple[str, ...]) -> None:
    assert untested(methods_asked([Answers(decoding=decoded)], OFFICIAL_PARTS)) == told


def test_the_batch_call_is_told_beside_streams() -> None:
    assert untested({"stream_decode": False, BATCH: False, "offsets": False}) == ("offsets", BATCH, STREAMS)
    assert untested({"stream_decode": True, BATCH: False}) == (BATCH,)
