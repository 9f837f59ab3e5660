"""Where releases of a library are published, and how one is installed in a place of its own.

Nothing is built and no script of a package is run: what has no wheel, or does not install so, is left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from packaging.version import InvalidVersion, Version

from conformance.core.errors import InputError, UsageError
from conformance.files.atomic import is_gone
from conformance.subjects.definition import Definition

SECONDS = 600
"""For one installation."""
_WHEELS = "--only-binary=:all:"
_NAME = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")
_NEVER = "0+never"
"""A version that is never published."""
_LISTED = re.compile(r"\(from versions: (.*)\)")
_IMPORTED_BESIDE = re.compile(rb"\.\./([\w-][\w.-]*)")
_BESIDE = ".tmp"
"""The end of the names of folders that are not whole yet."""
_LARGEST_SOURCE = 1 << 20


class NotInstalledError(Exception):
    """A release that does not install; the message is why, in a line."""


class Registry(ABC):
    """A registry, and the places of the releases of one library that are installed.

    library: its name there. cache: the folder of the places, which are kept for the next time.
    """

    kind: str

    def __init__(self, library: str, cache: Path) -> None:
        if not _NAME.fullmatch(library):
            raise UsageError(f"--library {library}: is no name of a package")
        self.library = library
        self.cache = cache / self.kind

    @abstractmethod
    def versions(self) -> list[str]:
        """Every published version that this machine could install; raises InputError where they cannot be had."""

    @abstractmethod
    def install(self, version: str, place: Path) -> None:
        """Install a release in a new folder; raises NotInstalledError."""

    @abstractmethod
    def subject(self, asked: Definition, place: Path) -> Definition:
        """The subject that asks the release of a place."""

    def place(self, version: str) -> Path:
        """The folder with a release: that of an earlier time, or a new one; raises NotInstalledError."""
        name = f"{self.library.replace('/', '+')}-{version}"
        return _whole(self.cache / name, lambda made: self.install(version, made))


class PyPi(Registry):
    """PyPI, or the index that pip is set to. beside: what is installed with each release, as requirements."""

    kind = "pypi"

    def __init__(self, library: str, cache: Path, beside: Sequence[str] = ()) -> None:
        super().__init__(library, cache)
        self._beside = beside

    def versions(self) -> list[str]:
        # `pip index versions` names those without a wheel for this machine too; refusing a version names the others.
        said = _run([*self._pip(), "install", "--dry-run", "--no-deps", _WHEELS, f"{self.library}=={_NEVER}"])
        listed = _LISTED.search(said.stderr)
        if listed is None or listed[1] == "none":
            there_is = "pip finds no release with a wheel for this machine"
            raise InputError(f"{self.library}: {there_is}; is that its name, and is there a network?")
        return listed[1].split(", ")

    def install(self, version: str, place: Path) -> None:
        venv.create(place, symlinks=os.name != "nt")
        requirements = [f"{self.library}=={version}", *self._beside]
        options = ("--quiet", "--no-input", _WHEELS)
        said = _run([*self._pip(), "--python", str(_python(place)), "install", *options, *requirements])
        if said.returncode:
            raise NotInstalledError(_last(said))

    def subject(self, asked: Definition, place: Path) -> Definition:
        return asked.run_by(_python(place))

    def _pip(self) -> list[str]:
        """The pip of an environment of its own: that of the harness may have none."""
        place = _whole(self.cache / "pip", lambda made: venv.create(made, symlinks=os.name != "nt", with_pip=True))
        return [str(_python(place)), "-m", "pip", "--disable-pip-version-check"]


class Npm(Registry):
    """The registry of npm. folder: of the subject, which is copied beside each release, so that it finds that one."""

    kind = "npm"

    def __init__(self, library: str, cache: Path, folder: Path) -> None:
        super().__init__(library, cache)
        self._folder = folder
        if shutil.which("npm") is None:
            raise InputError("npm is not installed: it lists and installs the releases")

    def versions(self) -> list[str]:
        said = _run(["npm", "view", self.library, "versions", "--json"])
        try:
            found = json.loads(said.stdout)
        except ValueError:
            found = None
        if said.returncode or not found or isinstance(found, dict):
            raise InputError(f"{self.library}: its releases cannot be listed; is there a network? npm: {_last(said)}")
        return [found] if isinstance(found, str) else [str(one) for one in found]

    def install(self, version: str, place: Path) -> None:
        said = _run(["npm", "install", "--prefix", str(place), *_QUIET, f"{self.library}@{version}"])
        if said.returncode:
            raise NotInstalledError(_last(said))

    def subject(self, asked: Definition, place: Path) -> Definition:
        """Copied each time: the subject may have changed since."""
        copy = place / "asking" / self._folder.name
        shutil.rmtree(copy.parent, ignore_errors=True)
        shutil.copytree(self._folder, copy, ignore=shutil.ignore_patterns("node_modules", "package*.json"))
        (copy / "node_modules").symlink_to(place / "node_modules")
        (copy / "package.json").write_bytes((self._folder / "package.json").read_bytes())
        for name in _named_beside(copy):
            if (self._folder.parent / name).exists():
                (copy.parent / name).symlink_to((self._folder.parent / name).absolute())
        return asked.moved_to(copy)


_QUIET = ("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error")


def _named_beside(folder: Path) -> set[str]:
    """What the files of a folder name beside it: ../javascript/serve.mjs is `javascript`."""
    files = [path for path in folder.iterdir() if path.is_file() and path.stat().st_size < _LARGEST_SOURCE]
    return {name.decode("ascii") for path in files for name in _IMPORTED_BESIDE.findall(path.read_bytes())}


def _whole(place: Path, make: Callable[[Path], None]) -> Path:
    """A folder, made where it is not there. It gets its name when it is whole: an interruption leaves none.

    What was being made by those that were killed is removed.
    """
    if place.is_dir():
        return place
    for half in place.parent.glob(f".*.*{_BESIDE}"):
        if is_gone(half.name.removesuffix(_BESIDE).rpartition(".")[2]):
            shutil.rmtree(half, ignore_errors=True)
    made = place.with_name(f".{place.name}.{os.getpid()}{_BESIDE}")
    try:
        made.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"{made}: cannot be made: {error.strerror}") from None
    try:
        make(made)
        with suppress(OSError):  # another process was faster
            made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return place


def _python(place: Path) -> Path:
    return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}
    try:
        return subprocess.run(command, timeout=SECONDS, check=False, **options)  # type: ignore[call-overload,no-any-return]
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no end within {SECONDS} s")


def _last(said: subprocess.CompletedProcess[str]) -> str:
    """The error in a line: the last that says so, or else the last."""
    lines = [line.strip() for line in said.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "npm err", "npm error"))]
    return " ".join((errors or lines or ["it says nothing"])[-1 if not errors else 0].split())[:200]


def in_order(versions: Sequence[str]) -> list[str]:
    """The releases among some versions, the oldest first, without pre-releases.

    >>> in_order(["0.21.0", "0.9.1", "0.22.0rc1", "1.0.0-beta.2", "0.20.0.dev1"])
    ['0.9.1', '0.21.0']
    """
    known: dict[Version, str] = {}
    for text in versions:
        try:
            version = Version(text)
        except InvalidVersion:  # -beta.2.x and other names of pre-releases of npm
            continue
        if not version.is_prerelease:
            known[version] = text
    return [known[version] for version in sorted(known)]
