"""Vectors put to a subject: which it fails, and which flags say why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from msgspec import UnsetType

from conformance.checks.base import tails, text_tails
from conformance.checks.settings import first_other
from conformance.checks.stream_decode import decoding_difference
from conformance.checks.stream_encode import encoding_difference
from conformance.core.observation import UNTESTED, Decoding, Encoded, Encoding, Failure
from conformance.core.settings import Answer, difference
from conformance.core.streaming import Chunks, FedStream, Feeding, Late, Streamed, Streaming
from conformance.inputs.training_vector_file import TrainGroup
from conformance.inputs.vector_file import (
    BatchVector,
    DecodeGroup,
    DecodeVector,
    EncodeGroup,
    EncodeVector,
    EncodeWithGroup,
    EncodeWithVector,
    Group,
    StreamDecodeGroup,
    StreamDecodeVector,
    StreamEncodeGroup,
    StreamEncodeVector,
    Vector,
    VectorFile,
    is_scalar,
)
from conformance.subjects.base import Subject

Verdict: TypeAlias = Literal["pass", "fail", "acceptable", "not asked"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a vector.

    verdict: "acceptable" where the answer is another one, and may be; "not asked" of what the subject does not do.
    what: is wrong. expected, observed: from the first difference on.
    """

    group: Group | TrainGroup
    test: Vector
    verdict: Verdict
    what: str = ""
    expected: str = ""
    observed: str = ""


@dataclass(frozen=True, slots=True)
class FlagCount:
    """How many vectors of a flag failed, of how many that were asked."""

    flag: str
    failed: int
    asked: int


Say: TypeAlias = Callable[[str], None]


def run_vectors(vectors: VectorFile, subject: Subject, say: Say = lambda _: None) -> list[Outcome]:
    """The outcome of each vector, in order."""
    outcomes: list[Outcome] = []
    for group in vectors.test_groups:
        say(f"{len(outcomes):,} of {vectors.number_of_tests:,} vectors asked")
        outcomes += _of_group(group, subject)
    return outcomes


def flag_counts(outcomes: Sequence[Outcome]) -> list[FlagCount]:
    """The flags of what failed, those first all of whose vectors failed, and of these the most frequent."""
    asked = Counter(flag for one in outcomes if one.verdict != "not asked" for flag in one.test.flags)
    failed = Counter(flag for one in outcomes if one.verdict == "fail" for flag in one.test.flags)
    counts = [FlagCount(flag, count, asked[flag]) for flag, count in failed.items()]
    return sorted(counts, key=lambda one: (-one.failed / one.asked, -one.failed, one.flag))


def _of_group(group: Group, subject: Subject) -> Iterator[Outcome]:
    if isinstance(group, EncodeGroup):
        yield from _encoded(group, subject)
    elif isinstance(group, DecodeGroup):
        answers = subject.decode_each([test.ids for test in group.tests])
        yield from (_decoded(group, *pair) for pair in zip(group.tests, answers, strict=True))
    elif isinstance(group, EncodeWithGroup):
        encodings = subject.encode_with([group.question(test) for test in group.tests])
        yield from (_encoded_with(group, *pair) for pair in zip(group.tests, encodings, strict=True))
    elif isinstance(group, StreamEncodeGroup | StreamDecodeGroup):
        feedings = [_feeding(group, test) for test in group.tests]
        answers_of_streams = subject.stream(feedings)
        for test, feeding, answer in zip(group.tests, feedings, answers_of_streams, strict=True):
            yield _streamed(group, test, feeding, answer)
    else:
        yield from (_batch(group, test, subject) for test in group.tests)


def _encoded(group: EncodeGroup, subject: Subject) -> Iterator[Outcome]:
    given = [test.given for test in group.tests]
    asked = [n for n, one in enumerate(given) if is_scalar(one) and (subject.takes_bytes or isinstance(one, str))]
    inputs = [given[number] for number in asked]
    found: list[Encoding] | None
    if group.add_special_tokens:
        found = subject.encode_batch(inputs)
    else:
        found = subject.encode_bare([one for one in inputs if isinstance(one, str)])
    answers = dict(zip(asked, found, strict=True)) if found is not None else {}
    for number, test in enumerate(group.tests):
        yield _encoding(group, test, answers.get(number))


def _encoding(group: EncodeGroup, test: EncodeVector, answer: Encoding | None) -> Outcome:
    if answer is None or (isinstance(answer, Failure) and answer.kind in UNTESTED):
        return Outcome(group, test, "not asked")
    if isinstance(answer, Failure):
        return _of_failure(group, test, answer, str([] if isinstance(test.ids, UnsetType) else list(test.ids)))
    if test.result == "refused":
        return _differs(group, test, "answers what the oracle refuses", "a refusal", str(list(answer.ids)))
    if answer.ids != test.ids:
        expected = () if isinstance(test.ids, UnsetType) else test.ids
        return _differs(group, test, "ids", *tails(expected, answer.ids))
    if not isinstance(test.pieces, UnsetType) and answer.tokens not in (None, test.pieces):
        return _differs(group, test, "pieces", *tails(test.pieces, answer.tokens or ()))
    if not isinstance(test.offsets, UnsetType) and answer.offsets not in (None, test.offsets):
        return _differs(group, test, "offsets", *tails(test.offsets, answer.offsets or ()))
    return Outcome(group, test, "pass")


