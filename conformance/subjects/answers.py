"""The answers of an isolated subject's process, held against what it was asked: anybody may have written them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

import msgspec

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.streaming import Streamed, Streaming

IDS_PER_BYTE = 64
CHARACTERS_PER_ID = 4096
LEAST_IDS = 1024
FOREIGN = Failure("nonsense", "something else wrote into its answers")
"""After it nobody knows which answer belongs to which request."""
_MOST_MESSAGE = 400
_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class Hello:
    """What the process says when it has loaded a model.

    features: the methods that it has of those that it need not have. seconds: of the processor, since it began.
    """

    features: frozenset[str]
    version: str
    seconds: float


def failed(told: Any) -> Failure | None:
    """The failure that the process tells of, or that its answer is; None for an answer of some content."""
    if isinstance(told, Failure):
        return told
    if not isinstance(told, dict):
        return FOREIGN
    if "failure" not in told:
        return None
    failure = record({"kind": told["failure"], "message": told.get("message")}, Failure)
    return replace(failure, message=" ".join(failure.message.split())[:_MOST_MESSAGE])


def answered(operation: str, told: Any, item: Any) -> Any:
    """The answer to an operation with an item; a failure, such as nonsense, where it is none. told: as JSON."""
    return failed(told) or _READERS[operation](told, item)


def encoded(told: dict[str, Any], text: str | bytes) -> Encoding:
    """The answer to a text; nonsense where it is no encoding, or longer than any of such a text."""
    found = record(told, Encoded)
    if isinstance(found, Failure):
        return found
    tokens, offsets, mask = found.tokens or (), found.offsets or (), found.special_tokens_mask or ()
    if not _are_bounded(chain(found.ids, mask, *offsets)):
        return FOREIGN
    return (
        _too_long(found.ids, text)
        or _too_long(tokens, text, "tokens")
        or _too_long(offsets, text, "offsets")
        or _too_long(mask, text, "entries of a special-token mask")
        or _too_many_characters("".join(tokens), len(found.ids))
        or found
    )


def encoded_batch(told: dict[str, Any], texts: Sequence[str | bytes]) -> list[tuple[int, ...]] | Failure:
    """The ids of each text of a batch."""
    batch = record(told.get("batch"), list[tuple[int, ...]])
    if isinstance(batch, Failure) or not _are_bounded(chain.from_iterable(batch)):
        return FOREIGN
    if len(batch) != len(texts):
        return Failure("nonsense", f"{len(batch)} encodings for a batch of {len(texts)} texts")
    return next(filter(None, map(_too_long, batch, texts)), batch)


def batch_with_singles(batch: list[tuple[int, ...]] | Failure, singles: list[Encoding]) -> list[Encoding]:
    """The ids of a batch call with what else the calls for each text gave.

    Where the batch gave none though each text alone is answered, the batch call is at fault, and the first text has its
    failure for an answer.
    """
    if isinstance(batch, list):
        pairs = zip(batch, singles, strict=True)
        return [replace(single, ids=ids) if isinstance(single, Encoded) else Encoded(ids) for ids, single in pairs]
    if any(isinstance(single, Failure) for single in singles):
        return singles
    return [Failure(batch.kind, f"encode_batch of {len(singles)} texts: {batch.message}"), *singles[1:]]


def decoded(told: dict[str, Any], ids: Sequence[int]) -> Decoding:
    """The answer to ids; nonsense where it is no text, or longer than any of so many ids."""
    found = record(told, Decoded)
    if isinstance(found, Failure):
        return found
    return _too_many_characters(found.text, len(ids)) or _too_many_characters(found.kept, len(ids)) or found


def streamed(told: dict[str, Any], feeding: dict[str, Any]) -> Streaming:
    """The answer to a feeding; nonsense where it is no stream's, or longer than any of such chunks."""
    if told.get("streamed") is None:
        return None
    found = record(told["streamed"], Streamed)
    if isinstance(found, Failure):
        return found
    pieces: tuple[Any, ...] = found.given + found.beside
    encodes = feeding["to"] == "encoder"
    if not all(isinstance(piece, tuple) == encodes for piece in pieces):
        return FOREIGN
    if found.called and len(found.called) != len(found.given):
        return FOREIGN
    if not _are_bounded(chain(found.held or (), (call[0] for call in found.called), *(pieces if encodes else ()))):
        return FOREIGN
    given: Any
    for given in (found.given, found.beside):
        if encodes:
            problem = _too_long([*chain(*given)], "".join(feeding["chunks"]))
        else:
            problem = _too_many_characters("".join(given), len(feeding["chunks"]))
        if problem:
            return problem
    return found


_READERS: Mapping[str, Callable[[dict[str, Any], Any], Any]] = {
    "encode": encoded,
    "encode_batch": encoded_batch,
    "decode": decoded,
    "stream": streamed,
    "ids": encoded,
    "kept": decoded,
    "skipped": decoded,
}
"""The functions that hold an answer against the question, by operation."""


def record(value: Any, kind: type[_Record]) -> _Record | Failure:
    """JSON of the process as a record; nonsense where it is none."""
    try:
        return msgspec.convert(value, kind)
    except ValueError:  # of msgspec, or a key with a lone surrogate
        return FOREIGN


def _are_bounded(numbers: Iterable[int]) -> bool:
    return all(number.bit_length() <= 64 for number in numbers)


def _too_long(values: Sequence[Any], text: str | bytes, name: str = "ids") -> Failure | None:
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if len(values) <= max(LEAST_IDS, IDS_PER_BYTE * size):
        return None
    return Failure("nonsense", f"{len(values):,} {name} for a text of {size:,} bytes")


def _too_many_characters(text: str, ids: int) -> Failure | None:
    if len(text) <= max(CHARACTERS_PER_ID, CHARACTERS_PER_ID * ids):
        return None
    return Failure("nonsense", f"{len(text):,} characters for {ids:,} ids")
