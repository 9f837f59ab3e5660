"""What one answer tells of its cause by itself, and whether a cause explains an answer.

Most causes are told by many answers together: `conformance.causes.loop` finds these, when all are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from weakref import WeakKeyDictionary

from conformance.causes.attribution import Attribution, attribute_offsets, offset_rules, refused_ids, refused_text
from conformance.causes.catalogue import Catalogue, Sample
from conformance.causes.edits import DecodingFault, Fault, decoding_faults, faults, of_classes, predicted
from conformance.causes.edits.models import piece_table
from conformance.causes.edits.older_releases import release_decoding_faults, release_faults
from conformance.causes.encoder_streams import attribute_stream_encoding
from conformance.causes.learning import IdsSample, TextSample, learnt_of_ids, learnt_of_texts
from conformance.causes.witnesses import decoded_ids
from conformance.checks import CHECKS
from conformance.checks.bare import ALWAYS_ADDED
from conformance.checks.base import Answers, Diagnosis, Difference
from conformance.checks.settings import differing, told
from conformance.checks.stream_encode import OTHER_IDS
from conformance.core.case import Case
from conformance.core.finding import Severity
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.streaming import FedStream
from conformance.engine.bench import Bench
from conformance.engine.chat_edits import RULES as CHAT_RULES
from conformance.engine.chat_edits import STAGE as CHAT_STAGE
from conformance.engine.decode_stream import CAUSES
from conformance.engine.settings_edits import STAGES as SETTINGS_STAGES
from conformance.subjects.reftok_subject import REFERENCE
from reftok import Encoding, ReftokError, Tokenizer
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.sentencepiece.pieces import PieceType

LONGEST_TEXT = 2_000
"""Code points of a text whose parts are looked at."""

NOT_MATCHED = "{} tokens in a text are matched only where special tokens are added"


class Attributor:
    """Names stage and rule for the mismatches of one model, as far as one answer tells them.

    encoding, decoding: what may be wrong with ids and with texts.
    reference: the subject that is the reference itself; where that differs, an older official library may be the cause.
    """

    def __init__(self, tokenizer: Tokenizer, reference: str) -> None:
        self._tokenizer = tokenizer
        self._reference = reference
        self.encoding: Catalogue[Fault, str, tuple[int, ...]] = Catalogue(
            lambda: (*self._older_encodings, *faults(tokenizer)),
            lambda fault, text: tuple(fault.ids(text)),
            lambda differing, unexplained: learnt_of_texts(tokenizer, self.encoding.fits, differing, unexplained),
            lambda fault, text: fault.concerns(text),
        )
        self.decoding: Catalogue[DecodingFault, tuple[int, ...], Decoded] = Catalogue(
            lambda: (*self._older_decodings, *decoding_faults(tokenizer)),
            lambda fault, ids: Decoded(fault.text(ids, True), fault.text(ids, False)),
            partial(learnt_of_ids, tokenizer),
        )
        self._special_ids = _special_ids(tokenizer)

    def of(self, name: str, check: str, case: Case, oracle: Answers, subject: Answers) -> Attribution:
        """The stage and rule at fault, as far as they can be told; of other ids, texts and tokens nothing is."""
        diagnosis = CHECKS[check].diagnosis
        if _is_refused(diagnosis, subject):
            return self._of_refusal(diagnosis, case, oracle)
        if diagnosis == "round trip":
            return self._of_round_trip(name, oracle, subject)
        if diagnosis == "special tokens":
            outcome = CHECKS[check](case, oracle, subject)
            if isinstance(outcome, Difference) and outcome.rule == ALWAYS_ADDED:
                return Attribution("PostProcessor", ALWAYS_ADDED)
            return self._of_bare_ids(case, subject)
        if diagnosis == "settings":
            rule = next((told(one).rule for one in differing(subject)), "")
            return Attribution(SETTINGS_STAGES[rule], rule) if rule in SETTINGS_STAGES else Attribution()
        if diagnosis == "chat":
            rule = "" if subject.chat is None else subject.chat.cause
            return Attribution(CHAT_STAGE, rule) if rule in CHAT_RULES else Attribution()
        if diagnosis == "stream encoding":
            return self._of_stream_encoding(case, CHECKS[check].culprit(subject))
        if diagnosis == "stream decoding":
            return _of_stream_decoding(CHECKS[check].culprit(subject))
        if name == self._reference:
            return self._of_older_release(diagnosis, case, oracle, subject)
        encodings = _encodings(case, oracle, subject)
        if diagnosis == "offsets" and encodings is not None and len(case.text) <= LONGEST_TEXT:
            return attribute_offsets(self._tokenizer, case.text, *encodings)
        return Attribution()

    def _of_older_release(self, diagnosis: Diagnosis, case: Case, oracle: Answers, subject: Answers) -> Attribution:
        """The rule of an older release of the official library that gives its answer: nobody else is at fault."""
        encodings, decodings = _encodings(case, oracle, subject), _decodings(oracle, subject)
        older: Iterable[Fault | DecodingFault] = ()
        if diagnosis == "ids" and encodings is not None:
            text = self._of_text(self._reference, case, *encodings)
            older = (one for one in self._older_encodings if self.encoding.fits(one, text))
        elif diagnosis == "decoding" and decodings is not None:
            ids = self._of_ids(self._reference, decoded_ids(case, oracle), *decodings)
            older = (one for one in self._older_decodings if self.decoding.fits(one, ids))
        return next((Attribution(one.stage, one.rule) for one in older), Attribution())

    @cached_property
    def _older_encodings(self) -> Sequence[Fault]:
        return tuple(release_faults(self._tokenizer))

    @cached_property
    def _older_decodings(self) -> Sequence[DecodingFault]:
        return tuple(release_decoding_faults(self._tokenizer))

    def explains(
        self, cause: Attribution, name: str, check: str, case: Case, oracle: Answers, subject: Answers
    ) -> bool:
        """Whether what another mismatch was attributed to explains this one."""
        diagnosis = CHECKS[check].diagnosis
        if diagnosis in ("settings", "special tokens", "chat"):
            return False  # the encodings that faults are held against are not what differs
        if _is_refused(diagnosis, subject):
            return self._of_refusal(diagnosis, case, oracle) == cause != Attribution()
        encodings, decodings = _encodings(case, oracle, subject), _decodings(oracle, subject)
        if diagnosis == "decoding" and decodings is not None:
            decoded = self._of_ids(name, decoded_ids(case, oracle), *decodings)
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
            return refused_ids(self._tokenizer, decoded_ids(case, oracle))
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
        for fault in self._older_decodings:
            if self.decoding.fits(fault, Sample(ids, newest, decoding)):
                return Attribution(fault.stage, fault.rule)
        return Attribution()

    def _of_bare_ids(self, case: Case, subject: Answers) -> Attribution:
        """The mistake behind wrong ids that appear only with `add_special_tokens=False`."""
        rules = self._tokenizer.rules
        others = {
            "special": replace(rules, encode_special_tokens=True),
            "added": replace(rules, added_tokens=AddedVocabulary()),
        }
        for kind, other in others.items():
            ids = predicted(partial(other.encode_ids, case.text, None, False))
            if isinstance(subject.bare, Encoded) and ids is not None and subject.bare.ids == tuple(ids):
                return Attribution("AddedTokens", NOT_MATCHED.format(kind))
        return Attribution()

    def _of_stream_encoding(self, case: Case, found: tuple[FedStream, Difference] | None) -> Attribution:
        """A seam is told only of two chunks, between which there is one: the shrinker finds those of a text in more."""
        if case.kind != "text" or found is None or found[1].rule != OTHER_IDS:
            return Attribution()
        if len(found[0].feeding.chunks) > 2 or len(case.text) > LONGEST_TEXT:
            return Attribution()
        try:
            return attribute_stream_encoding(self._tokenizer, case.text, found[0])
        except ReftokError:
            return Attribution()

    def severity(self, difference: Difference, oracle: Answers, subject: Answers) -> Severity:
        """The severity of a difference; a special token that the oracle does not give is the worst of other ids."""
        expected, observed = oracle.encoding, subject.encoding
        if difference.severity == "other ids" and isinstance(expected, Encoded) and isinstance(observed, Encoded):
            injected = Counter(observed.ids) - Counter(expected.ids)
            if not self._special_ids.isdisjoint(injected):
                return "special-token injection"
        return difference.severity


def attributor_of(bench: Bench) -> Attributor:
    """The attributor of a bench's model."""
    if bench not in _known:
        _known[bench] = Attributor(bench.reference.tokenizer, REFERENCE)
    return _known[bench]


_known: WeakKeyDictionary[Bench, Attributor] = WeakKeyDictionary()


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
    """Both encodings of a text, or None."""
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
