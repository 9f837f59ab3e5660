"""Known divergences: what is seen, why, and where it was reported.

A listed one does not fail a run; an unlisted one does, and so does a listed one that no longer happens, so that the
list cannot rot. Each file of reports/expectations/ holds tables [[expectation]] with the keys of `Expectation`.

The reference follows the newest release of each library. What an older one does otherwise is listed as well, with the
releases that do it: `versions = "tokenizers<0.21.2"`. A run knows only the entries of what is installed.
"""

from __future__ import annotations

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
from conformance.subjects.versions import installed_versions

_Date: TypeAlias = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]


@dataclass(frozen=True, slots=True)
class Expectation:
    """One known divergence.

    id: its name. subject, check, rule: as in a finding; models: patterns of model names.
    seen_in: embedded models on which a full run must show it; none for what needs a model of its own, in a test.
    observed: what is seen. reason: why, and who is right. upstream: a link. owner: who looks after the entry.
    expires: the date (YYYY-MM-DD) from which the project's tests ask for another look; a run does not judge it.
    versions: the releases that show it, as `read_releases` takes them; "" for all.
    """

    id: str
    subject: str
    check: str
    rule: str
    models: tuple[str, ...]
    seen_in: tuple[str, ...]
    observed: str
    reason: str
    upstream: str
    owner: str
    expires: _Date
    versions: str = ""

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
    entries: list[Expectation] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            tables = tomllib.loads(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path}: {error}") from None
        listed = tables.pop("expectation", [])
        if tables or not isinstance(listed, list) or not all(isinstance(table, dict) for table in listed):
            raise InputError(f"{path}: holds something else than tables [[expectation]]")
        entries += [_entry(table, path) for table in listed]
    names = [entry.id for entry in entries]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise InputError(f"{folder}: the expectation {sorted(repeated)[0]} is listed twice")
    return entries if versions is None else [entry for entry in entries if entry.holds_for(versions)]


def _entry(table: dict[str, Any], path: Path) -> Expectation:
    try:
        entry = from_json(table, Expectation)
        entry.holds_for({})  # which reads its releases
    except FORM_ERRORS as error:
        raise InputError(f"{path}: expectation {table.get('id', '?')}: {form_problem(error)}") from None
    return entry


def matching(expectations: Iterable[Expectation], finding: Finding) -> Expectation | None:
    """The entry that lists this finding."""
    return next((entry for entry in expectations if entry.lists(finding)), None)


def gone(expectations: Iterable[Expectation], findings: Iterable[Finding], models: Collection[str]) -> list[str]:
    """A sentence for each entry that a full run over these models should have shown, and did not."""
    findings = list(findings)
    problems: list[str] = []
    for entry in expectations:
        for model in entry.seen_in:
            seen = any(entry.lists(finding) and finding.example.model == model for finding in findings)
            if model in models and not seen:
                problems.append(f"expectation {entry.id} no longer happens on {model}: remove it from the list")
    return problems
