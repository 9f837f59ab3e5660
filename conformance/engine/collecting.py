"""Asking every subject of a bench about every case."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from zlib import crc32

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Compared, RoundTrip
from conformance.checks.round_trip import RoundTripRule, round_trip_rule
from conformance.core.case import Case
from conformance.core.chats import AskedChat
from conformance.core.observation import UNTESTED, Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.settings import Asked
from conformance.core.streaming import FedStream
from conformance.engine.bench import Bench
from conformance.engine.chats import Chats
from conformance.engine.settings import Settings
from conformance.engine.streams import Streams
from conformance.inputs.cuts import Depth
from conformance.subjects.base import Subject
from reftok import ReftokError, Tokenizer

STREAMED, STREAMED_IDS = 31, 7
"""Of many texts, and of many lists of ids, about one in so many is fed to streams: so they take a tenth of the time."""
WITH_SETTINGS = 8
"""Of the texts that are fed to streams, about one in so many is asked with settings."""
FEW_CASES = 200
_MANY_IDS = ("fuzz:", "vocab:")
"""Where ids come from by the thousand."""

AnyAnswer = TypeVar("AnyAnswer", bound=Encoding | Decoding | None)


def collect_answers(
    bench: Bench, cases: Sequence[Case], checks: Sequence[str], subject: str | None = None, depth: Depth = "sample"
) -> Mapping[str, list[Answers]]:
    """The answers of every subject, or one `subject`, to every case; the oracle first: the others decode its ids.

    depth: how much texts and ids are cut for streams. A sample is of those that `is_streamed` names, or of all where
        the cases are no more than `FEW_CASES`; these are also the cases that are asked in bulk.
    """
    asked = {name: one for name, one in bench.subjects.items() if subject in (None, name)}
    return answers_of(bench, asked, cases, checks, depth)


def answers_of(
    bench: Bench,
    subjects: Mapping[str, Subject],
    cases: Sequence[Case],
    checks: Sequence[str],
    depth: Depth = "sample",
) -> Mapping[str, list[Answers]]:
    """The answers of the oracle and of subjects with the same model, which need not be those of the bench, by name.

    depth: as of `collect_answers`.
    """
    asker = _Asker(bench.reference.tokenizer, cases, {CHECKS[check].compares for check in checks}, depth)
    oracle = asker.answers(bench.subjects[bench.oracle], None)
    others = {name: one for name, one in subjects.items() if name != bench.oracle}
    return {bench.oracle: oracle, **{name: asker.answers(one, oracle) for name, one in others.items()}}


def is_streamed(case: Case) -> bool:
    """Whether a case is one of those of many that are fed to streams: about one in `STREAMED`, or in `STREAMED_IDS`.

    That follows from what the case is and where it came from, so it is the same in every process. A fixed step would
    fall in with the turns that generators take, of which some would then never be heard. Ids that a corpus gives are
    all fed: they are few, and each was written down because somebody's decoder was wrong there.

    >>> [number for number in range(40) if is_streamed(Case("ids", f"fuzz:0:{number}", ids=(number,)))]
    [0, 2, 6, 23, 31, 38]
    """
    if case.kind == "ids" and not case.origin.startswith(_MANY_IDS):
        return True
    content = f"{case.origin}\0{case.readable_text}\0{case.ids}"
    return crc32(content.encode("utf-8", "surrogatepass")) % (STREAMED_IDS if case.kind == "ids" else STREAMED) == 0


class _RoundTrips:
    """The texts that must come back, each worked out once for all subjects."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._rule = round_trip_rule(tokenizer)
        self._known: dict[str | bytes, RoundTrip | None] = {}

    def of(self, text: str | bytes, by_oracle: Decoding | None) -> RoundTrip | None:
        """The text that must come back.

        by_oracle: what the oracle makes of its own ids, where it is asked: if that is the text itself, nothing needs
            working out.
        """
        if self._rule is None:
            return None
        if text not in self._known:
            if isinstance(by_oracle, Decoded) and text in (by_oracle.text, by_oracle.with_special):
                self._known[text] = RoundTrip(by_oracle.kept)
            else:
                self._known[text] = self._worked_out(self._rule, text)
        return self._known[text]

    def _worked_out(self, rule: RoundTripRule, text: str | bytes) -> RoundTrip | None:
        try:
            return rule(text)
        except ReftokError:
            return None


