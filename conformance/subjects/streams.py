"""Feeding the streams of a subject: the same for reftok, for an adapter and for the process of an isolated subject.

A subject that streams has some of

    stream_encoder(add_special_tokens) -> an object with feed(text) -> ids and finish() -> ids
        and optionally feed_bytes(data) -> ids, reset(), and held: the number of code points held back
    stream_decoder(skip_special_tokens) -> an object with feed(id) -> str and finish() -> str
        and, where it likes, reset() and held
    stream_decode(ids, skip_special_tokens) -> iterable of str: the simplest door, for who decodes to the end only
    decode_with_callback(ids, callback): skips special tokens and calls callback(text, id, is_final), its arguments in
        this order, for one id after the other, with the text that has become final with it. An id may be left out where
        there is no such text, but not the last one: its call, and no other, has is_final True, and its text also has
        what was held until then. After a call that returns False there are no more, but None is no reason to stop. No
        ids, no call. Where there is no other decoder, this one is fed in its place.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from itertools import zip_longest
from operator import index
from typing import Any, TypeAlias

from conformance.core.streaming import NONE_RETURNED, Chunks, Feeding, Piece, Streamed, Streaming
from conformance.subjects.base import refusal
from conformance.subjects.values import NonsenseError, bool_of, ids_of, int_of, items_of, shown, text_of

Read: TypeAlias = Callable[[Any], Piece]
"""A function from what was given to plain types."""

_FIELDS = tuple(field.name for field in fields(Feeding))
_CHUNKS = ("chunks", "forgotten", "beside")
STREAM_FEATURES: Mapping[str, frozenset[str]] = {
    "encoder": frozenset({"stream_encoder"}),
    "decoder": frozenset({"stream_decoder", "stream_decode", "decode_with_callback"}),
}
"""The methods of a subject that streams, by what is fed; each may be missing."""


def streaming(subject: Any, feeding: Feeding) -> Streaming:
    """The output of the streams of a subject in this process; its errors are refusals."""
    try:
        return fed(subject, feeding)
    except BaseException as error:
        return refusal(error)


def fed(subject: Any, feeding: Feeding) -> Streamed | None:
    """The output of the streams of a subject; None where it has none that can be fed so.

    Raises NonsenseError for what is neither ids nor text, and whatever the subject raises.
    """
    if feeding.stop:
        return _called_back(subject, feeding)
    first = _stream(subject, feeding)
    if first is None:
        return _from_whole(subject, feeding)
    if feeding.forgotten:
        if not hasattr(first, "reset"):
            return None
        feed = getattr(first, _door(feeding.forgotten))
        for earlier in feeding.forgotten:
            feed(earlier)
        if feeding.is_finished:
            first.finish()
        first.reset()
    second = _stream(subject, replace(feeding, skip_special_tokens=True)) if feeding.beside else None
    return _fed_in_chunks(first, second, feeding)


def _fed_in_chunks(first: Any, second: Any, feeding: Feeding) -> Streamed:
    """A stream alone, or two, the second of which is one chunk behind the first."""
    read: Read = _ids if feeding.to == "encoder" else text_of
    door = _door(feeding.chunks)
    given: list[Piece] = []
    held: list[int | None] = []
    beside: list[Piece] = []
    chunk: str | bytes | int | None
    other: str | bytes | int | None
    for chunk, other in zip_longest(feeding.chunks, (None, *feeding.beside)):
        if chunk is not None:
            given.append(_asked(first, read, door, chunk))
            held.append(_held(first))
        if other is not None:
            beside.append(_asked(second, read, door, other))
    given.append(_asked(first, read, "finish"))
    held.append(_held(first))
    if second is not None:
        beside.append(_asked(second, read, "finish"))
    counts = tuple(one for one in held if one is not None)
    return Streamed(tuple(given), tuple(beside), counts if len(counts) == len(held) else None)


def _held(stream: Any) -> int | None:
    """The code points that a stream holds back; None if `held` is missing or is not a number (its own buffer, say)."""
    value = getattr(stream, "held", None)
    try:
        return None if value is None else index(value)
    except TypeError:
        return None


def _stream(subject: Any, feeding: Feeding) -> Any:
    """A new stream; None where the subject has none that takes such chunks."""
    name = f"stream_{feeding.to}"
    make = getattr(subject, name, None)
    if make is None:
        return None
    stream = make(feeding.skip_special_tokens if feeding.to == "decoder" else True)
    missing = [method for method in ("feed", "finish") if not callable(getattr(stream, method, None))]
    if missing:
        raise NonsenseError(f"{name} gave {shown(stream)}, which has no method {' and no method '.join(missing)}")
    return None if _are_bytes(feeding.chunks) and not hasattr(stream, "feed_bytes") else stream


def _door(chunks: Chunks) -> str:
    """The method that takes such chunks."""
    return "feed_bytes" if _are_bytes(chunks) else "feed"


def _asked(stream: Any, read: Read, method: str, *chunk: str | bytes | int) -> Piece:
    """The answer of a method, in plain types; what is of another type is told with its name."""
    value = getattr(stream, method)(*chunk)
    try:
        return read(value)
    except NonsenseError as error:
        raise NonsenseError(f"{method}: {error}") from None


def _ids(value: Any) -> tuple[int, ...]:
    return tuple(ids_of(value))


def _from_whole(subject: Any, feeding: Feeding) -> Streamed | None:
    if feeding.to == "encoder" or not feeding.is_plain:
        return None
    if getattr(subject, "stream_decode", None) is None:
        return _called_back(subject, feeding) if feeding.skip_special_tokens else None
    chunks = subject.stream_decode(list(feeding.chunks), feeding.skip_special_tokens)
    return Streamed(tuple(map(text_of, items_of(chunks, "an iterable of str (a list, or a generator)"))))


def _called_back(subject: Any, feeding: Feeding) -> Streamed | None:
    if getattr(subject, "decode_with_callback", None) is None:
        return None
    calls: list[tuple[Any, Any, Any]] = []

    def callback(text: Any, token_id: Any, is_final: Any) -> bool | None:
        calls.append((text, token_id, is_final))
        if len(calls) == feeding.stop:
            return False
        return None if len(calls) == NONE_RETURNED else True

    subject.decode_with_callback(list(feeding.chunks), callback)
    return Streamed(
        tuple(text_of(text) for text, _, _ in calls),
        called=tuple((int_of(token_id, "the id of a call"), bool_of(end, "is_final")) for _, token_id, end in calls),
    )


def _are_bytes(chunks: Chunks) -> bool:
    return bool(chunks) and isinstance(chunks[0], bytes)


def feeding_to_message(feeding: Feeding) -> dict[str, Any]:
    """A feeding as the protocol has it; bytes in base64.

    >>> feeding_to_message(Feeding("encoder", (b"a",)))["chunks"]
    ('YQ==',)
    """
    return {
        **asdict(feeding),
        **{name: tuple(map(_chunk_to_message, getattr(feeding, name))) for name in _CHUNKS},
        "bytes": _are_bytes(feeding.chunks),
    }


def feeding_from_message(message: Mapping[str, Any]) -> Feeding:
    """The feeding of a message, of which what has a default may be missing."""
    values = {name: message[name] for name in _FIELDS if name in message}
    for name in _CHUNKS:
        chunks = message.get(name, ())
        values[name] = tuple(map(base64.b64decode, chunks)) if message.get("bytes") else tuple(chunks)
    return Feeding(**values)


def streamed_to_message(streamed: Streamed) -> dict[str, Any]:
    """The output of a stream as the protocol has it."""
    return {name: value for name, value in asdict(streamed).items() if value is not None}


def _chunk_to_message(chunk: str | bytes | int) -> str | int:
    return base64.b64encode(chunk).decode("ascii") if isinstance(chunk, bytes) else chunk
