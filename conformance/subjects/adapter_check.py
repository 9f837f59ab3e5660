"""The adapter of a subject, looked at before anything is compared: its mistakes would be told as the library's.

Some twenty exchanges, each read by the types of the protocol. What is wrong in all of them is no library's mistake, and
is said in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias, TypeVar

import msgspec

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.streaming import Feeding, Streamed
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.process import NoAnswer
from conformance.subjects.protocol import (
    Answer,
    Decode,
    DecodeAnswer,
    Encode,
    EncodeAnswer,
    IdsInput,
    Input,
    Refused,
    Reset,
    ResetAnswer,
)
from conformance.subjects.protocol_subject import ProtocolSubject
from conformance.subjects.special_tokens import SpecialTokens
from conformance.subjects.units import Unit, in_code_points

TEXTS = (
    "a",
    "Hello world",
    "The quick brown fox.",
    "one two  three",
    "1234 and 5",
    "caf\u00e9",
    "\u65e5\u672c\u8a9e",
    "\u0440\u0443\u0441\u0441\u043a\u0438\u0439",
    "a\nb",
    "\U0001f600 a",
)
FIRST_WORD, FIRST_LINE = "Hello", "na\u00efve caf\u00e9, \u65e5\u672c\u8a9e \U0001f600"
_OF_ADAPTERS = ("nonsense", "adapter error")
_DEATHS = ("timed out", "timed out once", "crashed once", "not asked")
AnyAnswer = TypeVar("AnyAnswer", Encoding, Decoding)
_LEAST = 3
"""Fewer answers of a kind prove nothing."""
_OR_SAY_SO = "hand the choice on to the library, or say so in the capabilities"
UNITS: Sequence[tuple[Unit, str]] = (
    ("scalar", "code points"),
    ("utf8", "bytes of UTF-8"),
    ("utf16", "code units of UTF-16"),
    ("grapheme", "grapheme clusters"),
)


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The first answers of a subject, where all of a kind are alike.

    nothing: what it gives none of, a sentence each, as no library does. doubts: what is wrong in every answer, which a
    library may do: one that dies of everything, or never writes the prefix.
    """

    nothing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def all_raised(subject: ProtocolSubject, ids: Sequence[int]) -> str:
    """What a subject says where it raises on each of three questions: an ASCII word, a line that is none, some ids.

    ids: of the word. "" where it answers one, or does not raise but fails in another way, which a run tells. Else an
    error with its traceback, so far as the subject tells where it was, an error a line or more.
    """
    encodes, decodes = subject.capabilities.encode is not None, subject.capabilities.decode is not None
    texts = (Input(text=FIRST_WORD), Input(text=FIRST_LINE))
    requests: list[Encode | Decode] = []
    if encodes:
        requests += [Encode(id=0, items=(text,), add_special_tokens=True, want=("ids",)) for text in texts]
    if decodes:
        requests.append(Decode(id=0, items=(IdsInput(ids=tuple(ids)),), skip_special_tokens=True))
    said: dict[str, None] = {}
    for request in requests:
        try:
            refused = _refused(subject.exchange(msgspec.structs.replace(request, id=subject.next_number())))
        except (NoAnswer, UnavailableError):
            return ""
        if refused is None:
            return ""
        said[refused.traceback.rstrip() or refused.message] = None
    return "\n".join(said)


def _refused(answer: Answer) -> Refused | None:
    results = answer.results if isinstance(answer, EncodeAnswer | DecodeAnswer) else None
    return results[0].refused if results else None


