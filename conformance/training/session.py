"""One run of `conformance train`: every case asked, then the findings, each on disk before it is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from conformance.core.observation import Failure
from conformance.engine.queue import ShardQueue, ShardT
from conformance.engine.workers import IN_THIS_PROCESS, Workers
from conformance.files.atomic import write_atomically, writing
from conformance.training.asking import Ask, end_subjects, official_answer
from conformance.training.case import Learned, TrainingCase
from conformance.training.findings import (
    Mismatch,
    TrainingFinding,
    compared,
    findings,
    in_one,
    words_and_counts,
)
from conformance.training.journal import Compared, Found, Journal
from conformance.training.options import coverage
from conformance.training.reference import has_equal_entries
from conformance.training.report import summary
from conformance.training.result import TrainingResult
from conformance.training.use import use_of

FINDINGS, SUMMARY = "findings.jsonl", "summary.md"

PLAIN_TEXTS = ("low lower lowest", "new newer newest wide wider") * 4
"""Texts that no trainer refuses."""

OFFICIAL = "the official trainers"

Done = TypeVar("Done", bound=Compared | Found)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a run is. step: what is done, once the cases are compared."""

    done: int
    total: int
    different: int
    step: str = ""

    @property
    def sentence(self) -> str:
        """For people.

        >>> TrainingProgress(3, 40, 1).sentence
        '3/40 trainings compared, 1 different'
        """
        return self.step or f"{self.done}/{self.total} trainings compared, {self.different or 'none'} different"


# --- what workers do


@dataclass(frozen=True, slots=True)
class _CaseShard:
    """A case to be compared."""

    number: int
    case: TrainingCase

    @property
    def model(self) -> str:
        return self.case.trainer

    @property
    def key(self) -> str:
        return self.case.name


@dataclass(frozen=True, slots=True)
class _TrainerShard:
    """A trainer of which findings are to be made."""

    model: str
    mismatches: tuple[Mismatch, ...]

    @property
    def key(self) -> str:
        return f"the findings of {self.model}"


def _compared(ask: Ask, is_official: bool, shard: _CaseShard) -> Compared:
    case, number = shard.case, shard.number
    observed = ask(case)
    differences = compared(case, observed)
    failure = observed if isinstance(observed, Failure) else None
    if not differences and isinstance(observed, Learned) and not is_official:
        differences = use_of(case, observed).differences
    if not differences:
        return Compared(number, "same" if failure is None else "refused")
    if not is_official and failure is not None and failure.kind == "refused" and not _is_of_the_texts(ask, case):
        return Compared(number, "not taken", failure.message)
    if is_official and has_equal_entries(case):
        return Compared(number, "by chance")
    learned = None if isinstance(observed, Failure) else Learned(observed.entries, observed.merges)
    return Compared(number, "different", "", learned, failure, differences)


def _is_of_the_texts(ask: Ask, case: TrainingCase) -> bool:
    """Whether a subject that refuses a training takes its options on plain texts, and so failed on the texts."""
    return not isinstance(ask(replace(case, texts=PLAIN_TEXTS)), Failure)


def _found(ask: Ask, is_official: bool, shard: _TrainerShard) -> Found:
    official = None if is_official else official_answer
    return Found(shard.model, tuple(findings(shard.mismatches, ask, official)))


