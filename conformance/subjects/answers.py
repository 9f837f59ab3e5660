"""The results of a subject, held against what it was asked: anybody may have written them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

from conformance.core.chats import ChatAnswer, Chatted
from conformance.core.observation import Encoded, Encoding, Failure
from conformance.core.settings import Question, Text
from conformance.core.streaming import Feeding, Streamed, Streaming
from conformance.subjects.protocol import (
    BatchResult,
    ChatResult,
    DecodeResult,
    EncodeAnswer,
    EncodeResult,
    NoResult,
    StreamResult,
    Unavailable,
)
from conformance.subjects.units import Offsets, Unit, in_code_points, replaced

IDS_PER_BYTE = 64
CHARACTERS_PER_ID = 4096
LEAST_IDS = 1024
_MOST_MESSAGE = 400
_BOUND = 1 << 64


def not_answered(result: NoResult | EncodeAnswer) -> Failure | None:
    """The failure that a result says; None for one of some content."""
    if result.refused is not None:
        return Failure("refused", _one_line(result.refused.type, result.refused.message))
    if result.crashed is not None:
        return Failure("crashed", _one_line(result.crashed.type, result.crashed.message))
    if result.invalid is not None:
        return Failure("nonsense", _one_line(result.invalid.type, result.invalid.message))
    if isinstance(result, NoResult) and result.skipped is not None:
        return Failure("skipped", _one_line("", f"{result.skipped.message} {result.skipped.issue}"))
    return None


def why_not(unavailable: Unavailable) -> str:
    """Why a model is not read, in a line: its feature and the reason, where the message does not have them.

    >>> why_not(Unavailable(message="it cannot be loaded", feature="Precompiled"))
    'no Precompiled: it cannot be loaded'
    """
    message, feature, reason = unavailable.message, unavailable.feature, unavailable.reason
    before = f"no {feature}: " if feature not in message else ""
    after = f" ({reason})" if reason not in message else ""
    return _one_line("", f"{before}{message}{after}")


def encoded(result: EncodeResult, text: str | bytes, unit: Unit) -> Encoding:
    """The result of a text; nonsense where it is no encoding, or longer than any of such a text."""
    failure = not_answered(result)
    if failure is not None:
        return failure
    if result.ids is None:
        return Failure("nonsense", "a result without ids came")
    tokens, offsets, mask = result.tokens or (), result.offsets or (), result.special_tokens_mask or ()
    problem = (
        _too_large(chain(result.ids, mask, *offsets))
        or _too_long(result.ids, text)
        or _too_long(tokens, text, "tokens")
        or _too_long(offsets, text, "offsets")
        or _too_long(mask, text, "entries of a special-token mask")
        or _too_many_characters("".join(tokens), len(result.ids))
    )
    if problem is not None:
        return problem
    spans = result.offsets
    if spans is not None and isinstance(text, str):
        spans = in_code_points(spans, text, unit)
    return Encoded(result.ids, result.tokens, spans, result.special_tokens_mask)


def encoded_with(result: BatchResult, question: Question, unit: Unit) -> tuple[Encoded, ...] | Failure:
    """The encodings of a batch with settings; nonsense if their number is not the number of inputs.

    unit: the unit of the offsets. Other units than code points are converted if the answer says which text or word
        each token is in, and dropped if not.
    """
    failure = not_answered(result)
    if failure is not None:
        return failure
    encodings = result.encodings or ()
    if len(encodings) != len(question.inputs):
        return Failure("nonsense", f"{len(encodings)} encodings for {len(question.inputs)} inputs")
    for one in encodings:
        parts = (one.ids, one.type_ids, one.attention_mask, one.special_tokens_mask, *(one.overflowing or ()))
        nullable = (one.word_ids or (), one.sequence_ids or (), *(one.char_to_token or ()))
        numbers = (number for number in chain(*nullable) if number is not None)
        if problem := _too_large(chain(*filter(None, parts), numbers, *(one.offsets or ()))):
            return problem
    if unit == "scalar":
        return encodings
    pairs = zip(encodings, question.inputs, strict=True)
    return tuple(replace(one, offsets=_placed(one, texts, unit)) for one, texts in pairs)


def _placed(one: Encoded, texts: tuple[Text, ...], unit: Unit) -> Offsets | None:
    """The offsets in code points; None if the answer does not say which text or word a token is in."""
    (first, *others), spans = texts, one.offsets
    if spans is None or (isinstance(first, str) and not others):
        return spans and in_code_points(spans, str(first), unit)
    sources = zip(one.sequence_ids or (), one.word_ids or repeat(None), strict=False)
    strings = [_source(texts, text, word) for text, word in sources]
    if None in strings or len(strings) != len(spans):
        return None
    return tuple(in_code_points((span,), text or "", unit)[0] for span, text in zip(spans, strings, strict=True))


def _source(texts: tuple[Text, ...], text: int | None, word: int | None) -> str | None:
    """The text or word that a token is of, "" of an inserted one; None for one that is not there."""
    if text is None:
        return ""
    found = texts[text] if 0 <= text < len(texts) else ()
    if isinstance(found, str):
        return found
    return found[word] if word is not None and 0 <= word < len(found) else None


def chatted(result: ChatResult) -> ChatAnswer:
    """The result for a conversation; nonsense if it has neither text nor ids, or is too long."""
    failure = not_answered(result)
    if failure is not None:
        return failure
    if result.text is None and result.ids is None:
        return Failure("nonsense", "a chat without text and ids came")
    problem = _too_many_characters(result.text or "", LEAST_IDS) or _too_many(result.ids or (), CHARACTERS_PER_ID)
    return problem or _too_large(result.ids or ()) or Chatted(result.text, result.ids)


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


def decoded_text(result: DecodeResult, ids: Sequence[int], each_byte: bool) -> str | Failure:
    """The text of some ids; nonsense where it is none, or longer than any of so many ids.

    each_byte: whether each byte that is no UTF-8 has a U+FFFD of its own, where bytes came.
    """
    failure = not_answered(result)
    if failure is not None:
        return failure
    if result.text is not None:
        return _too_many_characters(result.text, len(ids)) or result.text
    if result.base64 is None:
        return Failure("nonsense", "a result without a text came")
    try:
        text = replaced(base64.b64decode(result.base64, validate=True), each_byte)
    except (binascii.Error, ValueError) as error:
        return Failure("nonsense", _one_line("", f"bytes that are no base64: {error}"))
    return _too_many_characters(text, len(ids)) or text


def streamed(result: StreamResult, feeding: Feeding) -> Streaming:
    """The result of a feeding; nonsense where it is no stream's, or longer than any of such chunks."""
    failure = not_answered(result)
    if failure is not None:
        return failure
    if result.given is None:
        return Failure("nonsense", "a stream that gave nothing came")
    encodes = feeding.to == "encoder"
    if not all(isinstance(piece, tuple) == encodes for piece in (*result.given, *result.beside)):
        return Failure("nonsense", "a stream of ids gave text, or one of text ids")
    if result.called and len(result.called) != len(result.given):
        return Failure("nonsense", f"{len(result.called)} calls with {len(result.given)} texts came")
    given: tuple[Any, ...]
    for given in (result.given, result.beside):
        if encodes:
            size = sum(len(chunk if isinstance(chunk, bytes) else _bytes(chunk)) for chunk in feeding.chunks)
            problem = _too_many([*chain(*given)], size)
        else:
            problem = _too_many_characters("".join(map(str, given)), len(feeding.chunks))
        if problem is not None:
            return problem
    pieces = (piece for piece in (*result.given, *result.beside) if isinstance(piece, tuple))
    numbers = chain(*pieces, result.held or (), (call[0] for call in result.called))
    return _too_large(numbers) or Streamed(result.given, result.beside, result.held, result.called)


