"""A subject of a user's, as it is named: FILE.py:FACTORY, a subject.toml, or a command."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from conformance.core.errors import FORM_ERRORS, InputError, UsageError, form_problem
from conformance.core.records import Name, from_json
from conformance.subjects.languages import language_name

_SERVE = f"""\
import sys
sys.path[:] = [*filter(None, sys.path), {str(Path(__file__).resolve().parents[2])!r}]
from conformance.subjects.serve import main
main(sys.argv[1:])
"""
"""Nothing of the current folder is imported; the harness is found where it is, and after all else."""


_MOST_BYTES = 1 << 20
"""Of a subject.toml."""
MOST_SECONDS = 3600.0
"""No answer may take longer."""
SECONDS_FOR_AN_ANSWER = 5.0
"""Of a subject in a process of its own, where nothing else is said."""
_RUN_BY: Mapping[str, str] = {
    ".java": "java",
    ".jar": "java -jar",
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "npx tsx",
    ".mts": "npx tsx",
    ".rb": "ruby",
    ".php": "php",
    ".pl": "perl",
    ".lua": "lua",
    ".go": "go run",
    ".sh": "sh",
}
"""What runs a file, by its ending."""
_BUILT = frozenset((".c", ".cc", ".cpp", ".cxx", ".cs", ".kt", ".rs", ".swift", ".zig"))
"""The endings of source files that only a compiler takes."""
_SOURCES = _BUILT | {".go", ".h", ".hpp", ".java"}
_PROGRAMS = frozenset(("", ".dll", ".exe", ".jar"))
"""The endings of what is built."""
_NOT_OURS = frozenset(("bin", "build", "node_modules", "obj", "target", "venv"))
"""Folders that hold no source files of the adapter's author."""
MOST_FILES = 10_000
"""The most files of a folder that are compared with the program."""
_FILE_NAME = re.compile(r"[^-/\s]\S*\.[a-z][a-z0-9]{0,4}")
"""A word of a command that reads like a file of its folder."""


@dataclass(frozen=True, slots=True)
class KnownIssue:
    """A finding of a subject that its maker knows of: by its rule, with the address where it is told."""

    rule: Name
    issue: str = ""


