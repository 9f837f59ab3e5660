"""The methods by which subjects stream: which of them a subject was asked for, and which it turned out to have.

A subject is not tested with what it does not have. That is no fault, but it must be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.checks.base import Answers
from conformance.core.streaming import Feeding


def method_of(feeding: Feeding) -> str:
    """The method that a feeding needs; for a decoder that is fed once to its end, that is the simplest door.

    >>> method_of(Feeding("encoder", ("a",), forgotten=("b",))), method_of(Feeding("decoder", (1,)))
    ('stream_encoder.reset', 'stream_decode')
    """
    if feeding.stop:
        return "decode_with_callback"
    if feeding.chunks and isinstance(feeding.chunks[0], bytes):
        return "stream_encoder.feed_bytes"
    stream = f"stream_{feeding.to}"
    if feeding.forgotten:
        return f"{stream}.reset"
    return "stream_decode" if feeding.to == "decoder" and feeding.is_plain else stream


def methods_asked(answers: Iterable[Answers]) -> dict[str, bool]:
    """The methods that streams were asked for, and whether each was there in some answer."""
    asked: dict[str, bool] = {}
    for one in answers:
        for entry in (*(one.stream_encoded or ()), *(one.stream_decoded or ())):
            method = method_of(entry.feeding)
            asked[method] = asked.get(method, False) or entry.streaming is not None
    return asked


def add_methods(whole: dict[str, bool], part: Mapping[str, bool]) -> None:
    """Count a part in."""
    for method, is_there in part.items():
        whole[method] = whole.get(method, False) or is_there


def untested(asked: Mapping[str, bool]) -> tuple[str, ...]:
    """The methods that a streaming subject was asked for and does not have; none of one that does not stream at all.

    >>> untested({"stream_decode": True, "stream_decoder": False, "stream_decoder.reset": False})
    ('stream_decoder',)
    """
    if not any(asked.values()):
        return ()
    missing = [method for method, is_there in asked.items() if not is_there]
    return tuple(sorted(method for method in missing if method.partition(".")[0] not in missing or "." not in method))
