"""Known divergences: what is seen, why, and where it was reported.

A listed one does not fail a run; an unlisted one does, and so does a listed one that no longer happens, so that the
list cannot rot. Each file of reports/expectations/ holds tables [[expectation]] with the keys of `Expectation`. So does
a baseline, the list of what a user has accepted of subjects of their own (`conformance accept`, docs/gate.md).

The reference follows the newest release of each library. What an older one does otherwise is listed as well, with the
releases that do it: `versions = "tokenizers<0.21.2"`. A run knows only the entries of what is installed.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.finding import Finding
from conformance.core.records import from_json
from conformance.core.releases import Releases, read_releases
from conformance.core.resources import expectations_folder
from conformance.core.run import GONE, Run
from conformance.subjects.versions import installed_versions
from reftok.formats.files import file_bytes

NEVER = "9999-12-31"
"""The date of what does not expire."""
REMOVE = "remove it from the list"
PRUNE = "then take it off the list, with conformance known prune RUN"
RENEW = "mend what it lists, or look at it again and accept it anew, with a later date"
_Date: TypeAlias = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]


@dataclass(frozen=True, slots=True)
class Expectation:
    """One known divergence.

    id: its name. subject, check, rule: as in a finding; models: patterns of model names.
    seen_in: models on which a full run must show it; none for what needs a model of its own, in a test.
    observed: what is seen. reason: why, and who is right. upstream: a link. owner: who looks after the entry.
    expires: the date (YYYY-MM-DD) from which it asks for another look: the project's tests do for its own entries, a
        run for those of a baseline, which fail it from then on.
    versions: the releases that show it, as `read_releases` takes them; "" for all.
    questions: which questions showed it, as `questions_of` has them: a run that asks these must show it as well; "" for
        those of a full run.
    """

    id: str
    subject: str
    check: str
    rule: str
    models: tuple[str, ...]
    seen_in: tuple[str, ...] = ()
    observed: str = ""
    reason: str = ""
    upstream: str = ""
    owner: str = ""
    expires: _Date = NEVER
    versions: str = ""
    questions: str = ""

    @property
    def releases(self) -> Releases | None:
        """The releases that show it; None for all."""
        return read_releases(self.versions) if self.versions else None

    def holds_for(self, versions: Mapping[str, str]) -> bool:
        """Whether one of its releases is installed. versions: as `installed_versions` gives them."""
        return self.releases is None or self.releases.have(versions)

    def lists(self, finding: Finding) -> bool:
        """Whether this is that divergence."""
        example = finding.example
        return (self.subject, self.check, self.rule) == (example.subject, example.check, finding.rule) and any(
            fnmatchcase(example.model, pattern) for pattern in self.models
        )


def expectations_here() -> list[Expectation]:
    """The project's entries that hold for what is installed."""
    return read_expectations(expectations_folder(), installed_versions())


def read_expectations(folder: Path, versions: Mapping[str, str] | None = None) -> list[Expectation]:
    """The entries of every .toml file, by file and place.

    versions: what is installed, for those entries only that hold for it; None for all entries.
    Raises InputError for a file that cannot be read, and for an entry with a key missing, unknown or repeated.
    """
    entries = _each_once(sorted(folder.glob("*.toml")), str(folder))
    return entries if versions is None else [entry for entry in entries if entry.holds_for(versions)]


def read_baselines(paths: Iterable[Path]) -> list[Expectation]:
    """The entries of some files, each once, that hold for what is installed. Raises InputError as above."""
    paths = [*dict.fromkeys(paths)]
    entries = _each_once(paths, " and ".join(map(str, paths)))
    versions = installed_versions()
    return [entry for entry in entries if entry.holds_for(versions)]


def entries_of(text: str, path: Path) -> list[Expectation]:
    """The entries in the text of a file. path: for what is said of it. Raises InputError as above."""
    try:
        tables = tomllib.loads(text)
    except FORM_ERRORS as error:  # a number of 5,000 digits is no TOMLDecodeError, nor is what is nested deeply
        raise InputError(f"{path}: {form_problem(error)}") from None
    listed = tables.pop("expectation", [])
    if tables or not isinstance(listed, list) or not all(isinstance(table, dict) for table in listed):
        raise InputError(f"{path}: holds something else than tables [[expectation]]")
    return [_entry(table, path) for table in listed]


def _each_once(paths: Iterable[Path], place: str) -> list[Expectation]:
    """place: for what is said of an entry that stands twice."""
    entries: list[Expectation] = []
    for path in paths:
        try:
            text = file_bytes(path).decode("utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: {error}") from None
        entries += entries_of(text, path)
    names = [entry.id for entry in entries]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise InputError(f"{place}: the expectation {sorted(repeated)[0]} is listed twice")
    return entries


def _entry(table: dict[str, Any], path: Path) -> Expectation:
    try:
        entry = from_json(table, Expectation)
        entry.holds_for({})  # which reads its releases
        if not entry.reason.strip():
            raise ValueError("it has no reason")
    except FORM_ERRORS as error:
        raise InputError(f"{path}: expectation {table.get('id', '?')}: {form_problem(error)}") from None
    return entry


def matching(expectations: Iterable[Expectation], finding: Finding) -> Expectation | None:
    """The entry that lists this finding."""
    return next((entry for entry in expectations if entry.lists(finding)), None)


def gone(
    expectations: Iterable[Expectation], findings: Iterable[Finding], models: Collection[str], way_out: str = REMOVE
) -> list[str]:
    """A sentence for each entry that a full run over these models should have shown, and did not.

    way_out: what is to be done then, in which {} stands for its name.
    """
    findings = list(findings)
    problems: list[str] = []
    for entry in expectations:
        for model in entry.seen_in:
            seen = any(entry.lists(finding) and finding.example.model == model for finding in findings)
            if model in models and not seen:
                way = way_out.format(entry.id)
                problems.append(f"expectation {entry.id} {GONE} {model}: {way}")
    return problems


def questions_of(run: Run) -> str:
    """A name for the questions of a run, the same for the same inputs and checks, whatever the corpora hold by now.

    "" for a session, which goes on where it was and asks what it knows by itself.
    """
    if run.sources == ("session",):
        return ""
    asked = (sorted(run.sources), run.fuzz, run.seed, sorted(run.corpora), sorted(run.checks))
    return hashlib.sha256(repr(asked).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def baseline_problems(accepted: Iterable[Expectation], run: Run, full: bool, today: str) -> list[str]:
    """A sentence for each entry of a baseline that has expired, or that a run should have shown and did not.

    Judged are those of subjects and models that took part. run: with all its findings. full: as of a job. today: as
    YYYY-MM-DD.
    """
    took_part = {(cell.model, cell.subject) for cell in run.cells if cell.compared}
    questions = questions_of(run)
    problems: list[str] = []
    for entry in accepted:
        models = {model for model, subject in took_part if subject == entry.subject}
        if entry.expires <= today and any(fnmatchcase(model, one) for model in models for one in entry.models):
            problems.append(f"expectation {entry.id} ({entry.rule}) has expired, on {entry.expires}: {RENEW}")
        is_asked = entry.check in run.checks and (full if not entry.questions else entry.questions == questions)
        if is_asked and questions:
            problems += gone([entry], run.findings, models, f"is it fixed ({entry.rule})? {PRUNE}")
    return problems