class Session:
    """A run.

    cases: always in the same order. ask: the subject; with jobs, a function that can be pickled.
    is_official: whether it is the official library. label: its name.
    folder: of which the journal is gone on with, and where the findings are written; None for none.
    """

    def __init__(
        self,
        cases: Sequence[TrainingCase],
        ask: Ask,
        *,
        is_official: bool = False,
        label: str = OFFICIAL,
        folder: Path | None = None,
    ) -> None:
        self._cases = cases
        self._ask, self._is_official, self._label = ask, is_official, label
        self._folder = folder
        self._journal = Journal(folder, len(cases))

    def run(self, tell: Callable[[TrainingProgress], None], jobs: int = IN_THIS_PROCESS) -> None:
        """Ask the subject about what is not in the journal yet, and find what is wrong where it differs.

        jobs: how many processes ask and seek.
        """
        try:
            shards = [_CaseShard(*entry) for entry in enumerate(self._cases)]
            left = [shard for shard in shards if shard.number not in self._journal.compared]
            tell(self._progress())
            self._work(jobs, partial(_compared, self._ask, self._is_official), left, tell)
            by_trainer: dict[str, list[Mismatch]] = {}
            for mismatch in self._mismatches():
                by_trainer.setdefault(mismatch.case.trainer, []).append(mismatch)
            seek = [_TrainerShard(trainer, tuple(of_one)) for trainer, of_one in by_trainer.items()]
            seek = [shard for shard in seek if shard.model not in self._journal.found]
            if seek:
                tell(self._progress(f"seeking the rules of {', '.join(shard.model for shard in seek)}"))
            self._work(jobs, partial(_found, self._ask, self._is_official), seek, tell)
        finally:
            self.write()
            self._journal.close()
            end_subjects()

    def _work(
        self,
        jobs: int,
        work: Callable[[ShardT], Done],
        shards: Sequence[ShardT],
        tell: Callable[[TrainingProgress], None],
    ) -> None:
        def done(result: Any) -> None:
            self._journal.add(result)
            if isinstance(result, Found):
                self.write()
                tell(self._progress(f"{result.trainer}: its findings are written"))
            else:
                tell(self._progress())

        if shards:
            with Workers(min(jobs, len(shards))) as workers:
                workers.run(work, ShardQueue(shards, worth_loading=1), done)

    def _done(self) -> list[Compared]:
        return [self._journal.compared[number] for number in sorted(self._journal.compared)]

    def _progress(self, step: str = "") -> TrainingProgress:
        done = self._journal.compared.values()
        different = sum(one.outcome == "different" for one in done)
        return TrainingProgress(len(done), len(self._cases), different, step)

    def _mismatches(self) -> list[Mismatch]:
        found = []
        for one in self._done():
            observed = one.learned or one.failure
            if observed is not None and one.differences:
                found.append(Mismatch(self._cases[one.number], observed, one.differences))
        return found

    def result(self) -> TrainingResult:
        """What there is so far."""
        done = self._done()
        outcomes = Counter(one.outcome for one in done)
        trainers = dict.fromkeys(case.trainer for case in self._cases)
        return TrainingResult(
            self._label,
            len(self._cases),
            dict(Counter(self._cases[one.number].trainer for one in done)),
            outcomes["refused"],
            outcomes["by chance"],
            dict(Counter(one.message for one in done if one.outcome == "not taken")),
            outcomes["different"],
            tuple(
                in_one(
                    [
                        finding
                        for trainer in trainers
                        if trainer in self._journal.found
                        for finding in self._journal.found[trainer].findings
                    ]
                )
            ),
            coverage(self._cases),
        )

    def write(self) -> None:
        """Write what there is so far, where there is a folder."""
        if self._folder is None:
            return
        result = self.result()
        lines = [json.dumps(as_json(finding), sort_keys=True) + "\n" for finding in result.findings]
        with writing(self._folder):
            write_atomically(self._folder / FINDINGS, "".join(lines))
            write_atomically(self._folder / SUMMARY, summary(result))


def as_json(finding: TrainingFinding) -> dict[str, Any]:
    """A finding for machines; its case can be trained again from it."""
    difference = finding.difference
    return {
        "trainer": finding.trainer,
        "rule": finding.rule,
        "foretold": finding.foretold,
        "tried": finding.tried,
        "place": difference.place,
        "expected": difference.expected,
        "observed": difference.observed,
        "reason": finding.reason,
        "official": finding.official,
        "texts": words_and_counts(finding.case),
        "options": dict(finding.case.options),
        "cases": list(finding.cases),
    }
