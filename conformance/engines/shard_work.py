"""The work on one shard: ask every subject, apply every check, attribute what differs. Runs in a worker process."""

from __future__ import annotations

import time
from collections.abc import Sequence

from conformance.case import Case, text_case
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Check, Difference
from conformance.engines.asking import ask
from conformance.engines.bench import Bench
from conformance.engines.naming import named_difference
from conformance.engines.result import Group, ShardResult
from conformance.finding import Mismatch
from conformance.inputs.plan import Shard, shard_cases
from conformance.observation import Decoded
from conformance.plan import Plan
from conformance.subjects.base import Subject


def work(plan: Plan, shard: Shard, bench: Bench) -> ShardResult:
    """All checks on the cases of one shard."""
    started = time.monotonic()
    bench.renew()
    result = ShardResult(shard, unavailable=dict(bench.unavailable))
    cases = _cases(plan, shard, bench)
    names = [name for name in plan.checks if shard.source != "cuts" or name.startswith("stream")]
    checks = [CHECKS[name] for name in names]
    answers = ask(bench, cases, names, depth="sweep" if shard.source == "cuts" else "sample")
    for name in bench.subjects:
        bench.blame.hear(name, cases, answers[bench.oracle], answers[name])
    for index, case in enumerate(cases):
        oracle = answers[bench.oracle][index]
        for name in bench.subjects:
            if name != bench.oracle and name not in plan.labels:
                continue
            subject = answers[name][index]
            if name != bench.oracle:
                result.answers += sum(part is not None for part in (subject.encoding, subject.decoding))
            _apply(checks, result, bench, case, name, oracle, subject)
    result.cases = len(cases)
    result.seconds = time.monotonic() - started
    return result


def _cases(plan: Plan, shard: Shard, bench: Bench) -> list[Case]:
    """The cases of the shard; entries of the vocab also as texts, bytes also as the text that others are given."""
    oracle = bench.subjects[bench.oracle]
    cases = shard_cases(plan.inputs, shard, bench.vocab)
    if shard.source == "vocab":
        cases += _reencoded(cases, oracle)
    asked: list[Case] = []
    for case in cases:
        if case.kind != "bytes" or oracle.takes_bytes:
            asked.append(case)
        if case.kind == "bytes":
            asked.append(text_case(case.readable_text, f"{case.origin}:text"))
    return asked


def _reencoded(cases: Sequence[Case], oracle: Subject) -> list[Case]:
    """The text of each entry of the vocab, to be encoded again."""
    texts: list[Case] = []
    for case in cases:
        decoded = oracle.decode(case.ids)
        if isinstance(decoded, Decoded):
            texts.append(text_case(decoded.kept, f"{case.origin}:text"))
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
        counts.failures += outcome == "both refuse"
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
    difference = named_difference(bench.reference.tokenizer, difference, oracle, subject)
    rule = attribution.rule or difference.rule
    severity = bench.blame.severity(difference, oracle, subject)
    mismatch = Mismatch(
        bench.model.name, name, check, difference.rule, severity, case, difference.expected, difference.observed
    )
    key = (name, check, attribution.stage, rule)
    if key not in result.groups:
        result.groups[key] = Group(attribution.stage, rule)
    result.groups[key].add(mismatch)