def _decoded(group: DecodeGroup, test: DecodeVector, answer: Decoding) -> Outcome:
    expected = "" if isinstance(test.text, UnsetType) else test.text
    if isinstance(answer, Failure):
        return _of_failure(group, test, answer, ascii(expected))
    text = answer.text if group.skip_special_tokens else answer.kept
    if test.result == "refused":
        return _differs(group, test, "answers what the oracle refuses", "a refusal", ascii(text))
    return (
        Outcome(group, test, "pass") if text == expected else _differs(group, test, "text", *text_tails(expected, text))
    )


def _batch(group: Group, test: BatchVector, subject: Subject) -> Outcome:
    """The batch call; where there is none, the texts one after the other."""
    answers = subject.encode_batch(test.texts)
    failure = next((one for one in answers if isinstance(one, Failure)), None)
    if failure is not None:
        return _of_failure(group, test, failure, str(list(map(list, test.ids))))
    for expected, answer in zip(test.ids, answers, strict=True):
        if isinstance(answer, Encoded) and answer.ids != expected:
            return _differs(group, test, "ids", *tails(expected, answer.ids))
    return Outcome(group, test, "pass")


def _encoded_with(group: EncodeWithGroup, test: EncodeWithVector, answer: Answer) -> Outcome:
    """Compare an answer part by part, and pass over parts that it lacks."""
    due = tuple(one.encoded for one in test.encodings or ())
    if answer is None:
        return Outcome(group, test, "not asked")
    if isinstance(answer, Failure):
        return _of_failure(group, test, answer, str([list(one.ids) for one in due]))
    if test.result == "refused":
        ids = [list(one.ids) for one in answer]
        return _differs(group, test, "answers what the oracle refuses", "a refusal", str(ids))
    part = difference(due, answer)
    return (
        _differs(group, test, part, *tails(*first_other(due, answer, part))) if part else Outcome(group, test, "pass")
    )


def _of_failure(group: Group, test: Vector, failure: Failure, expected: str) -> Outcome:
    if failure.kind in UNTESTED:
        return Outcome(group, test, "not asked")
    if test.result == "refused" and failure.kind == "refused":
        return Outcome(group, test, "pass")
    return _differs(group, test, failure.kind, expected, failure.message)


def _differs(group: Group, test: Vector, what: str, expected: str, observed: str) -> Outcome:
    verdict: Verdict = "acceptable" if test.result == "acceptable" and what != "crashed" else "fail"
    return Outcome(group, test, verdict, what, expected, observed)


# --- streams


def _feeding(group: Group, test: Vector) -> Feeding:
    if isinstance(group, StreamDecodeGroup) and isinstance(test, StreamDecodeVector):
        return Feeding(
            "decoder",
            test.ids,
            group.skip_special_tokens,
            forgotten=() if isinstance(test.forgotten_ids, UnsetType) else test.forgotten_ids,
            beside=() if isinstance(test.beside_text, UnsetType) else test.ids,
            stop=0 if isinstance(test.stop, UnsetType) else test.stop,
            is_finished=test.is_finished is True,
        )
    assert isinstance(test, StreamEncodeVector)
    chunks = _chunks(test.chunks, test.chunks_hex)
    forgotten = _chunks(test.forgotten_chunks, test.forgotten_chunks_hex)
    beside = chunks if test.is_beside is True else ()
    return Feeding("encoder", chunks, forgotten=forgotten, beside=beside, is_finished=test.is_finished is True)


def _chunks(texts: tuple[str, ...] | UnsetType, hexes: tuple[str, ...] | UnsetType) -> Chunks:
    if not isinstance(texts, UnsetType):
        return texts
    return () if isinstance(hexes, UnsetType) else tuple(map(bytes.fromhex, hexes))


def _streamed(group: Group, test: Vector, feeding: Feeding, answer: Streaming) -> Outcome:
    """What the checks of streams say of it, with the vector's answer for the whole."""
    if answer is None:
        return Outcome(group, test, "not asked")
    if isinstance(answer, Failure):
        return _of_failure(group, test, answer, "the whole")
    late = _late(test, answer)
    if isinstance(test, StreamEncodeVector):
        found = encoding_difference(FedStream(feeding, answer, test.ids, test.ids, late))
    else:
        assert isinstance(test, StreamDecodeVector)
        beside = "" if isinstance(test.beside_text, UnsetType) else test.beside_text
        found = decoding_difference(FedStream(feeding, answer, test.text, beside, late))
    if found is None:
        return Outcome(group, test, "pass")
    return _differs(group, test, found.rule, found.expected, found.observed)


def _late(test: Vector, answer: Streamed) -> Late | None:
    """The first chunk after which less has come out than was due."""
    due = test.due if isinstance(test, StreamEncodeVector | StreamDecodeVector) else ()
    if isinstance(due, UnsetType) or len(due) != len(answer.given):
        return None
    for number, (wanted, given) in enumerate(zip(due, accumulate(map(len, answer.given)), strict=True)):
        if given < wanted:
            return Late(number, wanted - given, 0)
    return None
