"""The work on one shard: ask every subject, apply every check, attribute what differs. Runs in a worker process."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from conformance.case import Case, text_case
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Check, Difference
from conformance.checks.round_trip import round_trip_rule
from conformance.engines.blame import Blame
from conformance.finding import Mismatch
from conformance.inputs.plan import Inputs, Shard, shard_cases
from conformance.observation import Decoded, Encoded, Encoding
from conformance.subjects import load_subject
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.reftok_subject import ReftokSubject
from reftok import Tokenizer

EXAMPLES_PER_GROUP = 3


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A model and who takes part. oracle: the official library of its format."""

    name: str
    path: Path
    format: str
    oracle: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the outcome of a run."""

    models: tuple[ModelPlan, ...]
    subjects: tuple[str, ...]
    checks: tuple[str, ...]
    inputs: Inputs
    timeout: float


@dataclass(slots=True)
class Group:
    """Mismatches of one shard with the same cause."""

    stage: str
    rule: str
    count: int = 0
    languages: set[str] = field(default_factory=set)
    examples: list[Mismatch] = field(default_factory=list)

    def add(self, mismatch: Mismatch) -> None:
        """Count a mismatch; the smallest few are kept as examples."""
        self.count += 1
        if mismatch.case.language:
            self.languages.add(mismatch.case.language)
        self.examples.append(mismatch)
        self.examples.sort(key=size_of)
        del self.examples[EXAMPLES_PER_GROUP:]


@dataclass(slots=True)
class Counts:
    """Of one subject and check: answers compared, mismatched, left out by rule, and not given at all."""

    compared: int = 0
    mismatched: int = 0
    not_applicable: int = 0
    failures: int = 0


@dataclass(slots=True)
class ShardResult:
    """What a shard gave. answers: how many answers of subjects were compared."""

    shard: Shard
    cases: int = 0
    answers: int = 0
    seconds: float = 0.0
    counts: dict[tuple[str, str], Counts] = field(default_factory=partial(defaultdict, Counts))
    languages: dict[tuple[str, str], list[int]] = field(default_factory=partial(defaultdict, partial(list, (0, 0))))
    groups: dict[tuple[str, str, str, str], Group] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)


def size_of(mismatch: Mismatch) -> tuple[int, str]:
    """The order of examples: the smallest case first, then by origin."""
    case = mismatch.case
    return len(case.text) + len(case.data) + len(case.ids), case.origin


class Bench:
    """The subjects of one model, loaded once in a worker."""

    def __init__(self, plan: Plan, model: ModelPlan) -> None:
        self.model = model
        self.reference = ReftokSubject(_load_reference(model.path))
        self.unavailable: dict[str, str] = {}
        self.subjects: dict[str, Subject] = {}
        for name in dict.fromkeys((model.oracle, *plan.subjects)):
            try:
                loaded = (
                    self.reference if name == "reftok" else load_subject(name, model.path, model.format, plan.timeout)
                )
                self.subjects[name] = loaded
            except UnavailableError as error:
                self.unavailable[name] = str(error)
        self.oracle = model.oracle if model.oracle in self.subjects else "reftok"
        self.subjects.setdefault("reftok", self.reference)
        self.vocab = vocab_by_id(self.reference.tokenizer)
        self.blame = Blame(self.reference.tokenizer)

    def close(self) -> None:
        """End the processes of isolated subjects."""
        for subject in self.subjects.values():
            subject.close()


@lru_cache(maxsize=2)
def _load_reference(path: Path) -> Tokenizer:
    from reftok import load

    return load(path)


def vocab_by_id(tokenizer: Tokenizer) -> list[str]:
    """The tokens by id, up to the highest id; "" where there is none."""
    ids = [*tokenizer.model.vocab.values(), *tokenizer.added_tokens.tokens]
    return [tokenizer.id_to_token(token_id) or "" for token_id in range(max(ids, default=-1) + 1)]


def work(plan: Plan, shard: Shard, bench: Bench) -> ShardResult:
    """All checks on the cases of one shard."""
    started = time.monotonic()
    result = ShardResult(shard, unavailable=dict(bench.unavailable))
    cases = shard_cases(plan.inputs, shard, bench.vocab)
    if shard.source == "vocab":
        cases += _reencoded(cases, bench.subjects[bench.oracle])
    checks = [CHECKS[name] for name in plan.checks]
    answers = ask(bench, cases, plan.checks)
    for index, case in enumerate(cases):
        oracle = answers[bench.oracle][index]
        for name in bench.subjects:
            if name != bench.oracle and name not in plan.subjects:
                continue
            subject = answers[name][index]
            if name != bench.oracle:
                result.answers += sum(part is not None for part in (subject.encoding, subject.decoding))
            _apply(checks, result, bench, case, name, oracle, subject)
    result.cases = len(cases)
    result.seconds = time.monotonic() - started
    return result


def _reencoded(cases: Sequence[Case], oracle: Subject) -> list[Case]:
    """The text of each entry of the vocab, to be encoded again."""
    texts: list[Case] = []
    for case in cases:
        decoded = oracle.decode(case.ids)
        if isinstance(decoded, Decoded):
            text = decoded.text if decoded.with_special is None else decoded.with_special
            texts.append(text_case(text, f"{case.origin}:text"))
    return texts


def _apply(
    checks: Sequence[Check], result: ShardResult, bench: Bench, case: Case, name: str, oracle: Answers, subject: Answers
) -> None:
    for check in checks:
        if name == bench.oracle and not check.of_oracle:
            continue
        outcome = check(case, oracle, subject)
        counts = result.counts[name, check.name]
        if outcome == "not applicable":
            counts.not_applicable += 1
            continue
        counts.compared += 1
        language = result.languages[case.language, name]
        language[0] += 1
        if isinstance(outcome, Difference):
            counts.mismatched += 1
            counts.failures += outcome.severity == "no answer"
            language[1] += 1
            _record(result, bench, case, name, check.name, outcome, oracle, subject)


def _record(
    result: ShardResult,
    bench: Bench,
    case: Case,
    name: str,
    check: str,
    difference: Difference,
    oracle: Answers,
    subject: Answers,
) -> None:
    attribution = bench.blame.of(name, check, case, oracle, subject)
    rule = attribution.rule or difference.rule
    severity = bench.blame.severity(difference, oracle, subject)
    mismatch = Mismatch(
        bench.model.name, name, check, difference.rule, severity, case, difference.expected, difference.observed
    )
    key = (name, check, attribution.stage, rule)
    if key not in result.groups:
        result.groups[key] = Group(attribution.stage, rule)
    result.groups[key].add(mismatch)


def ask(bench: Bench, cases: Sequence[Case], checks: Sequence[str]) -> Mapping[str, list[Answers]]:
    """What every subject does with every case; the oracle first, since the others decode its ids."""
    expected = _RoundTrips(bench.reference.tokenizer) if "round trip" in checks else None
    oracle = _answers(bench.subjects[bench.oracle], cases, checks, expected, None)
    answers = {bench.oracle: oracle}
    for name, subject in bench.subjects.items():
        if name != bench.oracle:
            answers[name] = _answers(subject, cases, checks, expected, oracle)
    return answers


class _RoundTrips:
    """The texts that must come back, each worked out once for all subjects."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._rule = round_trip_rule(tokenizer)
        self._known: dict[str | bytes, str | None] = {}

    def of(self, text: str | bytes) -> str | None:
        if self._rule is None:
            return None
        if text not in self._known:
            self._known[text] = self._rule(self._tokenizer.trace(text))
        return self._known[text]


