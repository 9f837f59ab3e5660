"""One run of `conformance train`: every case asked, then the findings, each on disk before it is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.core.errors import InputError
from conformance.core.observation import Failure
from conformance.files.atomic import write_atomically, writing
from conformance.subjects.official_trainers import official_training
from conformance.training.case import Learned, Result, TrainingCase, learned_of
from conformance.training.findings import Ask, Mismatch, TrainingFinding, compared, findings, words_and_counts
from conformance.training.reference import has_equal_entries, reference_training
from conformance.training.report import summary
from conformance.training.result import TrainingResult

FINDINGS, SUMMARY = "findings.jsonl", "summary.md"

Train = Callable[[str, Sequence[str], Mapping[str, Any]], bytes | Failure]


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


def asked(train: Train) -> Ask:
    """A trainer, asked about a case."""

    def ask(case: TrainingCase) -> Result:
        found = train(case.trainer, case.texts, case.options)
        return found if isinstance(found, Failure) else learned_of(found)

    return ask


def official_answer(case: TrainingCase) -> Result:
    """What the official trainer learns; that of hf-unigram is not asked where it would prune for ever."""
    if case.trainer == "hf-unigram" and isinstance(reference_training(case), Failure):
        return Failure("refused", "it goes on for ever")
    return asked(official_training)(case)


class Session:
    """A run. is_official: whether the subject is the official library. out: where files are written, or None."""

    def __init__(self, is_official: bool, out: Path | None) -> None:
        self.label = "the official trainers"
        self._is_official = is_official
        self._out = out
        self._total = self._refused = self._by_chance = 0
        self._compared: Counter[str] = Counter()
        self._not_taken: Counter[str] = Counter()
        self._mismatches: list[Mismatch] = []
        self._findings: list[TrainingFinding] = []
        if out is not None:
            with writing(out):
                if out.exists() and (not out.is_dir() or {path.name for path in out.iterdir()} - {FINDINGS, SUMMARY}):
                    raise InputError(f"{out}: is not empty; name another folder")
                out.mkdir(parents=True, exist_ok=True)

    def run(self, cases: Sequence[TrainingCase], ask: Ask, tell: Callable[[TrainingProgress], None]) -> None:
        """Ask the subject about all cases, and find what is wrong where it differs."""
        self._total = len(cases)
        for number, case in enumerate(cases):
            tell(TrainingProgress(number, len(cases), len(self._mismatches)))
            self._compare(case, ask(case))
        done = TrainingProgress(len(cases), len(cases), len(self._mismatches))
        tell(done)
        official = None if self._is_official else official_answer

        def told(step: str) -> None:
            tell(TrainingProgress(done.done, done.total, done.different, step))

        for finding in findings(self._mismatches, ask, official, told):
            self._findings.append(finding)
            self.write()
        self.write()

    def _compare(self, case: TrainingCase, observed: Result) -> None:
        self._compared[case.trainer] += 1
        difference = compared(case, observed)
        if difference is None:
            self._refused += isinstance(observed, Failure)
        elif not self._is_official and isinstance(observed, Failure) and observed.kind == "refused":
            self._not_taken[observed.message] += 1
        elif self._is_official and has_equal_entries(case):
            self._by_chance += 1
        else:
            kept = observed if isinstance(observed, Failure) else Learned(observed.entries, observed.merges)
            self._mismatches.append(Mismatch(case, kept, difference))

    def result(self) -> TrainingResult:
        """What there is so far."""
        counts = dict(self._compared)
        different = len(self._mismatches)
        return TrainingResult(
            self.label,
            self._total,
            counts,
            self._refused,
            self._by_chance,
            dict(self._not_taken),
            different,
            tuple(self._findings),
        )

    def write(self) -> None:
        """Write what there is so far, where a folder was named."""
        if self._out is None:
            return
        lines = [json.dumps(as_json(finding), sort_keys=True) + "\n" for finding in self._findings]
        with writing(self._out):
            write_atomically(self._out / FINDINGS, "".join(lines))
            write_atomically(self._out / SUMMARY, summary(self.result()))


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
