"""Attribution of mismatches within a worker: stage and rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from conformance.checks import CHECKS
from conformance.checks.bare import ALWAYS_ADDED
from conformance.checks.base import Answers, Diagnosis, Difference
from conformance.checks.stream_encode import OTHER_IDS
from conformance.core.case import Case
from conformance.core.finding import Severity
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.streaming import FedStream
from conformance.diagnosis.causes import (
    Attribution,
    attribute_boundaries,
    attribute_decoding,
    attribute_offsets,
    offset_rules,
    refused_ids,
    refused_text,
)
from conformance.diagnosis.decode_stream import CAUSES
from conformance.diagnosis.fault_search import FaultSearch, Sample
from conformance.diagnosis.learning import LONGEST_SAMPLE, IdsSample, TextSample, learnt_of_ids, learnt_of_texts
from conformance.diagnosis.samples import OffsetSamples, StreamSamples
from conformance.diagnosis.seams import EACH_CHUNK_ALONE, attribute_stream_encoding
from conformance.faults import (
    DecodingFault,
    Fault,
    decoding_faults,
    faults,
    of_classes,
    predicted,
)
from conformance.faults.models import piece_table
from conformance.faults.older_releases import release_decoding_faults, release_faults
from conformance.faults.pre_tokenizers import doubtful_characters
from reftok import Encoding, ReftokError, Tokenizer
from reftok.rules.sentencepiece.pieces import PieceType

LONGEST_TEXT = 2_000
MOST_COMPARED = 8

Prediction: TypeAlias = Callable[[Case], object]
"""The answer of a fault to a case, None where it has none."""


class Attributor:
    """Names stage and rule for the mismatches of one model.

    encoding, decoding: the searches for what is wrong with ids and with texts.
    reference: the subject that is the reference itself; where that differs, the fault is in what the oracle does.
    is_over: whether the time is over: then no fault is sought that was not believed before.
    A text longer than `LONGEST_TEXT` code points waits for the shrinker.
    """

    def __init__(self, tokenizer: Tokenizer, reference: str, is_over: Callable[[], bool] = lambda: False) -> None:
        self._tokenizer = tokenizer
        self._reference = reference
        self.encoding: FaultSearch[Fault, str, tuple[int, ...]] = FaultSearch(
            lambda: (*release_faults(tokenizer), *faults(tokenizer)),
            lambda fault, text: tuple(fault.ids(text)),
            learnt=lambda differing, unexplained: learnt_of_texts(
                tokenizer, self.encoding.fits, differing, unexplained
            ),
            is_over=is_over,
        )
        self.decoding: FaultSearch[DecodingFault, tuple[int, ...], Decoded] = FaultSearch(
            lambda: (*release_decoding_faults(tokenizer), *decoding_faults(tokenizer)),
            lambda fault, ids: Decoded(fault.text(ids, True), fault.text(ids, False)),
            lambda name, fault: self.encoding.speaks_for(name, fault.stage, fault.rule),
            learnt=partial(learnt_of_ids, tokenizer),
            is_over=is_over,
        )
        self._right = Fault("", "", tokenizer.encode_ids)
        self._offsets = OffsetSamples(tokenizer)
        self._streams = StreamSamples(tokenizer)
        self._special_ids = _special_ids(tokenizer)

    def renew(self) -> None:
        """Begin a shard: forget what the one before taught."""
        self.encoding.renew()
        self.decoding.renew()
        self._offsets.clear()
        self._streams.clear()

    def observe(
        self,
        name: str,
        cases: Sequence[Case],
        oracle: Sequence[Answers],
        subject: Sequence[Answers],
        are_sought: bool = False,
    ) -> None:
        """Take short cases that were answered as samples of what a subject does.

        are_sought: they were sought to tell faults apart, so all are heard, and what is believed is weighed anew.
        """
        if are_sought:
            self.encoding.forget_beliefs(name)
            self.decoding.forget_beliefs(name)
        for case, expected, observed in zip(cases, oracle, subject, strict=True):
            if len(case.text) + len(case.ids) > LONGEST_SAMPLE:
                continue
            if observed.stream_encoded:
                self._streams.observe(name, case, observed)
            encodings = _encodings(case, expected, observed)
            if encodings:
                if self.encoding.hears(name, encodings[0].ids == encodings[1].ids, are_sought):
                    self.encoding.observe(name, self._of_text(name, case, *encodings), are_sought)
                self._offsets.observe(name, case.text, *encodings)
            decodings = _decodings(expected, observed)
            if decodings and self.decoding.hears(name, decodings[0] == decodings[1], are_sought):
                ids = _decoded_ids(case, expected)
                self.decoding.observe(name, self._of_ids(name, ids, *decodings), are_sought)

    def rivals(self, name: str, check: str, case: Case, oracle: Answers, subject: Answers) -> list[Prediction]:
        """The predictions of the faults that explain a mismatch, the best first, and last that of the reference."""
        diagnosis = CHECKS[check].diagnosis
        encodings, decodings = _encodings(case, oracle, subject), _decodings(oracle, subject)
        if diagnosis == "decoding" and decodings is not None:
            rivals = self.decoding.rivals(name, self._of_ids(name, _decoded_ids(case, oracle), *decodings))
            right = DecodingFault("", "", self._tokenizer.decode)
            alike = [next(iter(self.encoding.of_rule(one.stage, one.rule)), self._right) for one in (*rivals, right)]
            return [partial(self._decodes, *pair) for pair in zip((*rivals, right), alike, strict=True)]
        if diagnosis == "decoding" or encodings is None:
            return []
        if diagnosis == "ids":
            found = self.encoding.rivals(name, self._of_text(name, case, *encodings))
        else:
            found = [*_that_encode_so(self.encoding.credible(name), diagnosis, case.text, encodings[1])]
        return [partial(self._encodes, one) for one in (*found, self._right)]

    def _encodes(self, fault: Fault, case: Case) -> object:
        return self.encoding.remembered(fault, case.text) if case.kind == "text" else None

    def _decodes(self, fault: DecodingFault, alike: Fault, case: Case) -> object:
        """Its decoded text; of a text, the ids from a tokenizer with the same mistake."""
        return self.decoding.remembered(fault, case.ids) if case.kind == "ids" else self._encodes(alike, case)

    def of(self, name: str, check: str, case: Case, oracle: Answers, subject: Answers) -> Attribution:
        """The stage and rule at fault, as far as they can be told."""
        diagnosis = CHECKS[check].diagnosis
        if _is_refused(diagnosis, subject):
            return self._of_refusal(diagnosis, case, oracle)
        encodings, decodings = _encodings(case, oracle, subject), _decodings(oracle, subject)
        if diagnosis == "decoding" and decodings is not None:
            found = self.decoding.find(name, self._of_ids(name, _decoded_ids(case, oracle), *decodings))
            return attribute_decoding(*decodings) if found is None else Attribution(found.stage, found.rule)
        if diagnosis == "round trip":
            return self._of_round_trip(name, oracle, subject)
        if diagnosis == "special tokens":
            outcome = CHECKS[check](case, oracle, subject)
            is_always = isinstance(outcome, Difference) and outcome.rule == ALWAYS_ADDED
            return Attribution("PostProcessor", ALWAYS_ADDED) if is_always else Attribution()
        if diagnosis == "stream encoding":
            return self._of_stream_encoding(name, case, CHECKS[check].culprit(subject))
        if diagnosis == "stream decoding":
            return _of_stream_decoding(CHECKS[check].culprit(subject))
        if encodings is None or diagnosis in ("decoding", "none") or len(case.text) > LONGEST_TEXT:
            return Attribution()
        if diagnosis == "ids":
            return self._search(name, self._of_text(name, case, *encodings))
        # A fault that changes ids may give the right ones here, and show in tokens and offsets.
        for fault in _that_encode_so(self.encoding.believable(name), diagnosis, case.text, encodings[1]):
            return Attribution(fault.stage, fault.rule)
        if diagnosis == "tokens":
            return Attribution()
        return attribute_offsets(self._tokenizer, case.text, *encodings, self._offsets.told(name))

    def explains(
        self, cause: Attribution, name: str, check: str, case: Case, oracle: Answers, subject: Answers
    ) -> bool:
        """Whether what another mismatch was attributed to explains this one."""
        diagnosis = CHECKS[check].diagnosis
        if _is_refused(diagnosis, subject):
            return self._of_refusal(diagnosis, case, oracle) == cause != Attribution()
        encodings, decodings = _encodings(case, oracle, subject), _decodings(oracle, subject)
        if diagnosis == "decoding" and decodings is not None:
            decoded = self._of_ids(name, _decoded_ids(case, oracle), *decodings)
            return any(self.decoding.fits(one, decoded) for one in self.decoding.of_rule(cause.stage, cause.rule))
        if diagnosis == "decoding" or encodings is None:
            return False
        classes = of_classes(self._tokenizer, case.text) if cause.stage == "PreTokenizer" else ()
        found = [*self.encoding.of_rule(cause.stage, cause.rule), *(one for one in classes if one.rule == cause.rule)]
        if diagnosis == "ids":
            sample = self._of_text(name, case, *encodings)
            return any(self.encoding.fits(one, sample) for one in found)
        if any(_that_encode_so(found, diagnosis, case.text, encodings[1])):
            return True
        return cause.stage == "Offsets" and cause.rule in offset_rules(self._tokenizer, case.text, *encodings)

    def _of_text(self, name: str, case: Case, oracle: Encoded, subject: Encoded) -> TextSample:
        right, other = (subject, oracle) if name == self._reference else (oracle, subject)
        return Sample(case.text, right.ids, other.ids)

    def _of_ids(self, name: str, ids: tuple[int, ...], oracle: Decoded, subject: Decoded) -> IdsSample:
        """Nobody knows what is right with special tokens where the oracle keeps none."""
        if oracle.with_special is None:
            subject = Decoded(subject.text)
        return Sample(ids, subject, oracle) if name == self._reference else Sample(ids, oracle, subject)

    def _of_refusal(self, diagnosis: Diagnosis, case: Case, oracle: Answers) -> Attribution:
        if diagnosis == "decoding":
            return refused_ids(self._tokenizer, _decoded_ids(case, oracle))
        return refused_text(case.readable_text)

    def _of_round_trip(self, name: str, oracle: Answers, subject: Answers) -> Attribution:
        """Whether the ids were decoded as an older release does it; where the reference differs, by the oracle."""
        decoding = oracle.decoding if name == self._reference else subject.decoding
        if not isinstance(oracle.encoding, Encoded) or not isinstance(decoding, Decoded):
            return Attribution()
        ids = oracle.encoding.ids
        newest = Decoded(*(self._tokenizer.decode(ids, skip_special_tokens=skips) for skips in (True, False)))
        if newest == decoding:
            return Attribution()
        for fault in release_decoding_faults(self._tokenizer):
            if self.decoding.fits(fault, Sample(ids, newest, decoding)):
                return Attribution(fault.stage, fault.rule)
        return Attribution()

    def _of_stream_encoding(self, name: str, case: Case, found: tuple[FedStream, Difference] | None) -> Attribution:
        """A seam is told only of two chunks, between which there is one: the shrinker finds those of a text in more."""
        if case.kind != "text" or found is None or found[1].rule != OTHER_IDS:
            return Attribution()
        if self._streams.told(name):
            return EACH_CHUNK_ALONE
        if len(found[0].feeding.chunks) > 2 or len(case.text) > LONGEST_TEXT:
            return Attribution()
        try:
            return attribute_stream_encoding(self._tokenizer, case.text, found[0])
        except ReftokError:
            return Attribution()

    def _search(self, name: str, sample: TextSample) -> Attribution:
        may_search = self.encoding.may_search(name)
        found = self.encoding.find(name, sample)
        if may_search:
            found = self._of_classes(name, sample, found) or found
        if found is not None:
            return Attribution(found.stage, found.rule)
        return attribute_boundaries(self._tokenizer, sample.asked, sample.observed)

    def _of_classes(self, name: str, sample: TextSample, found: Fault | None) -> Fault | None:
        """Characters taken for something else, where that explains more of what differs than the best fault."""
        others = self.encoding.unexplained(name, found)
        if found is not None and not others:
            return None
        fitting = self._classes_that_fit(sample)
        if not fitting or found is None:
            return self._best_of_classes(name, sample.asked, fitting)
        rules = {one.rule: one for one in fitting}
        shortest = sorted(others, key=lambda one: len(one.asked))[:MOST_COMPARED]
        counts = Counter(rule for one in shortest for rule in {fit.rule for fit in self._classes_that_fit(one)})
        best = max(rules, key=lambda rule: counts[rule])
        return rules[best] if 2 * counts[best] > len(shortest) else None

    def _best_of_classes(self, name: str, text: str, fitting: Iterable[Fault]) -> Fault | None:
        """The best fault for what the subject did with these characters elsewhere; of equals, that one is missing."""
        doubtful = set(doubtful_characters(text))
        heard = [one for one in self.encoding.heard(name) if not doubtful.isdisjoint(one.asked)]

        def rank(one: Fault) -> tuple[int, bool]:
            return sum(self.encoding.fits(one, sample) for sample in heard), " is not all " in one.rule

        return max(fitting, key=rank, default=None)

    def _classes_that_fit(self, sample: TextSample) -> list[Fault]:
        classes = of_classes(self._tokenizer, sample.asked)
        return [one for one in classes if self.encoding.fits(one, sample)]

    def severity(self, difference: Difference, oracle: Answers, subject: Answers) -> Severity:
        """The severity of a difference; a special token that the oracle does not give is the worst of other ids."""
        expected, observed = oracle.encoding, subject.encoding
        if difference.severity == "other ids" and isinstance(expected, Encoded) and isinstance(observed, Encoded):
            injected = Counter(observed.ids) - Counter(expected.ids)
            if not self._special_ids.isdisjoint(injected):
                return "special-token injection"
        return difference.severity


def _is_refused(diagnosis: Diagnosis, subject: Answers) -> bool:
    answer = {"ids": subject.encoding, "decoding": subject.decoding}.get(diagnosis)
    return isinstance(answer, Failure) and answer.kind == "refused"


def _special_ids(tokenizer: Tokenizer) -> set[int]:
    """The ids of special tokens; the unknown token is none of those that a text must not be able to inject."""
    special = {token_id for token_id, token in tokenizer.rules.added_tokens.tokens.items() if token.special}
    table = piece_table(tokenizer)
    pieces = () if table is None else table.pieces
    special |= {token_id for token_id, piece in enumerate(pieces) if piece.type is PieceType.CONTROL}
    return special - {tokenizer.rules.model.unk_id}


def _of_stream_decoding(found: tuple[FedStream, Difference] | None) -> Attribution:
    return Attribution("Decoder", found[1].rule) if found and found[1].rule in CAUSES else Attribution()


def _encodings(case: Case, oracle: Answers, subject: Answers) -> tuple[Encoded, Encoded] | None:
    """Both encodings of a text, None where there are none."""
    expected, observed = oracle.encoding, subject.encoding
    if case.kind != "text" or not isinstance(expected, Encoded) or not isinstance(observed, Encoded):
        return None
    return expected, observed


def _decodings(oracle: Answers, subject: Answers) -> tuple[Decoded, Decoded] | None:
    expected, observed = oracle.decoding, subject.decoding
    return (expected, observed) if isinstance(expected, Decoded) and isinstance(observed, Decoded) else None


def _that_encode_so(some: Iterable[Fault], diagnosis: Diagnosis, text: str, observed: Encoded) -> Iterator[Fault]:
    for fault in some:
        trace = None if fault.trace is None else predicted(partial(fault.trace, text))
        if trace is not None and is_encoding(trace.encoding, observed, diagnosis):
            yield fault


def is_encoding(encoding: Encoding, observed: Encoded, diagnosis: Diagnosis) -> bool:
    """Whether all parts are equal that the subject gives; offsets are looked at where they are what differs."""
    return (
        tuple(encoding.ids) == observed.ids
        and observed.tokens in (None, tuple(encoding.tokens))
        and (diagnosis == "tokens" or observed.offsets in (None, tuple(encoding.offsets)))
    )


def _decoded_ids(case: Case, oracle: Answers) -> tuple[int, ...]:
    """The decoded ids: those of the case, or those that the oracle gives for its text."""
    return case.ids if case.kind == "ids" else oracle.encoding.ids if isinstance(oracle.encoding, Encoded) else ()
