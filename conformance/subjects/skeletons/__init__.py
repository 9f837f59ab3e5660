"""The skeletons of adapters: a folder a language, a program each that answers as it stands.

A folder holds the program, its subject.toml, in which NAME stands for the name, and a README.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from conformance.core.errors import UsageError
from conformance.files.atomic import writing
from conformance.subjects.protocol import LONGEST

SETTINGS = "subject.toml"


def write_skeleton(language: str, folder: Path, name: str | None = None) -> Path:
    """Write the skeleton of a language into a folder, made where there is none, and give its subject.toml.

    name: of the subject in reports; the folder's, if None. Raises UsageError for a name that reports do not take, and
    where a file is there already: then nothing is written.
    """
    name = folder.resolve().name if name is None else name
    _check_name(name)
    texts = dict(_texts(resources.files(__name__).joinpath(language)))
    texts[PurePosixPath(SETTINGS)] = texts[PurePosixPath(SETTINGS)].replace('"NAME"', _toml_string(name), 1)
    paths = {folder / path: text for path, text in texts.items()}
    with writing(folder):
        if folder.is_file():
            raise UsageError(f"{folder}: is a file: give a folder")
        for path in paths:
            if path.exists() or path.is_symlink():
                raise UsageError(f"{path}: is there already, and is not overwritten: give a new folder")
    for path, text in paths.items():
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    return folder / SETTINGS


def _toml_string(text: str) -> str:
    """A printable text as a string of TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _check_name(name: str) -> None:
    if not name or len(name) > LONGEST or not name.isprintable():
        raise UsageError(f"{name!r} cannot be the subject's name: give --name, of 1 to {LONGEST} printable characters")


def _texts(folder: Traversable) -> Iterator[tuple[PurePosixPath, str]]:
    """The files of a skeleton by their places in it; Python leaves its own beside them."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            yield PurePosixPath(entry.name), entry.read_text("utf-8")
        elif entry.name != "__pycache__":
            yield from ((entry.name / path, text) for path, text in _texts(entry))