@dataclass(frozen=True, slots=True)
class SubjectFile:
    """The fields of a subject.toml; docs/protocol.md says what they mean."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    command: list[str] = field(default_factory=list)
    factory: str = ""
    python: str = ""
    language: str = ""
    homepage: str = ""
    issues: str = ""
    build: str = ""
    models: list[str] = field(default_factory=list)
    model: str = ""
    timeout: Annotated[float, Meta(gt=0, le=MOST_SECONDS)] | None = None
    env: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    known: list[KnownIssue] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Definition:
    """What it takes to start a subject.

    label: as the reports name it. command: absolute where it names files. code: the files that decide what it
    answers, as far as they are known. about: its subject.toml, where it has one.
    """

    label: str
    command: tuple[str, ...]
    code: tuple[Path, ...]
    about: SubjectFile | None = None
    folder: Path = Path()

    @property
    def is_own_model(self) -> bool:
        """Whether it takes the model that it brings along."""
        return self.about is not None and self.about.model == "own"

    @property
    def ends_by_itself(self) -> bool:
        """Whether it ends when the harness is gone, with all that it started, even while its library hangs."""
        return _SERVE in self.command

    @property
    def python_file(self) -> str:
        """FILE.py:FACTORY of what any Python can load by itself; "" where it takes more, or is another program."""
        needs = self.about is not None and (self.about.python or self.about.env or self.about.options)
        return "" if _SERVE not in self.command or needs else ":".join(self.command[-2:])

    def run_by(self, python: Path) -> Definition:
        """A FILE.py:FACTORY run by another interpreter."""
        return replace(self, command=(str(python), *self.command[1:]))

    def moved_to(self, folder: Path) -> Definition:
        """A program of a copy of its folder, without the files of the old one."""
        inside = [Path(word).is_relative_to(self.folder) for word in self.command]
        pairs = zip(self.command, inside, strict=True)
        command = tuple(str(folder / Path(word).relative_to(self.folder)) if own else word for word, own in pairs)
        return replace(self, command=command, folder=folder)

    @property
    def environment(self) -> Mapping[str, str]:
        """What is added to the environment."""
        return self.about.env if self.about is not None else {}

    @property
    def stale(self) -> str:
        """What is to be built again, since a source file in the folder is newer; "" if nothing is."""
        build = self.about.build if self.about is not None else ""
        program = next((file for file in self.code if build and file.suffix in _PROGRAMS), None)
        newer = _newer_source(self.folder, _changed(program)) if program is not None else None
        if newer is None or program is None:
            return ""
        names = f"{newer.relative_to(self.folder)} is newer than {program.relative_to(self.folder)}"
        return f"{names}: build it again (cd {shlex.quote(str(self.folder))} && {build})"

    @property
    def way_out(self) -> str:
        """What may help where it does not start."""
        # A word that names a file of the folder has become a path, and is not found from the folder it runs in.
        named = [word for word in self.command[1:] if _FILE_NAME.fullmatch(word)]
        absent = f"; there is no file {named[0]} in {self.folder}" if named else ""
        if self.about is None or not self.about.build:
            return absent
        return f"{absent}; is it built? (cd {shlex.quote(str(self.folder))} && {self.about.build})"


def _newer_source(folder: Path, time: int) -> Path | None:
    """A source file in a folder that was changed after a time in nanoseconds."""
    files = (file for file in islice(_files(folder), MOST_FILES) if file.suffix in _SOURCES)
    return next((file for file in files if _changed(file) > time), None)


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_OURS)
        yield from (Path(place, name) for name in sorted(names))


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:  # a link to what is gone
        return 0


def definition(name: str) -> Definition:
    """The subject with a name.

    >>> definition("/mine.py:Mine").label, definition("cat -u").command[1:]
    ('mine.py:Mine', ('-u',))

    Raises UsageError for what names none, InputError for a subject.toml of another form.
    """
    file, _, factory = name.rpartition(":")
    if file.endswith(".py") and factory.isidentifier():
        return _of_python(Path(name).name, Path(file), factory, sys.executable)
    if name.endswith(".toml"):
        return _of_file(Path(name))
    try:
        words = shlex.split(name)
    except ValueError as error:
        raise UsageError(f"--subject {name}: is no command: {error}") from None
    if not words:
        raise UsageError("--subject: names nothing")
    return _of_command(_label(words), words, Path())


def _of_python(label: str, file: Path, factory: str, python: str) -> Definition:
    path = file.absolute()
    return Definition(label, (python, "-c", _SERVE, str(path), factory), (path,), folder=path.parent)


def _label(words: Sequence[str]) -> str:
    """A command without the folders: the same from wherever it is named.

    >>> _label(["node", "/mine/server.mjs", "--fast"])
    'node server.mjs --fast'
    """
    return " ".join(word if word.startswith("-") else Path(word).name or word for word in words)


def _of_command(label: str, words: list[str], folder: Path, about: SubjectFile | None = None) -> Definition:
    """A command whose words may be files of a folder: they are found from any other.

    A program without a folder is that of PATH, where there is one: no file of that name goes before it.
    """
    folder = folder.absolute()
    of_path = "/" not in words[0] and shutil.which(words[0]) is not None
    files = [folder / word if isfile(folder / word) else None for word in words]
    if of_path:
        files[0] = None
    found = [str(file) if file is not None else word for file, word in zip(files, words, strict=True)]
    code = tuple(file for file in files if file is not None)
    return Definition(label, tuple(found), code, about, folder)


@lru_cache(maxsize=64)
def _read(path: Path, content: bytes) -> SubjectFile:
    try:
        root = tomllib.loads(content.decode("utf-8"))
        _check_lists(path, root)
        about = from_json(root, SubjectFile)
    except FORM_ERRORS as error:
        raise InputError(f"{path}: is no subject.toml: {form_problem(error)}") from None
    if bool(about.command) == bool(about.factory):
        raise InputError(f"{path}: wants one of `command` and `factory`")
    if about.model not in ("", "own"):
        raise InputError(f'{path}: `model` is "own", or is left out')
    if "\0" in "".join((*about.command, about.factory, about.python, *about.env, *about.env.values())):
        raise InputError(f"{path}: a NUL can be in no argument, file name or variable of a program")
    about = replace(about, language=language_name(about.language))
    if any("=" in name or not name for name in about.env):
        raise InputError(f"{path}: `env` has a name that no variable can have")
    return about


def _check_lists(path: Path, root: Mapping[str, Any]) -> None:
    """Raise InputError for a text where a list is wanted, with the list that is meant."""
    for key in ("command", "models"):
        value = root.get(key)
        if not isinstance(value, str):
            continue
        try:
            words = shlex.split(value) if key == "command" else [value]
        except ValueError:  # a quote that is not closed
            words = value.split()
        raise InputError(f"{path}: `{key}` is a list: {key} = {json.dumps(words, ensure_ascii=False)}")


def _of_file(path: Path) -> Definition:
    if not isfile(path):
        raise UsageError(f"--subject {path}: there is no such file")
    try:
        with path.open("rb") as file:
            about = _read(path, file.read(_MOST_BYTES))
    except OSError as error:
        raise UsageError(f"--subject {path}: cannot be read: {error.strerror}") from None
    folder = path.absolute().parent
    if about.command:
        made = _of_command(about.name, about.command, folder, about)
        return Definition(made.label, made.command, (path.absolute(), *made.code), about, folder)
    script, _, factory = about.factory.rpartition(":")
    if not script or not factory.isidentifier():
        raise InputError(f"{path}: `factory` is FILE.py:FACTORY, not {about.factory}")
    python = sys.executable
    if about.python:
        # Not resolved: the python of an environment is a link, and knows its environment by its place.
        python = str(folder / about.python) if isfile(folder / about.python) else about.python
    made = _of_python(about.name, folder / script, factory, python)
    return Definition(made.label, made.command, (path.absolute(), *made.code), about, folder)


def check_definition(name: str, built_in: Sequence[str]) -> None:
    """Raise UsageError for a subject that cannot be started: its file or its program is not there.

    built_in: the names of others, for the message.
    """
    found = definition(name)
    for file in found.code:
        if not isfile(file):
            raise UsageError(f"--subject {name}: there is no file {file}")
    if shutil.which(found.command[0]) is not None:
        return
    program = Path(found.command[0])
    if (Path(name) / "subject.toml").is_file():
        what = f"is a folder: name its file, {Path(name) / 'subject.toml'}"
    elif isfile(program):
        if found.about:
            way = f"{_way_to_run(program.name, program.suffix.lower())}, in `command`"
        else:
            way = f"{_way_to_run(name, program.suffix.lower())}, or its subject.toml"
        what = f"{program.name if found.about else ''} is no program that can be run: {way}".lstrip()
    else:
        what = f"there is no program {program}{found.way_out}"
        if not found.about and " " not in name:
            what = f"neither one of {', '.join(built_in)} nor FILE.py:FACTORY, a subject.toml or a command: {what}"
    raise UsageError(f"--subject {name}: {what}")


def _way_to_run(name: str, suffix: str) -> str:
    """What to name in the place of a file that is no program.

    >>> _way_to_run("mine/Adapter.java", ".java"), _way_to_run("main.rs", ".rs")
    ("name what runs it as well, 'java mine/Adapter.java'", 'name the program that is built from it')
    """
    if suffix in _BUILT:
        return "name the program that is built from it"
    if suffix in _RUN_BY:
        return f"name what runs it as well, '{_RUN_BY[suffix]} {name}'"
    return f"make it one (chmod +x {name}), or name what runs it as well"


def absolute_name(name: str) -> str:
    """The name by which a subject is found from any folder.

    >>> absolute_name("/mine.py:Mine"), absolute_name("cat -u")
    ('/mine.py:Mine', 'cat -u')
    """
    found = definition(name)
    if found.about is not None:
        return str(found.code[0])
    file, _, factory = name.rpartition(":")
    if file.endswith(".py") and factory.isidentifier():
        return f"{Path(file).resolve()}:{factory}"
    return shlex.join(found.command)


def told_at(found: Definition) -> tuple[str, int]:
    """The file that tells what a subject is, from the root of its repository, and the line that names it there, from 1.

    Of a subject.toml that is the line of its name, of a FILE.py that of its factory; of a command the first line of its
    first file. A file outside the working folder, and in no repository, is told by its name alone. ("", 0) where there
    is no file.

    >>> told_at(definition("cat -u"))
    ('', 0)
    """
    if not found.code:
        return "", 0
    file = found.code[0]
    root = next((folder for folder in file.parents if (folder / ".git").exists()), Path.cwd())
    name = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name
    named = re.escape(found.python_file.rpartition(":")[2])
    pattern = r"\s*name\s*=" if found.about else rf"((async )?def|class) {named}\b|{named}\s*[:=]" if named else ""
    return name, _first_line(file, re.compile(pattern))


def _first_line(file: Path, pattern: re.Pattern[str]) -> int:
    """The number of the first line that begins so, 1 where there is none."""
    try:
        with file.open("rb") as opened:
            lines = opened.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return 1
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 1)
