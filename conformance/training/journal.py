"""The journal of a run of `conformance train`: a line for each case that was compared, and for each trainer's findings.

A line is on disk before anybody hears of it, so that a run that is killed is gone on with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from conformance.core.observation import Failure
from conformance.core.records import Count, Name, from_json, to_json
from conformance.files.lines import LineFile, read_records
from conformance.training.case import Learned, TrainingDifference
from conformance.training.findings import TrainingFinding

JOURNAL = "journal.jsonl"

Outcome = Literal["same", "refused", "not taken", "by chance", "different"]


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of a case.

    number: of the case. outcome: "same"; "refused", by both; "not taken", refused by the subject alone; "by chance",
    the official library makes merges in an order of chance; "different".
    learned, failure, differences: of what is different, the one or the other that the subject gave, and where.
    message: of what the subject alone refuses.
    """

    number: Count
    outcome: Outcome
    message: str = ""
    learned: Learned | None = None
    failure: Failure | None = None
    differences: tuple[TrainingDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a trainer, once all its cases were compared."""

    trainer: Name
    findings: tuple[TrainingFinding, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """The one or the other."""

    compared: Compared | None = None
    found: Found | None = None


class Journal:
    """What is done. folder: where the journal is; None for one in memory alone. cases: how many the run has.

    Raises InputError for a journal that is none of such a run.
    """

    def __init__(self, folder: Path | None, cases: int) -> None:
        self.compared: dict[int, Compared] = {}
        self.found: dict[str, Found] = {}
        self._file: LineFile | None = None
        if folder is not None:
            way_out = "start the run anew"
            for line in read_records(
                folder / JOURNAL, partial(_line, cases), "is not the journal of a conformance train", way_out
            ):
                self._remember(line)
            self._file = LineFile(folder / JOURNAL)

    def add(self, done: Compared | Found) -> None:
        """Take what is done, and wait until it is on disk."""
        line = _Line(compared=done) if isinstance(done, Compared) else _Line(found=done)
        self._remember(line)
        if self._file is not None:
            self._file.add([to_json(line)])

    def close(self) -> None:
        """Close the file; it stays."""
        if self._file is not None:
            self._file.close()

    def _remember(self, line: _Line) -> None:
        if line.compared is not None:
            self.compared[line.compared.number] = line.compared
        if line.found is not None:
            self.found[line.found.trainer] = line.found


def _line(cases: int, value: object) -> _Line:
    line = from_json(value, _Line)
    compared = line.compared
    if (compared is None) == (line.found is None):
        raise ValueError("a line is of a case or of a trainer")
    if compared is not None:
        if compared.number >= cases:
            raise ValueError(f"there are {cases} cases")
        differs = compared.outcome == "different"
        given = sum(part is not None for part in (compared.learned, compared.failure))
        if (given, bool(compared.differences)) != (differs, differs):
            raise ValueError("what the subject gave is told of what differs, and of nothing else")
    return line