def first_look(subject: Subject, oracle: Subject) -> FirstLook:
    """A few texts, encoded and decoded; nothing more after a hang or a death, which the run tells.

    oracle: the official library with the same model.
    """
    expected = oracle.encode_batch(TEXTS)
    ids = [one.ids for one in expected if isinstance(one, Encoded)]
    observed = _up_to_a_death(map(subject.encode, TEXTS))
    decoded = _up_to_a_death(map(subject.decode, ids)) if len(observed) == len(TEXTS) else []
    if len(decoded) < len(ids):
        return FirstLook()
    encodings = _tested(zip(expected, observed, strict=True))
    decodings = _tested(zip(map(oracle.decode, ids), decoded, strict=True))
    nothing: tuple[str, ...] = (_no_encodings(encodings), _no_decodings(decodings))
    doubts: tuple[str, ...] = (
        _no_answers("encoded", encodings) or _wrong_encodings([*zip(TEXTS, expected, observed, strict=True)]),
        _no_answers("decoded", decodings) or _wrong_decodings(decodings),
    )
    doubts = tuple("" if none else doubt for none, doubt in zip(nothing, doubts, strict=True))
    return FirstLook(tuple(filter(None, nothing)), tuple(filter(None, doubts)))


def _up_to_a_death(answers: Iterable[AnyAnswer]) -> list[AnyAnswer]:
    return list(takewhile(lambda one: not isinstance(one, Failure) or one.kind not in _DEATHS, answers))


def told(subject: ProtocolSubject) -> str:
    """A subject by what it says of itself and of what it does, in a line."""
    about, offers = subject.about, subject.capabilities
    does = [
        name
        for name, has in (
            ("encode", offers.encode is not None),
            ("decode", offers.decode is not None),
            ("batches", offers.encode_batch),
            ("settings", offers.encode_with is not None),
            ("chats", offers.chat),
            ("a streaming encoder", offers.stream_encode is not None),
            ("a streaming decoder", offers.stream_decode is not None),
            ("reset", offers.reset),
        )
        if has
    ]
    beside = f", with {', '.join(offers.encode.fields)}" if offers.encode is not None and offers.encode.fields else ""
    name = " ".join(filter(None, (about.name, about.version)))
    return f"{name} ({', '.join(filter(None, (about.language, about.runtime)))}): {', '.join(does)}{beside}"


def mistakes(subject: ProtocolSubject, oracle: Subject, tokens: SpecialTokens) -> Iterator[str]:
    """What an adapter gets wrong, a sentence each, in the order in which it should be mended.

    tokens: the special tokens of the model.
    """
    look = first_look(subject, oracle)
    yield from (*look.nothing, *look.doubts)
    if subject.noise:
        count = len(subject.noise)
        yield f"noise on standard output ({count} line{'s' * (count > 1)}): log to standard error: {subject.noise[0]!r}"
    if look.nothing:
        return
    yield from _of_template(subject, oracle, tokens)  # without it every encoding may be wrong
    if look.doubts:
        return
    yield from _of_order(subject)
    yield from _of_special_tokens(subject, oracle, tokens)
    yield from _of_offsets(subject, oracle)
    yield from _of_batches(subject)
    yield from _of_streams(subject)
    yield from _of_messages(subject)


Pair: TypeAlias = tuple[Encoding | Decoding, Encoding | Decoding]


def _tested(pairs: Iterable[Pair]) -> list[Pair]:
    """What is due and what came, where the one is an answer and the other is not left out; too few prove nothing."""
    found: list[Pair] = []
    for due, came in pairs:
        if not isinstance(due, Failure) and not (isinstance(came, Failure) and came.kind == "skipped"):
            found.append((due, came))
    return found if len(found) >= _LEAST else []


