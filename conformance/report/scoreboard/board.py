"""A scoreboard: what libraries do on models, a pure value that its pages are functions of, and its form as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from conformance.core.finding import Finding
from conformance.core.records import Count, Name, from_json, to_json
from conformance.core.run import finding_from_json, finding_to_json

SCHEMA_VERSION = 1

Seen: TypeAlias = Literal["natural text", "edge cases", "other"]
"""The column of a finding: natural text, by its weight, or because it was seen in the corpora of languages; else where
it was seen, in the edge cases, or in the vocab and made inputs."""

Kind: TypeAlias = Literal["wrong", "Unicode version", "choice", "listed"]
"""Of a finding: wrong; by the tables of another version of Unicode; a choice that no format makes, such as what becomes
of ids that the model does not have; or listed as known, with its reason."""

State: TypeAlias = Literal["asked", "not read", "failed"]
"""Of a library with a model: it was asked, it does not read the model, or it could not be asked."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding of a library with a model, and what is said of it.

    confirmed: whether the official library alone and the library, each in a fresh process, gave other answers again.
    command: what shows it.
    """

    weight: Seen
    kind: Kind
    confirmed: bool
    command: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Entry:
    """A library with a model.

    library: the folder of its adapter. oracle: the official library and its release.
    plan: what was asked, as `Board.plan`; an entry of another plan is of another scoreboard.
    compared, right: natural texts whose ids were compared, and those whose ids were not wrong.
    unconfirmed: how many findings were not seen again, and are not published. untested: what the library does not have.
    reason: why it was not asked, "" where it was. problems: what makes the entry worth less than it looks.
    started: when it was asked first. commands: what was run.
    """

    library: Name
    model: Name
    oracle: str
    plan: str
    state: State
    reason: str = ""
    compared: Count = 0
    right: Count = 0
    findings: tuple[Placed, ...] = ()
    unconfirmed: Count = 0
    untested: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    started: str = ""
    commands: tuple[str, ...] = ()

    def of(self, kind: Kind, weight: Seen | None = None) -> tuple[Placed, ...]:
        """The findings of a kind, of one weight or of all."""
        return tuple(item for item in self.findings if item.kind == kind and weight in (None, item.weight))


@dataclass(frozen=True, slots=True)
class Library:
    """A library: the folder of its adapter, what it is called, and how it was built.

    version: as it says itself, "" where it was never started. failure: why it could not be built, "" where it could.
    """

    folder: Name
    name: Name
    language: str = ""
    version: str = ""
    homepage: str = ""
    build: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """A scoreboard.

    plan: what each library was asked, in words. languages: the corpora that count as natural text.
    versions: of the official libraries and what else the answers may depend on.
    """

    plan: str
    languages: tuple[str, ...]
    versions: Mapping[str, str]
    models: tuple[str, ...]
    libraries: tuple[Library, ...]
    entries: tuple[Entry, ...]

    def entry(self, library: str, model: str) -> Entry | None:
        """The entry of a library with a model; None where they have not met."""
        return next((item for item in self.entries if (item.library, item.model) == (library, model)), None)

    def of_library(self, library: str) -> tuple[Entry, ...]:
        """The entries of a library, in the order of the models."""
        return tuple(entry for model in self.models if (entry := self.entry(library, model)))

    def with_library(self, library: Library) -> Board:
        """With a library in the place of the one of its folder, by name."""
        others = (item for item in self.libraries if item.folder != library.folder)
        return replace(self, libraries=tuple(sorted((*others, library), key=lambda item: item.folder)))

    def with_entry(self, entry: Entry) -> Board:
        """With an entry in the place of the one of its library and model."""
        place = (entry.library, entry.model)
        others = (item for item in self.entries if (item.library, item.model) != place)
        entries = sorted((*others, entry), key=lambda item: (item.library, item.model))
        return replace(self, entries=tuple(entries), models=tuple(sorted({*self.models, entry.model})))


def board_json(board: Board) -> str:
    """The document; in ASCII and sorted, so that the same scoreboard gives the same bytes."""
    entries = [{**to_json(entry), "findings": [*map(_placed_to_json, entry.findings)]} for entry in board.entries]
    value = {**to_json(board), "entries": entries, "schema": SCHEMA_VERSION}
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def board_from_json(text: str) -> Board:
    """The scoreboard of `board_json`; raises one of FORM_ERRORS for anything else."""
    value = json.loads(text)
    if value.pop("schema") != SCHEMA_VERSION:
        raise ValueError(f"is no scoreboard of schema {SCHEMA_VERSION}")
    return from_json({**value, "entries": [*map(_entry_from_json, value["entries"])]}, Board)


def _placed_to_json(item: Placed) -> dict[str, Any]:
    return {**to_json(item), "finding": finding_to_json(item.finding)}


def _entry_from_json(value: dict[str, Any]) -> Entry:
    found = [{**one, "finding": finding_from_json(one["finding"])} for one in value["findings"]]
    return from_json({**value, "findings": found}, Entry)
