"""The settings of a project: what `conformance run` and `fuzz` are given where the command line says nothing.

`conformance.toml`, or the table [tool.conformance] of `pyproject.toml`, in the working folder or the nearest above it:

    subjects = ["mine.py:Tokenizer"]    # as --subject
    models = ["models/tokenizer.json"]  # as --model
    official = "transformers"           # as --official
    corpora = ["edge_cases", "texts"]   # as --corpus
    tier = "core"                       # as --tier
    expectations = ["known.toml"]       # as --expectations
    fail-on = "natural"                 # as --fail-on
    jobs = 2                            # as --jobs

Paths are those from the folder of the file. An option of the command line takes the place of its key.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.weight import Gate
from conformance.inputs.corpora import PARTS
from conformance.inputs.tiers import TierName
from conformance.subjects.adapters import BUILT_IN
from reftok.formats.model_files import names_embedded_model

SETTINGS, PYPROJECT = "conformance.toml", "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file of settings says; what it leaves out is empty, or None.

    file: where it was found, None where there is none. The others are as the options of these names, with paths that
    are found from the working folder.
    """

    file: Path | None = None
    subjects: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    official: str | None = None
    corpora: tuple[str, ...] = ()
    tier: TierName | None = None
    expectations: tuple[Path, ...] = ()
    fail_on: Gate | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def given(self) -> dict[str, Any]:
        """What the file says, by the names of the options."""
        every = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "file"}
        return {name: value for name, value in every.items() if value not in ((), None)}


KEYS: Mapping[str, tuple[str, object]] = MappingProxyType(
    {
        "subjects": ("subjects", tuple[str, ...]),
        "models": ("models", tuple[str, ...]),
        "official": ("official", Literal["transformers"]),
        "corpora": ("corpora", tuple[str, ...]),
        "tier": ("tier", TierName),
        "expectations": ("expectations", tuple[str, ...]),
        "fail-on": ("fail_on", Gate),
        "select": ("select", tuple[str, ...]),
        "ignore": ("ignore", tuple[str, ...]),
        "jobs": ("jobs", Annotated[int, msgspec.Meta(ge=1)]),
    }
)
"""The keys of the file, each with the field that it fills, and its type."""


def find_settings(folder: Path) -> Settings:
    """The settings that hold in a folder: those of the nearest file, upward from it.

    Of two in one folder, conformance.toml is the one. None is looked for above the root of a repository of git, nor,
    above the folder itself, where everybody may write: a file names code that is run.
    Raises InputError for a file that cannot be read, and for a key that is unknown or of another type.
    """
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        if place != folder and _is_everybodys(place):
            break
        for file in (place / SETTINGS, place / PYPROJECT):
            table = _table(file)
            if table is not None:
                return _settings(table, file, folder)
        if (place / ".git").exists():
            break
    return Settings()


def _is_everybodys(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & 0o002)
    except OSError:
        return True


def _table(file: Path) -> dict[str, Any] | None:
    """The table of settings in a file; None where there is none."""
    if not os.path.isfile(file):
        return None
    try:
        value = tomllib.loads(file.read_text("utf-8"))
    except (OSError, *FORM_ERRORS) as error:  # a number of 5,000 digits is no TOMLDecodeError
        if file.name == PYPROJECT:  # which is others' business, as long as it cannot be read
            return None
        raise InputError(f"{file}: {form_problem(error)}") from None
    if file.name == SETTINGS:
        return value
    tools = value.get("tool", {})
    table = tools.get("conformance") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise InputError(f"{file}: tool.conformance is no table")
    return table


def _settings(table: Mapping[str, Any], file: Path, folder: Path) -> Settings:
    shown = Path(os.path.relpath(file, folder))
    given: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise InputError(f"{shown}: the key {key!r} is not known; known are {', '.join(KEYS)}")
        name, kind = KEYS[key]
        try:
            given[name] = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise InputError(f"{shown}: the key {key!r}: {error}") from None
    place = _Place(file.parent, shown.parent)
    given["subjects"] = tuple(map(place.subject, given.get("subjects", ())))
    models = given.get("models", ())
    given["models"] = tuple(one if names_embedded_model(one) else place.path(one) for one in models)
    given["corpora"] = tuple(one if one in PARTS else place.path(one) for one in given.get("corpora", ()))
    given["expectations"] = tuple(place.shown / one for one in given.get("expectations", ()))
    return Settings(file=shown, **given)


@dataclass(frozen=True, slots=True)
class _Place:
    """The folder of a file of settings, and its path from the working folder."""

    folder: Path
    shown: Path

    def path(self, name: str) -> str:
        """A file or folder by its path from the working folder; what is none of these stays as it is."""
        return os.path.normpath(self.shown / name) if name and os.path.exists(self.folder / name) else name

    def subject(self, name: str) -> str:
        """The same for a subject: FILE.py:FACTORY, a subject.toml, or a command, whose words may be files."""
        file, colon, factory = name.rpartition(":")
        if name in BUILT_IN or self.shown == Path():
            return name
        if file.endswith(".py"):
            return f"{self.path(file)}{colon}{factory}"
        if name.endswith(".toml"):
            return self.path(name)
        try:
            first, *words = shlex.split(name)
        except ValueError:  # of no word, or with a quote that does not end: its own error is told when it is started
            return name
        return shlex.join((self.path(first) if "/" in first else first, *map(self.path, words)))
