"""The journal of a run: each finished shard is a line on disk before anybody hears of it, so a killed run resumes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.core.observation import Failure
from conformance.core.records import Count, Name, Record, Seconds, from_json, to_json
from conformance.core.run import mismatch_from_json, mismatch_to_json
from conformance.engine.plan import Plan
from conformance.engine.result import AdapterErrors, Counts, Group, ShardResult
from conformance.files.lines import LineFile, read_records
from conformance.inputs.shards import SOURCES, Shard
from conformance.runs.plan_file import choose

JOURNAL = "journal.jsonl"


class Journal:
    """The finished shards of one run folder."""

    def __init__(self, folder: Path) -> None:
        self.finished = {result.shard.key: result for result in _results(folder, result_from_json)}
        self._file = LineFile(folder / JOURNAL)

    def add(self, result: ShardResult) -> None:
        """Write a finished shard, and wait until it is on disk."""
        self.finished[result.shard.key] = result
        self._file.add([result_to_json(result)])

    def close(self) -> None:
        """Close the file; it stays, so that a run can be looked into."""
        self._file.close()


def read_journal(folder: Path, check: Callable[[ShardResult], None]) -> list[ShardResult]:
    """All lines of the journal of a folder, a shard that is there twice twice.

    check: raises ValueError where a result is none of the run's. Raises InputError with the line, then.
    """

    def record(value: Any) -> ShardResult:
        check(result := result_from_json(value))
        return result

    return _results(folder, record)


def check_journal(folder: Path, plan: Plan) -> None:
    """Raise InputError where the journal holds models, subjects or checks that the plan does not name."""
    read_journal(folder, lambda result: check_planned(result, plan))


def check_planned(result: ShardResult, plan: Plan) -> None:
    """Raise ValueError where a result holds models, subjects or checks that the plan does not name."""
    choose(result.shard.model, [model.name for model in plan.models], "a model")
    subjects = plan.participants(result.shard.model)
    for subject, check in [*result.counts, *result.wrong, *(key[:2] for key in result.groups)]:
        choose(subject, subjects, "a subject")
        choose(check, plan.checks, "a check")
    told = [*result.unavailable, *result.methods, *result.adapter_errors]
    for subject in [*told, *(subject for _, subject in result.languages)]:
        choose(subject, subjects, "a subject")


def _results(folder: Path, record: Callable[[Any], Record]) -> list[Record]:
    return read_records(folder / JOURNAL, record, "is not the journal of a run", "start the run anew")


@dataclass(frozen=True, slots=True)
class _Group:
    """A group in the journal. key: subject, check, stage and rule."""

    key: tuple[str, str, str, str]
    count: Count
    languages: dict[Name, Count]
    examples: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the journal: a result with lists in place of dictionaries whose keys are no texts."""

    shard: Shard
    cases: Count
    answers: Count
    seconds: Seconds
    counts: tuple[tuple[Name, Name, Counts], ...]
    languages: tuple[tuple[str, Name, Count, Count], ...]
    groups: tuple[_Group, ...]
    unavailable: dict[str, Failure]
    methods: dict[str, dict[str, bool]] = field(default_factory=dict)
    adapter_errors: dict[str, AdapterErrors] = field(default_factory=dict)
    wrong: tuple[tuple[Name, Name, tuple[tuple[Count, str], ...]], ...] = ()


def result_to_json(result: ShardResult) -> dict[str, Any]:
    """A finished shard as JSON."""
    line = _Line(
        result.shard,
        result.cases,
        result.answers,
        round(result.seconds, 3),
        tuple((*key, counts) for key, counts in result.counts.items()),
        tuple((*key, compared, mismatched) for key, (compared, mismatched) in result.languages.items()),
        tuple(
            _Group(
                key, group.count, dict(sorted(group.languages.items())), tuple(map(mismatch_to_json, group.examples))
            )
            for key, group in result.groups.items()
        ),
        result.unavailable,
        result.methods,
        result.adapter_errors,
        tuple((*key, tuple(answers)) for key, answers in result.wrong.items()),
    )
    value: dict[str, Any] = to_json(line)
    return value


def result_from_json(value: Any) -> ShardResult:
    """The finished shard of `result_to_json`.

    Raises one of FORM_ERRORS for what is none.
    """
    line = from_json(value, _Line)
    choose(line.shard.source, SOURCES, "a source")
    if line.shard.start >= line.shard.stop:
        raise ValueError("a shard is empty")
    result = ShardResult(line.shard, line.cases, line.answers, line.seconds, unavailable=line.unavailable)
    for subject, check, counts in line.counts:
        if max(counts.failures, counts.mismatched) > counts.compared:
            raise ValueError("more answers mismatched than were compared")
        if counts.explained > counts.not_applicable:
            raise ValueError("more answers explained than were left out")
        result.counts[subject, check] = counts
    for language, subject, compared, mismatched in line.languages:
        result.languages[language, subject] = [compared, mismatched]
    for group in line.groups:
        result.groups[group.key] = _group(group, line.shard.model)
    result.methods.update(line.methods)
    result.adapter_errors.update(line.adapter_errors)
    for subject, check, answers in line.wrong:
        result.wrong[subject, check] = [*answers]
    return result


def _group(group: _Group, model: str) -> Group:
    place = (model, *group.key[:2])
    examples = [mismatch_from_json(example) for example in group.examples]
    if any((example.model, example.subject, example.check) != place for example in examples):
        raise ValueError("an example is of another model, subject or check than its group")
    if not 0 < len(examples) <= group.count:
        raise ValueError("a group has no examples, or more than were counted")
    return Group(group.count, Counter(group.languages), examples)
