"""The work on one shard: ask every subject, apply every check, sample what differs. Runs in a worker process."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, starmap

from conformance.causes.one_answer import attributor_of
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Check, Difference
from conformance.checks.decode import DECODE
from conformance.checks.methods import BATCH, SKIPS, methods_asked
from conformance.core.case import Case
from conformance.core.finding import Mismatch
from conformance.core.observation import Decoded, Encoded
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.engine.questions import shard_questions
from conformance.engine.queue import ShardQueue
from conformance.engine.repeating import (
    Differing,
    Unrepeated,
    as_said_twice,
    keep_unrepeated,
    unrepeated,
    with_both,
)
from conformance.engine.result import AdapterErrors, GroupKey, ShardResult, digest
from conformance.engine.workers import AnyWorkers, Workers
from conformance.inputs.cuts import Depth
from conformance.inputs.shards import Shard
from conformance.subjects.adapters import BUILT_IN
from reftok.formats.collection import collecting_later


def run_shards(
    plan: Plan,
    shards: Sequence[Shard],
    jobs: int,
    done: Callable[[ShardResult], None],
    workers_of: Callable[[int], AnyWorkers] | None = None,
) -> None:
    """Work on all shards of a run and hand each result to `done` as it comes.

    workers_of: makes the workers, given how many; None for processes of this machine.
    Raises HarnessError where a worker dies: the in-process libraries are then at fault, and the shard is named.
    """
    if not shards:
        return
    with (workers_of or Workers)(min(jobs, len(shards))) as workers:
        workers.run(partial(_work_in_worker, plan), ShardQueue(shards), done)


def _work_in_worker(plan: Plan, shard: Shard) -> ShardResult:
    """The shard, with the bench of its model kept for the next shard of the same model."""
    return work(plan, shard, bench_of(plan, shard.model))


def work(plan: Plan, shard: Shard, bench: Bench) -> ShardResult:
    """All checks on the cases of one shard; nothing is asked where no subject reads the model."""
    if not bench.compared:
        return ShardResult(shard, unavailable=dict(bench.unavailable))
    started = time.monotonic()
    result = bench.worked(lambda: _worked(plan, shard, bench), keep_unrepeated)
    result.seconds = time.monotonic() - started
    result.noise = bench.noise
    return result


def _worked(plan: Plan, shard: Shard, bench: Bench) -> ShardResult:
    with collecting_later():
        cases = shard_questions(plan, shard, bench)
        ask = partial(collect_answers, bench, cases, _checks(plan, shard), depth=_depth(shard))
        return judged(plan, shard, bench, cases, ask(subject=None), again=lambda name: ask(subject=name)[name])


def judged(
    plan: Plan,
    shard: Shard,
    bench: Bench,
    cases: Sequence[Case],
    answers: Mapping[str, list[Answers]],
    subject: str | None = None,
    again: Callable[[str], Sequence[Answers]] | None = None,
) -> ShardResult:
    """The result of checking the answers of every subject, or of one `subject`, which may be the oracle.

    again: asks a subject all that led to its answers once more, to see whether it repeats them; None where that has
        been seen.
    """
    result = ShardResult(shard, cases=len(cases), unavailable=dict(bench.unavailable))
    oracle = answers[bench.oracle]
    parts = {*chain.from_iterable(CHECKS[check].methods for check in _checks(plan, shard))}
    parts |= {SKIPS} if DECODE.name in plan.checks else set()
    for name, observed in answers.items() if subject is None else [(subject, answers[subject])]:
        as_said_twice(bench.subjects[name], cases, oracle, observed)
        methods = methods_asked(observed, parts)
        if BATCH in parts and name not in BUILT_IN and any(one.encoding for one in observed):
            methods[BATCH] = bench.subjects[name].has_batch
        if methods:
            result.methods[name] = methods
        if errors := [one.adapter_error for one in observed if one.adapter_error]:
            result.adapter_errors[name] = AdapterErrors(len(errors), min(errors))
        if name != bench.oracle:
            result.answers += sum((one.encoding is not None) + (one.decoding is not None) for one in observed)
        differing: dict[str, list[Differing]] = {}
        for check in map(CHECKS.__getitem__, _checks(plan, shard)):
            if cases and (check.of_oracle or name != bench.oracle):
                explained = {one.index for cause in check.follows for one in differing.get(cause, ())}
                differing[check.name] = _apply(check, result, name, cases, oracle, observed, explained)
        seen = [one for found in differing.values() for one in found]
        not_repeated: Mapping[str, Unrepeated] = {}
        if again is not None and name not in BUILT_IN:
            not_repeated = unrepeated(bench, name, seen, again, shard.key, _depth(shard))
        _record(result, bench, name, seen, not_repeated)
    return result


def _depth(shard: Shard) -> Depth:
    """How much the shard cuts what it feeds to streams."""
    return "sweep" if shard.source == "cuts" else "sample"


def _checks(plan: Plan, shard: Shard) -> list[str]:
    """In the order of `CHECKS`: causes come before what follows from them."""
    return [name for name, check in CHECKS.items() if name in plan.checks and (shard.source != "cuts" or check.on_cuts)]


def _apply(
    check: Check,
    result: ShardResult,
    name: str,
    cases: Sequence[Case],
    oracle: Sequence[Answers],
    subject: Sequence[Answers],
    explained: set[int],
) -> list[Differing]:
    """One check on all cases of one subject; gives what differs.

    A case that breaks several rules counts as so many. explained: the cases whose difference another check has told.
    """
    outcomes = [*starmap(check, zip(cases, oracle, subject, strict=True))]
    counts = result.counts[name, check.name]
    counts.explained += sum(isinstance(outcomes[index], Difference) for index in explained)
    for index in explained:
        outcomes[index] = "not applicable"
    left_out = outcomes.count("not applicable")
    counts.not_applicable += left_out
    if left_out == len(outcomes):
        return []
    counts.compared += len(outcomes) - left_out
    counts.failures += outcomes.count("both refuse")
    compared = (case.language for case, outcome in zip(cases, outcomes, strict=True) if outcome != "not applicable")
    for language, count in Counter(compared).items():
        result.languages[language, name][0] += count
    differing: list[Differing] = []
    for index in (index for index, outcome in enumerate(outcomes) if isinstance(outcome, Difference)):
        apart = check.by_rule(subject[index])
        counts.compared += len(apart) - 1
        result.languages[cases[index].language, name][0] += len(apart) - 1
        for observed in apart:
            outcome = check(cases[index], oracle[index], observed)
            assert isinstance(outcome, Difference)
            counts.mismatched += 1
            counts.failures += outcome.severity == "no answer"
            result.languages[cases[index].language, name][1] += 1
            differing.append(Differing(check.name, index, cases[index], outcome, oracle[index], observed))
    return differing


def _record(
    result: ShardResult, bench: Bench, name: str, seen: Sequence[Differing], not_repeated: Mapping[str, Unrepeated]
) -> None:
    """Put the mismatches of a subject into groups that look alike; those that it does not repeat, into one a check.

    The examples of such a group were asked alone as well: they show both answers.
    """
    examples: dict[GroupKey, list[Mismatch]] = defaultdict(list)
    others: dict[GroupKey, list[Mismatch]] = defaultdict(list)
    for one in seen:
        answer = {"ids": one.observed.encoding, "decoding": one.observed.decoding}.get(CHECKS[one.check].diagnosis)
        if isinstance(answer, Encoded | Decoded) and one.check not in not_repeated:
            result.wrong[name, one.check].append((one.index, digest(answer)))
        severity = attributor_of(bench).severity(one.difference, one.expected, one.observed)
        shown = named_difference(bench.reference.tokenizer, one.difference, one.expected, one.observed)
        mismatch = Mismatch(
            bench.model.name, name, one.check, one.difference.rule, severity, one.case, shown.expected, shown.observed
        )
        found = not_repeated.get(one.check)
        if found is None:
            attribution = attributor_of(bench).of(name, one.check, one.case, one.expected, one.observed)
            rule = attribution.rule or one.difference.rule
            examples[name, one.check, attribution.stage, rule].append(mismatch)
            continue
        if one.index in found.alone:
            mismatch = replace(mismatch, observed=with_both(mismatch.observed, found.alone[one.index]))
        is_example = one.index in found.alone or not found.alone
        (examples if is_example else others)[name, one.check, "", found.rule].append(mismatch)
    for key in {**examples, **others}:
        result.groups[key].add(examples[key], others[key])
