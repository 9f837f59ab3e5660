"""Attribution of mismatches within a worker, bounded: hypotheses that fitted before are tried first."""

from __future__ import annotations

from collections import Counter

from conformance.attribute import Attribution, Hypothesis, attribute_decoding, attribute_offsets, hypotheses
from conformance.case import Case
from conformance.checks.base import Answers, Difference
from conformance.finding import Severity
from conformance.observation import Decoded, Encoded
from reftok import ReftokError, Tokenizer
from reftok.models.bpe import BPE
from reftok.models.unigram import Unigram

FULL_SEARCHES = 30
LONGEST_TEXT = 2_000


class Blame:
    """Names stage and rule for the mismatches of one model.

    The first `FULL_SEARCHES` mismatches of a subject and check in a shard are tried against every hypothesis, the
    others only against those that fitted before; a text longer than `LONGEST_TEXT` code points waits for the shrinker.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._all: list[Hypothesis] | None = None
        self._fitted: dict[tuple[str, str], list[Hypothesis]] = {}
        self._searches: Counter[tuple[str, str]] = Counter()
        self._special_ids = _special_ids(tokenizer)

    def renew(self) -> None:
        """Begin a shard: forget which hypotheses fitted in the one before."""
        self._fitted.clear()
        self._searches.clear()

    def of(self, name: str, check: str, case: Case, oracle: Answers, subject: Answers) -> Attribution:
        """The stage and rule at fault, as far as they can be told."""
        if check == "decode" and isinstance(oracle.decoding, Decoded) and isinstance(subject.decoding, Decoded):
            return attribute_decoding(oracle.decoding, subject.decoding)
        expected, observed = oracle.encoding, subject.encoding
        if not isinstance(expected, Encoded) or not isinstance(observed, Encoded):
            return Attribution()
        if check == "offsets" and case.kind == "text":
            return attribute_offsets(case.text, expected, observed)
        if check != "ids" or case.kind != "text" or len(case.text) > LONGEST_TEXT:
            return Attribution()
        differing = expected if name == "reftok" else observed
        return self._search((name, check), case.text, differing.ids)

    def _search(self, key: tuple[str, str], text: str, ids: tuple[int, ...]) -> Attribution:
        fitted = self._fitted.setdefault(key, [])
        for hypothesis in fitted:
            if _fits(hypothesis, text, ids):
                return Attribution(hypothesis.stage, hypothesis.rule)
        if self._searches[key] >= FULL_SEARCHES:
            return Attribution()
        self._searches[key] += 1
        if self._all is None:
            self._all = list(hypotheses(self._tokenizer))
        for hypothesis in self._all:
            if _fits(hypothesis, text, ids):
                fitted.append(hypothesis)
                return Attribution(hypothesis.stage, hypothesis.rule)
        return Attribution()

    def severity(self, difference: Difference, oracle: Answers, subject: Answers) -> Severity:
        """The severity of a difference; a special token that the oracle does not give is the worst of other ids."""
        expected, observed = oracle.encoding, subject.encoding
        if difference.severity == "other ids" and isinstance(expected, Encoded) and isinstance(observed, Encoded):
            injected = set(observed.ids) - set(expected.ids)
            if injected & self._special_ids:
                return "special-token injection"
        return difference.severity


def _special_ids(tokenizer: Tokenizer) -> set[int]:
    """The ids of special tokens; the unknown token is none of those that a text must not be able to inject."""
    special = {token_id for token_id, token in tokenizer.added_tokens.tokens.items() if token.special}
    model = tokenizer.model
    if isinstance(model, Unigram):
        special.discard(-1 if model.unk_id is None else model.unk_id)
    if isinstance(model, BPE):
        special.discard(model.vocab.get(model.options.unk_token or "", -1))
    return special


def _fits(hypothesis: Hypothesis, text: str, ids: tuple[int, ...]) -> bool:
    try:
        return tuple(hypothesis.encode(text).ids) == ids
    except ReftokError:
        return False
