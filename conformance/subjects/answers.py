"""The answers of an isolated subject's process, held against what it was asked: anybody may have written them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args, get_type_hints

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.streaming import Streamed, Streaming

IDS_PER_BYTE = 64
CHARACTERS_PER_ID = 4096
LEAST_IDS = 1024
_KINDS = get_args(get_type_hints(Failure)["kind"])
FOREIGN = Failure("nonsense", "something else wrote into its answers")
"""After it nobody knows which answer belongs to which request."""
_MOST_MESSAGE = 400


def failed(answer: Any) -> Failure | None:
    """The failure that the process tells of, or that its answer is; None for an answer of some content."""
    if not isinstance(answer, dict):
        return FOREIGN
    if "failure" not in answer:
        return None
    kind, message = answer["failure"], answer.get("message")
    if kind not in _KINDS or not isinstance(message, str):
        return FOREIGN
    return Failure(kind, " ".join(message.split())[:_MOST_MESSAGE])


def encoded(answer: dict[str, Any] | Failure, text: str | bytes) -> Encoding:
    """The answer to a text; nonsense where it is no encoding, or longer than any of such a text."""
    if isinstance(answer, Failure):
        return answer
    ids: Any = answer.get("ids")
    tokens, offsets, mask = map(answer.get, ("tokens", "offsets", "special_tokens_mask"))
    if not _are_ids(ids):
        return FOREIGN
    if problem := _too_long(ids, text):
        return problem
    if tokens is not None and not _are_texts(tokens):
        return FOREIGN
    if offsets is not None and not (isinstance(offsets, list) and all(_are_ids(s) and len(s) == 2 for s in offsets)):
        return FOREIGN
    if mask is not None and not _are_ids(mask):
        return FOREIGN
    for name, values in (("tokens", tokens), ("offsets", offsets), ("entries of a special-token mask", mask)):
        if values is not None and (problem := _too_long(values, text, name)):
            return problem
    if problem := _too_many_characters("".join(tokens or ()), len(ids)):
        return problem
    spans = None if offsets is None else tuple((start, end) for start, end in offsets)
    return Encoded(tuple(ids), _tuple(tokens), spans, _tuple(mask))


def encoded_batch(answer: dict[str, Any] | Failure, texts: Sequence[str | bytes]) -> list[tuple[int, ...]] | Failure:
    """The ids of each text of a batch."""
    if isinstance(answer, Failure):
        return answer
    batch = answer.get("batch")
    if not isinstance(batch, list) or not all(map(_are_ids, batch)):
        return FOREIGN
    if len(batch) != len(texts):
        return Failure("nonsense", f"{len(batch)} encodings for a batch of {len(texts)} texts")
    for ids, text in zip(batch, texts, strict=True):
        if problem := _too_long(ids, text):
            return problem
    return [tuple(ids) for ids in batch]


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


def decoded(answer: dict[str, Any] | Failure, ids: Sequence[int]) -> Decoding:
    """The answer to ids; nonsense where it is no text, or longer than any of so many ids."""
    if isinstance(answer, Failure):
        return answer
    text, with_special = answer.get("text"), answer.get("with_special")
    if not isinstance(text, str) or not isinstance(with_special, str | None):
        return FOREIGN
    problem = _too_many_characters(text, len(ids)) or _too_many_characters(with_special or "", len(ids))
    return problem or Decoded(text, with_special)


def streamed(answer: dict[str, Any] | Failure, feeding: dict[str, Any]) -> Streaming:
    """The answer to a feeding; nonsense where it is no stream's, or longer than any of such chunks."""
    if isinstance(answer, Failure):
        return answer
    value = answer.get("streamed")
    if value is None:
        return None
    if not isinstance(value, dict):
        return FOREIGN
    given: Any = value.get("given")
    beside: Any = value.get("beside")
    held = value.get("held")
    called = value.get("called", [])
    are_good = _are_list_of_ids if feeding["to"] == "encoder" else _are_texts
    if not are_good(given) or not are_good(beside) or not (held is None or _are_ids(held)):
        return FOREIGN
    if not _are_calls(called) or (called and len(called) != len(given)):
        return FOREIGN
    for values in (given, beside):
        if problem := _too_much(values, feeding):
            return problem
    return Streamed(_given(given), _given(beside), _tuple(held), _given(called))


def _too_much(values: list[Any], feeding: dict[str, Any]) -> Failure | None:
    if feeding["to"] == "encoder":
        return _too_long([token_id for ids in values for token_id in ids], "".join(feeding["chunks"]))
    return _too_many_characters("".join(values), len(feeding["chunks"]))


def _given(values: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def _are_list_of_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_are_ids, value))


def _are_calls(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(call, list) and len(call) == 2 and _are_ids(call[:1]) and isinstance(call[1], bool) for call in value
    )


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int and number.bit_length() <= 64 for number in value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _too_long(values: list[Any], text: str | bytes, name: str = "ids") -> Failure | None:
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if len(values) <= max(LEAST_IDS, IDS_PER_BYTE * size):
        return None
    return Failure("nonsense", f"{len(values):,} {name} for a text of {size:,} bytes")


def _too_many_characters(text: str, ids: int) -> Failure | None:
    if len(text) <= max(CHARACTERS_PER_ID, CHARACTERS_PER_ID * ids):
        return None
    return Failure("nonsense", f"{len(text):,} characters for {ids:,} ids")


def _tuple(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)
