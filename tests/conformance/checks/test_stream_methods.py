"""What a subject that streams was asked for and does not have: it is told, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.checks.base import Answers
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE
from conformance.checks.stream_methods import methods_asked, untested
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
    return untested(methods_asked([Answers(stream_encoded=tuple(fed[0])), Answers(stream_decoded=tuple(fed[1]))]))


def _feedings() -> tuple[list[Feeding], list[Feeding]]:
    return text_feedings("aé", "close"), ids_feedings((1, 2), "close")


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({}, ()),
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
def test_what_a_subject_lacks_is_told_once_unless_it_streams_nothing(
    methods: dict[str, Any], told: tuple[str, ...]
) -> None:
    assert missing(subject(**methods)) == told


def test_a_stream_that_raises_is_there() -> None:
    def raises(_: Any, adds: bool) -> Any:
        raise ValueError

    assert "stream_encoder" not in missing(subject(stream_encoder=raises))


def test_the_methods_of_each_check_are_those_that_are_looked_for() -> None:
    assert [frozenset(check.methods) for check in (STREAM_ENCODE, STREAM_DECODE)] == [*STREAM_FEATURES.values()]