class _Asker:
    """Asks subjects about the same cases, one subject after another. compared: what the checks compare."""

    def __init__(
        self, tokenizer: Tokenizer, cases: Sequence[Case], compared: Collection[Compared], depth: Depth
    ) -> None:
        self._cases = cases
        self._compared = compared
        self._streams = Streams(tokenizer, depth)
        self._round_trips = _RoundTrips(tokenizer) if "own_decoding" in compared else None
        self._is_sample = depth == "sample" and len(cases) > FEW_CASES
        self._adds_special_tokens = "bare" in compared and _adds_special_tokens(tokenizer)
        self._settings = Settings(tokenizer) if "with_settings" in compared else None
        self._chats = Chats(tokenizer) if "chat" in compared else None
        self._closely = {index for index, case in enumerate(cases) if not self._is_sample or is_streamed(case)}

    def answers(self, subject: Subject, oracle: Sequence[Answers] | None) -> list[Answers]:
        """The answers of one subject. oracle: those of the oracle, whose ids all decode; None for itself."""
        batch = self._encodings(subject)
        said = self._alone(subject, batch) if "batch" in self._compared and subject.has_batch else batch
        encodings = [_tested(one) for one in said]
        bulk_ids = self._bulk_ids(subject) if "batch" in self._compared else {}
        bare = self._bare(subject) if self._adds_special_tokens else {}
        with_settings, errors = self._with_settings(subject, oracle)
        chats: Mapping[int, AskedChat] = {}
        chat_errors: Mapping[int, str] = {}
        if self._chats is not None and oracle is not None:
            texts = {index: case.text for index, case in enumerate(self._cases) if case.kind == "text"}
            chats, chat_errors = self._chats.given(subject, texts)
        due = [encoding if oracle is None else oracle[index].encoding for index, encoding in enumerate(encodings)]
        decoded = [case.ids if case.kind == "ids" else _ids(one) for case, one in zip(self._cases, due, strict=True)]
        decodings = self._decodings(subject, encodings, decoded)
        answers: list[Answers] = []
        for index, (case, encoding) in enumerate(zip(self._cases, encodings, strict=True)):
            if encoding is None and case.kind != "ids":  # it does not encode, but may render chats
                error = _adapter_error(said[index]) or chat_errors.get(index, "")
                answers.append(Answers(adapter_error=error, chat=chats.get(index)))
                continue
            ids = decoded[index]
            answer = self._answer(subject, case, said[index], ids, decodings, is_oracle=oracle is None)
            if said is not batch:
                error = answer.adapter_error or _adapter_error(batch[index])
                answer = replace(answer, batch=_tested(batch[index]), adapter_error=error)
            if index in bulk_ids:
                answer = replace(answer, bulk_ids=bulk_ids[index])
            if index in bare:
                answer = _with_bare(answer, bare[index])
            if index in with_settings:
                error = answer.adapter_error or errors.get(index, "")
                answer = replace(answer, with_settings=with_settings[index], adapter_error=error)
            if index in chats:
                error = answer.adapter_error or chat_errors.get(index, "")
                answer = replace(answer, chat=chats[index], adapter_error=error)
            if index in self._closely:
                answer = self._with_streams(answer, subject, case, ids)
            answers.append(answer)
        return answers

    def _encodings(self, subject: Subject) -> list[Encoding | None]:
        """The encoding of each case; None where there is nothing to encode, or the subject does not do so."""
        asked = [_encodes(subject, case) for case in self._cases]
        inputs = [_input(case) for case, is_asked in zip(self._cases, asked, strict=True) if is_asked]
        found = iter(subject.encode_batch(inputs))
        return [next(found) if is_asked else None for is_asked in asked]

    def _alone(self, subject: Subject, batch: Sequence[Encoding | None]) -> list[Encoding | None]:
        """The encoding of each text that the batch has, on its own."""
        asked = zip(self._cases, batch, strict=True)
        return [None if encoding is None else subject.encode(_input(case)) for case, encoding in asked]

    def _decodings(
        self, subject: Subject, encodings: Sequence[Encoding | None], decoded: Sequence[tuple[int, ...] | None]
    ) -> Mapping[tuple[int, ...], Decoding]:
        """The texts of all ids that are asked: of the oracle's, and of those that the subject itself gave."""
        cases = zip(self._cases, encodings, decoded, strict=True)
        asked = [ids for case, one, ids in cases if ids is not None and (one is not None or case.kind == "ids")]
        if self._round_trips is not None:
            asked += [ids for ids in map(_ids, encodings) if ids is not None]
        each = [*dict.fromkeys(asked)]
        return dict(zip(each, subject.decode_each(each), strict=True))

    def _bulk_ids(self, subject: Subject) -> dict[int, tuple[int, ...]]:
        """The ids that a subject gives in bulk, by the place of the case; of many, for those that are streamed."""
        bulk = subject.in_bulk()
        if bulk is None:
            return {}
        asked = [index for index in sorted(self._closely) if _encodes(subject, self._cases[index])]
        found = zip(asked, bulk.ids([_input(self._cases[index]) for index in asked]), strict=True)
        return {index: tuple(ids) for index, ids in found if ids is not None}

    def _bare(self, subject: Subject) -> dict[int, Encoding]:
        """The encodings without special tokens, by the place of the case; of many, for those that are streamed."""
        asked = [index for index in sorted(self._closely) if self._cases[index].kind == "text"]
        found = subject.encode_bare([self._cases[index].text for index in asked])
        return {} if found is None else dict(zip(asked, found, strict=True))

    def _with_settings(
        self, subject: Subject, oracle: Sequence[Answers] | None
    ) -> tuple[Mapping[int, tuple[Asked, ...]], Mapping[int, str]]:
        """The answers to questions with settings, and adapter errors, by the place of the case."""
        if self._settings is None:
            return {}, {}
        texts = ((index, self._cases[index]) for index in sorted(self._closely))
        asked = [index for index, case in texts if case.kind == "text" and self._is_with_settings(case)]
        if oracle is None:
            return self._settings.due(subject, {index: self._cases[index].text for index in asked}), {}
        due = {index: oracle[index].with_settings for index in asked}
        return self._settings.given(subject, {index: one for index, one in due.items() if one is not None})

    def _is_with_settings(self, case: Case) -> bool:
        """Whether the text is asked with settings: of a sample, every few that are fed to streams."""
        return not self._is_sample or crc32(case.text.encode("utf-8", "surrogatepass")) % WITH_SETTINGS == 0

    def _answer(
        self,
        subject: Subject,
        case: Case,
        encoding: Encoding | None,
        ids: tuple[int, ...] | None,
        decodings: Mapping[tuple[int, ...], Decoding],
        is_oracle: bool,
    ) -> Answers:
        """ids: what is decoded. decodings: of all ids."""
        decoding = None if ids is None else decodings[ids]
        own_ids = _ids(encoding)
        own_decoding = round_trip = None
        if self._round_trips is not None and own_ids is not None:
            own_decoding = decodings[own_ids]
            round_trip = self._round_trips.of(_input(case), own_decoding if is_oracle else None)
        return Answers(
            _tested(encoding),
            decoding=_tested(decoding),
            own_decoding=_tested(own_decoding),
            round_trip=round_trip,
            adapter_error=_adapter_error(encoding, decoding, own_decoding),
        )

    def _with_streams(self, answers: Answers, subject: Subject, case: Case, ids: tuple[int, ...] | None) -> Answers:
        """The answers with those of the subject's streams. ids: what is decoded."""
        encoded = decoded = None
        if "stream_encoded" in self._compared and case.kind != "ids":
            encoded = self._streams.encoders(subject, case, answers.encoding)
        if "stream_decoded" in self._compared and ids is not None:
            decoded = self._streams.decoders(subject, ids, answers.decoding)
        if not encoded and not decoded:
            return answers
        failures = [one.streaming for one in (*(encoded or ()), *(decoded or ())) if isinstance(one.streaming, Failure)]
        return replace(
            answers,
            stream_encoded=_tested_streams(encoded),
            stream_decoded=_tested_streams(decoded),
            adapter_error=answers.adapter_error or _adapter_error(*failures),
        )