def _no_encodings(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    if all(isinstance(came, Failure) and came.kind in _OF_ADAPTERS for _, came in pairs):
        return _no_answers("encoded", pairs)
    if any(not isinstance(came, Encoded) or came.ids for _, came in pairs):
        return ""
    return "every list of ids is empty: is it the adapter?"


def _no_decodings(pairs: Sequence[Pair]) -> str:
    if not pairs:
        return ""
    if all(isinstance(came, Failure) and came.kind in _OF_ADAPTERS for _, came in pairs):
        return _no_answers("decoded", pairs)
    if any(not isinstance(came, Decoded) or came.text for _, came in pairs):
        return ""
    return "every decoded text is empty: is it the adapter?"


def _no_answers(done: str, pairs: Sequence[Pair]) -> str:
    """That nothing is encoded, or decoded, and why; "" where something is."""
    failures = [came for _, came in pairs if isinstance(came, Failure)]
    if not pairs or len(failures) < len(pairs):
        return ""
    return f"nothing is {done}: {failures[0].kind}: {failures[0].message}"


def _wrong_encodings(asked: Sequence[tuple[str, Encoding, Encoding]]) -> str:
    found = [(text, due, came) for text, due, came in asked if isinstance(due, Encoded) and isinstance(came, Encoded)]
    if len(found) < _LEAST or any(due.ids == came.ids for _, due, came in found):
        return ""
    text, due, came = found[0]
    what = f"{text!r} is {_ids(came)} here, and {_ids(due)} by the official library"
    return f"every encoding is wrong: is it the adapter, or another model? {what}"


def _wrong_decodings(pairs: Sequence[Pair]) -> str:
    found = [(due, came) for due, came in pairs if isinstance(due, Decoded) and isinstance(came, Decoded)]
    if len(found) < _LEAST or any(due.text == came.text for due, came in found):
        return ""
    due, came = found[0]
    return f"every decoded text is wrong: is it the adapter? {came.text!r} came where {due.text!r} was due"


def _ids(encoded: Encoded) -> str:
    shown = ", ".join(map(str, encoded.ids[:8]))
    return f"[{shown}{', …' if len(encoded.ids) > 8 else ''}]"


def _of_order(subject: ProtocolSubject) -> Iterator[str]:
    """Whether an item has the same answer among others as alone."""
    together = subject.encode_batch(TEXTS)
    alone = [subject.encode(text) for text in reversed(TEXTS)][::-1]
    moved = [text for text, *pair in zip(TEXTS, together, alone, strict=True) if pair[0] != pair[1]]
    if moved:
        yield f"answers change with what else is asked: {moved[0]!r} alone has another answer than among others"


def _of_template(subject: ProtocolSubject, oracle: Subject, tokens: SpecialTokens) -> Iterator[str]:
    """Whether the special tokens of the template are added where they are wanted, and there alone."""
    around = (*tokens.before.ids, *tokens.after.ids)
    if not around:
        return
    given = [one for one in map(subject.encode, TEXTS) if isinstance(one, Encoded)]
    due = [one for one in map(oracle.encode, TEXTS) if isinstance(one, Encoded)]
    bare = [one.ids for one in subject.encode_bare(TEXTS) or () if isinstance(one, Encoded)]
    if given and all(tokens.around(one).ids == other.ids for one, other in zip(given, due, strict=False)):
        yield f"special tokens of the template are never added: {_OR_SAY_SO} (encode.add_special_tokens)"
    elif bare and bare == [one.ids for one in given]:
        yield f"special tokens of the template are always added: {_OR_SAY_SO} (encode.add_special_tokens)"


def _of_special_tokens(subject: ProtocolSubject, oracle: Subject, tokens: SpecialTokens) -> Iterator[str]:
    if not tokens.ids or not tokens.contents:
        return
    first = min(tokens.ids)
    plain = oracle.encode("a")
    offers = subject.capabilities.decode
    if isinstance(plain, Encoded) and offers is not None and offers.skip_special_tokens == "choice":
        asked, due = subject.decode([*plain.ids, first]), oracle.decode([*plain.ids, first])
        if isinstance(asked, Decoded) and isinstance(due, Decoded) and due.text != due.kept:
            if asked.text == asked.kept == due.text:
                yield f"special tokens are always skipped: {_OR_SAY_SO} (decode.skip_special_tokens)"
            elif asked.text == asked.kept == due.kept:
                yield f"special tokens are never skipped: {_OR_SAY_SO} (decode.skip_special_tokens)"
    encodes = subject.capabilities.encode
    if encodes is not None and encodes.special_in_text == "matched":
        text = f"a{tokens.contents[0]}b"
        say_so = "if it is meant so, say so in the capabilities (encode.special_in_text)"
        found, matched = subject.encode(text), oracle.encode(text)
        if isinstance(matched, Encoded) and tokens.ids & {*matched.ids}:
            if isinstance(found, Encoded) and not tokens.ids & {*found.ids} - {*tokens.before.ids, *tokens.after.ids}:
                yield f"{tokens.contents[0]!r} in a text is taken as text: {say_so}"
            elif isinstance(found, Failure):
                yield f"{tokens.contents[0]!r} in a text is refused: {say_so}"


def _of_offsets(subject: ProtocolSubject, oracle: Subject) -> Iterator[str]:
    """Whether the offsets are in another unit than the adapter says."""
    offers = subject.capabilities.encode
    if offers is None or "offsets" not in offers.fields:
        return
    text = "caf\u00e9 \U0001f600 a\u0301b c"
    asked, due = subject.encode(text), oracle.encode(text)
    if not isinstance(asked, Encoded) or not isinstance(due, Encoded) or asked.ids != due.ids:
        return
    if asked.offsets is None:
        yield "offsets are promised, and not given"
    elif due.offsets is not None and asked.offsets != due.offsets and offers.offsets_unit == "scalar":
        for unit, name in UNITS[1:]:
            if in_code_points(asked.offsets, text, unit) == due.offsets:
                yield f"offsets are in {name}: say so in the capabilities (encode.offsets_unit)"
                return


def _of_batches(subject: ProtocolSubject) -> Iterator[str]:
    if subject.has_batch:
        failure = next((one for one in subject.encode_batch(TEXTS[:3]) if isinstance(one, Failure)), None)
        if failure is not None and "encode_batch" in failure.message:
            yield f"a batch call is promised, and fails: {failure.message}"


def _of_streams(subject: ProtocolSubject) -> Iterator[str]:
    encoded = subject.encode(TEXTS[1])
    if not isinstance(encoded, Encoded):
        return
    decoded = subject.decode(encoded.ids)
    for feeding, whole in (
        (Feeding("encoder", (TEXTS[1][:3], TEXTS[1][3:])), encoded.ids),
        (Feeding("decoder", encoded.ids), decoded.text if isinstance(decoded, Decoded) else None),
    ):
        (streamed,) = subject.stream([feeding])
        offers = subject.capabilities
        if streamed is None and (offers.stream_encode if feeding.to == "encoder" else offers.stream_decode) is not None:
            yield f"a streaming {feeding.to} is promised, and has no answer: it is skipped, or the adapter has an error"
        elif isinstance(streamed, Failure):
            yield f"a streaming {feeding.to} is promised, and fails: {streamed.kind}: {streamed.message}"
        elif isinstance(streamed, Streamed):
            if len(streamed.given) != len(feeding.chunks) + 1:
                due = len(feeding.chunks) + 1
                yield f"a streaming {feeding.to} gives {len(streamed.given)} pieces: one a chunk and the last are {due}"
            elif not any(streamed.given) and whole:
                yield f"a streaming {feeding.to} gives nothing"


def _of_messages(subject: ProtocolSubject) -> Iterator[str]:
    """How the adapter takes what no library has to know of: no items, a reset, the end."""
    number = iter(range(1 << 30, 1 << 31))
    try:
        subject.exchange(Encode(id=next(number), items=(), add_special_tokens=True, want=("ids",)))
    except NoAnswer as error:
        yield f"a message without items has no answer: {error.failure.message}"
        return
    if subject.capabilities.reset:
        try:
            answer = subject.exchange(Reset(id=next(number)))
            if not (isinstance(answer, ResetAnswer) and answer.ok):
                yield 'a reset is promised, and not answered by {"ok": true}'
        except NoAnswer as error:
            yield f"a reset is promised, and fails: {error.failure.message}"
            return
    code = subject.stopped()
    if code is None:
        yield "it does not end within 5 seconds of a `stop`"
    elif code != 0:
        yield f"it ends with exit code {code} after a `stop`, not with 0"
