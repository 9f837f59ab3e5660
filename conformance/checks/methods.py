"""The methods that a subject need not have, and the parts of its answers: what it was asked for, and what it has.

A subject is not tested with what it does not have. That is no fault, but it must be said.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from conformance.checks.base import Answers
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.streaming import Feeding

BATCH, ENCODE_WITH, CHAT = "encode_batch", "encode_with", "chat"
ENCODING_PARTS, SKIPS = ("tokens", "offsets", "special_tokens_mask"), "skip_special_tokens"
OFFICIAL_PARTS = (*ENCODING_PARTS, SKIPS)
"""The parts of answers that are held against the official library's, where that has them."""
STREAMS = "streams"
"""Stands for all methods that stream, of a subject that has none."""


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


def methods_asked(answers: Sequence[Answers], parts: Container[str]) -> dict[str, bool]:
    """The methods and parts that a subject was asked for, and whether each was there in some answer.

    parts: those of `OFFICIAL_PARTS` that matter.

    >>> methods_asked([Answers(Encoded((7,), offsets=((0, 1),)))], ("tokens", "offsets"))
    {'tokens': False, 'offsets': True}
    """
    asked: dict[str, bool] = {}
    if encodings := [one.encoding for one in answers if isinstance(one.encoding, Encoded)]:
        for part in ENCODING_PARTS:
            if part in parts:
                asked[part] = any(getattr(encoding, part) is not None for encoding in encodings)
    if SKIPS in parts and (decodings := [one.decoding for one in answers if isinstance(one.decoding, Decoded)]):
        asked[SKIPS] = any(decoding.with_special is not None for decoding in decodings)
    for one in answers:
        for entry in (*(one.stream_encoded or ()), *(one.stream_decoded or ())):
            method = method_of(entry.feeding)
            asked[method] = asked.get(method, False) or entry.streaming is not None
        for question in one.with_settings or ():
            for method in [f"{ENCODE_WITH}.{need}" for need in question.question.needs] or [ENCODE_WITH]:
                asked[method] = asked.get(method, False) or question.given is not None
        if one.chat is not None and isinstance(one.chat.due, Failure) and one.chat.due.kind == "not asked":
            asked[f"{CHAT} comparison: {one.chat.due.message}"] = False
        elif one.chat is not None:
            asked[CHAT] = True
    return asked


def add_methods(whole: dict[str, bool], part: Mapping[str, bool]) -> None:
    """Count a part in."""
    for method, is_there in part.items():
        whole[method] = whole.get(method, False) or is_there


def untested(asked: Mapping[str, bool]) -> tuple[str, ...]:
    """What a subject was asked for and does not have.

    >>> untested({"offsets": False, "stream_decode": True, "stream_decoder": False, "stream_decoder.reset": False})
    ('offsets', 'stream_decoder')
    >>> untested({"offsets": True, "stream_decode": False, "stream_decoder": False})
    ('streams',)
    >>> untested({"encode_with": True, "encode_with.pair": True, "encode_with.truncation": False})
    ('encode_with.truncation',)
    """
    missing = {method for method, is_there in asked.items() if not is_there}
    parts = [name for name in (*OFFICIAL_PARTS, BATCH) if name in missing]
    is_told = {method for method in missing if method.partition(".")[0] not in missing or "." not in method}
    parts += sorted(method for method in is_told if method.partition(".")[0] == ENCODE_WITH)
    parts += sorted(method for method in missing if method.startswith(CHAT))
    streams = {method for method in asked if method.startswith((STREAMS[:-1], "decode_with_callback"))}
    if streams and streams <= missing:
        return (*parts, STREAMS)
    return (*parts, *sorted(streams & is_told))