def _one_line(kind: str, message: str) -> str:
    """What a subject says, with the type of its error in front where that is not there already."""
    said = message if not kind or message.startswith(kind) else f"{kind}: {message}"
    return " ".join(said.split())[:_MOST_MESSAGE]


def _bytes(text: Any) -> bytes:
    data: bytes = text.encode("utf-8", "surrogatepass")
    return data


def _too_large(numbers: Iterable[int]) -> Failure | None:
    if all(-_BOUND < number < _BOUND for number in numbers):
        return None
    return Failure("nonsense", "an integer of more than 64 bits came")


def _too_long(values: Sequence[Any], text: str | bytes, name: str = "ids") -> Failure | None:
    if len(values) <= LEAST_IDS:
        return None
    return _too_many(values, len(text if isinstance(text, bytes) else _bytes(text)), name)


def _too_many(values: Sequence[Any], size: int, name: str = "ids") -> Failure | None:
    if len(values) <= max(LEAST_IDS, IDS_PER_BYTE * size):
        return None
    return Failure("nonsense", f"{len(values):,} {name} for a text of {size:,} bytes")


def _too_many_characters(text: str, ids: int) -> Failure | None:
    if len(text) <= max(CHARACTERS_PER_ID, CHARACTERS_PER_ID * ids):
        return None
    return Failure("nonsense", f"{len(text):,} characters for {ids:,} ids")