def _answers(
    subject: Subject,
    cases: Sequence[Case],
    checks: Sequence[str],
    expected: _RoundTrips | None,
    oracle: Sequence[Answers] | None,
) -> list[Answers]:
    texts = [_input(case, subject) for case in cases if case.kind != "ids"]
    encodings = iter(subject.encode_batch(texts))
    answers: list[Answers] = []
    for index, case in enumerate(cases):
        encoding = None if case.kind == "ids" else next(encodings)
        reference = encoding if oracle is None else oracle[index].encoding
        round_trip = None if expected is None or case.kind == "ids" else expected.of(_input(case, subject))
        answers.append(_answer(subject, case, checks, encoding, reference, round_trip))
    return answers


def _answer(
    subject: Subject,
    case: Case,
    checks: Sequence[str],
    encoding: Encoding | None,
    reference: Encoding | None,
    round_trip: str | None,
) -> Answers:
    """reference: the oracle's encoding, whose ids all subjects decode."""
    ids = case.ids if case.kind == "ids" else _ids(reference)
    decoding = None if ids is None else subject.decode(ids)
    single = None
    if "batch = single" in checks and subject.has_batch and case.kind != "ids":
        single = subject.encode(_input(case, subject))
    own_ids = _ids(encoding)
    own_decoding = None
    if round_trip is not None and own_ids is not None:
        own_decoding = decoding if own_ids == ids else subject.decode(own_ids)
    streamed = subject.stream_decode(ids) if "stream decode" in checks and ids is not None else None
    return Answers(encoding, single, decoding, own_decoding, streamed, round_trip)


def _ids(encoding: Encoding | None) -> tuple[int, ...] | None:
    return encoding.ids if isinstance(encoding, Encoded) else None


def _input(case: Case, subject: Subject) -> str | bytes:
    return case.data if case.kind == "bytes" and subject.takes_bytes else case.readable_text
