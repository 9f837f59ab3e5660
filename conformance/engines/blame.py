"""Attribution of mismatches within a worker, bounded: hypotheses that fitted before are tried first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.attribute import (
    Attribution,
    Hypothesis,
    attribute_boundaries,
    attribute_decoding,
    attribute_offsets,
    hypotheses,
)
from conformance.attribute_streams import attribute_lost_text, attribute_stream_encoding
from conformance.case import Case
from conformance.checks.base import Answers, Difference
from conformance.checks.stream_decode import LOST_FROM_REPLACEMENT, decoding_difference
from conformance.checks.stream_encode import OTHER_IDS, encoding_difference
from conformance.checks.streams import culprit
from conformance.finding import Severity
from conformance.observation import Decoded, Encoded
from reftok import ReftokError, Tokenizer
from reftok.models.bpe import BPE
from reftok.models.unigram import Unigram
from reftok.sentencepiece_decoder import SentencePieceDecoder
from reftok.sentencepiece_pieces import PieceType

FULL_SEARCHES = 30
LONGEST_TEXT = 2_000
MOST_WITNESSES = 60
LONGEST_WITNESS = 300


@dataclass(frozen=True, slots=True)
class Witness:
    """A text with the ids of the reference and those that differ, or might."""

    text: str
    right: tuple[int, ...]
    differing: tuple[int, ...]


class Blame:
    """Names stage and rule for the mismatches of one model.

    The first `FULL_SEARCHES` mismatches of a subject and check in a shard are tried against every hypothesis, the
    others only against those that fitted before; a text longer than `LONGEST_TEXT` code points waits for the shrinker.
    A hypothesis that fits one text is believed only if it foretells what the subject did with the witnesses: where it
    would give other ids than the reference, at least half of them must be the subject's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._all: list[Hypothesis] | None = None
        self._fitted: dict[tuple[str, str], list[Hypothesis]] = {}
        self._refuted: dict[tuple[str, str], list[Hypothesis]] = {}
        self._searches: Counter[tuple[str, str]] = Counter()
        self._witnesses: dict[str, list[Witness]] = {}
        self._special_ids = _special_ids(tokenizer)

    def renew(self) -> None:
        """Begin a shard: forget what the one before taught."""
        self._fitted.clear()
        self._refuted.clear()
        self._searches.clear()
        self._witnesses.clear()

    def hear(self, name: str, cases: Sequence[Case], oracle: Sequence[Answers], subject: Sequence[Answers]) -> None:
        """Take the first short texts that were answered as witnesses of what a subject does."""
        heard = self._witnesses.setdefault(name, [])
        for case, right, given in zip(cases, oracle, subject, strict=True):
            if len(heard) >= MOST_WITNESSES:
                break
            short = case.kind == "text" and len(case.text) <= LONGEST_WITNESS
            if short and isinstance(right.encoding, Encoded) and isinstance(given.encoding, Encoded):
                heard.append(_witness(name, case.text, right.encoding.ids, given.encoding.ids))

    def of(self, name: str, check: str, case: Case, oracle: Answers, subject: Answers) -> Attribution:
        """The stage and rule at fault, as far as they can be told."""
        if check == "decode" and isinstance(oracle.decoding, Decoded) and isinstance(subject.decoding, Decoded):
            return attribute_decoding(oracle.decoding, subject.decoding)
        if check == "stream encode" and case.kind == "text":
            return self._of_stream_encoding(case.text, subject)
        if check == "stream decode":
            return self._of_stream_decoding(subject)
        expected, observed = oracle.encoding, subject.encoding
        if not isinstance(expected, Encoded) or not isinstance(observed, Encoded):
            return Attribution()
        if check == "offsets" and case.kind == "text":
            return attribute_offsets(case.text, expected, observed)
        if check != "ids" or case.kind != "text" or len(case.text) > LONGEST_TEXT:
            return Attribution()
        witness = _witness(name, case.text, expected.ids, observed.ids)
        return self._search((name, check), witness)

    def _of_stream_encoding(self, text: str, subject: Answers) -> Attribution:
        """Only of two chunks, between which there is one seam: the shrinker finds those of a text in more."""
        found = culprit(subject.stream_encoded or (), encoding_difference)
        if found is None or found[1].rule != OTHER_IDS or len(found[0].feeding.chunks) != 2 or len(text) > LONGEST_TEXT:
            return Attribution()
        try:
            return attribute_stream_encoding(self._tokenizer, text, found[0])
        except ReftokError:
            return Attribution()

    def _of_stream_decoding(self, subject: Answers) -> Attribution:
        found = culprit(subject.stream_decoded or (), decoding_difference)
        if found is None or found[1].rule != LOST_FROM_REPLACEMENT:
            return Attribution()
        try:
            return attribute_lost_text(self._tokenizer, found[0])
        except ReftokError:
            return Attribution()

    def _search(self, key: tuple[str, str], witness: Witness) -> Attribution:
        fitted, refuted = self._fitted.setdefault(key, []), self._refuted.setdefault(key, [])
        for hypothesis in fitted:
            if _foretold(hypothesis, witness.text) == witness.differing:
                return Attribution(hypothesis.stage, hypothesis.rule)
        if self._searches[key] < FULL_SEARCHES:
            self._searches[key] += 1
            for hypothesis in self._hypotheses():
                if hypothesis in refuted or _foretold(hypothesis, witness.text) != witness.differing:
                    continue
                if self._credible(hypothesis, key[0]):
                    fitted.append(hypothesis)
                    return Attribution(hypothesis.stage, hypothesis.rule)
                refuted.append(hypothesis)
        return attribute_boundaries(self._tokenizer, witness.text, witness.differing)

    def _hypotheses(self) -> list[Hypothesis]:
        if self._all is None:
            self._all = list(hypotheses(self._tokenizer))
        return self._all

    def _credible(self, hypothesis: Hypothesis, name: str) -> bool:
        relevant = agreeing = 0
        for witness in self._witnesses.get(name, ()):
            foretold = _foretold(hypothesis, witness.text)
            if foretold is not None and foretold != witness.right:
                relevant += 1
                agreeing += foretold == witness.differing
        return 2 * agreeing >= relevant

    def severity(self, difference: Difference, oracle: Answers, subject: Answers) -> Severity:
        """The severity of a difference; a special token that the oracle does not give is the worst of other ids."""
        expected, observed = oracle.encoding, subject.encoding
        if difference.severity == "other ids" and isinstance(expected, Encoded) and isinstance(observed, Encoded):
            injected = Counter(observed.ids) - Counter(expected.ids)
            if not self._special_ids.isdisjoint(injected):
                return "special-token injection"
        return difference.severity


def _special_ids(tokenizer: Tokenizer) -> set[int]:
    """The ids of special tokens; the unknown token is none of those that a text must not be able to inject."""
    special = {token_id for token_id, token in tokenizer.added_tokens.tokens.items() if token.special}
    model = tokenizer.model
    for decoder in tokenizer.decoders or ():
        if isinstance(decoder, SentencePieceDecoder):
            pieces = enumerate(decoder.table.pieces)
            special |= {token_id for token_id, piece in pieces if piece.type is PieceType.CONTROL}
    if isinstance(model, Unigram):
        special.discard(-1 if model.unk_id is None else model.unk_id)
    if isinstance(model, BPE):
        special.discard(model.vocab.get(model.options.unk_token or "", -1))
    return special


def _witness(name: str, text: str, oracle: tuple[int, ...], subject: tuple[int, ...]) -> Witness:
    """Where reftok itself differs, the hypotheses are about what the oracle does otherwise."""
    return Witness(text, subject, oracle) if name == "reftok" else Witness(text, oracle, subject)


def _foretold(hypothesis: Hypothesis, text: str) -> tuple[int, ...] | None:
    try:
        return tuple(hypothesis.encode(text).ids)
    except ReftokError:
        return None