def _adds_special_tokens(tokenizer: Tokenizer) -> bool:
    """Whether a text is encoded otherwise without them."""
    try:
        return tokenizer.encode_ids("a") != tokenizer.encode_ids("a", add_special_tokens=False)
    except ReftokError:
        return False


def _with_bare(answers: Answers, bare: Encoding) -> Answers:
    """The answers with that without special tokens."""
    return replace(answers, bare=_tested(bare), adapter_error=answers.adapter_error or _adapter_error(bare))


def _adapter_error(*answers: Encoding | Decoding | None) -> str:
    """The first that an adapter says of itself; "" where it says nothing."""
    for one in answers:
        if isinstance(one, Failure) and one.kind == "adapter error":
            return one.message
    return ""


def _tested(answer: AnyAnswer) -> AnyAnswer | None:
    """An answer; None for one that says nothing of the implementation."""
    return None if isinstance(answer, Failure) and answer.kind in UNTESTED else answer


def _tested_streams(fed: tuple[FedStream, ...] | None) -> tuple[FedStream, ...] | None:
    """Streams without those that say nothing of the implementation."""
    if fed is None:
        return None
    kept = tuple(one for one in fed if not (isinstance(one.streaming, Failure) and one.streaming.kind in UNTESTED))
    return kept if kept or not fed else None


def _ids(encoding: Encoding | None) -> tuple[int, ...] | None:
    return encoding.ids if isinstance(encoding, Encoded) else None


def _encodes(subject: Subject, case: Case) -> bool:
    """Whether the subject is asked to encode this case: bytes are only for those who take bytes."""
    return case.kind == "text" or (case.kind == "bytes" and subject.takes_bytes)


def _input(case: Case) -> str | bytes:
    return case.data if case.kind == "bytes" else case.text
