"""Asks `conformance run` and `conformance fuzz` about subjects that harm, one after the other (Linux):

    python -m tests.hostile.subjects --seed 1

Each command ends in its time, with its exit code and in words, not in a traceback. The rows of the other subjects are
what they are without it; no process, no file is left; terminal and reports hold no control character and no markup of
the subject's; the harness takes less than 1 GB of memory, what it writes is less than 50 MB. What does not hold is
printed below the row of the command, and asked again with

    python -m tests.hostile.subjects --seed 1 --only NAME

The exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from . import hostile_subjects
from .hostile_subjects import PROMISES, Promise
from .processes import ROOT, adopting, children, left

OTHERS = ("tokenizers", "reftok")
LINES = ("Hello world, hello you", "no", "ab", "cafe\u0301 au lait", "more of 12 foxes jump over 345 lazy dogs")
MOST_MEMORY, MOST_OUTPUT = 1 << 30, 50 << 20
RUN = ("run", "--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "40", "--timeout", "1")
FUZZ = ("fuzz", "--cases", "100", "--timeout", "1")
COMPARED = (0, 1)
"""The exit codes of a command that has come to its end."""
SECONDS_TO_END = 5.0
"""What the command started has so long to end after it."""
NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. output: on the terminal. memory: the most of a process of its own, in bytes."""

    code: int
    seconds: float
    output: str
    memory: int
    left: tuple[str, ...]


def ask(name: str, promise: Promise, seed: int, folder: Path, commands: Collection[str] = ("run", "fuzz")) -> bool:
    """Whether every command with this subject keeps its promise; prints a row for each. folder: an empty one."""
    kept = True
    for arguments in (RUN, FUZZ):
        if arguments[0] in commands:
            place = folder / arguments[0]
            ended = _command(name, (*arguments, *_subjects(name, arguments), *promise.options), seed, place)
            faults = [*_broken(promise, ended, place)]
            if promise.code in COMPARED:
                faults += _rows(promise, arguments[0], place, seed)
            kept &= _told(name, arguments[0], ended, faults)
    return kept


def _subjects(name: str, arguments: Sequence[str]) -> list[str]:
    """The options for a subject beside the others; a session has the official library in any case."""
    names = [*(OTHERS if arguments[0] == "run" else OTHERS[1:]), *([f"{name}.py:{name}"] if name else [])]
    return [word for subject in names for word in ("--subject", subject)]


def _told(name: str, command: str, ended: Ended, faults: Sequence[str]) -> bool:
    memory, told = ended.memory >> 20, _what_is_told(name, ended.output)
    print(f"{name:26} {command:8} {ended.code:4} {ended.seconds:6.1f} s {memory:5} MB  {told}", flush=True)
    for fault, times in Counter(faults).items():
        print(f"    BROKEN: {fault}{f' ({times} times)' if times > 1 else ''}", flush=True)
    return not faults


def _what_is_told(name: str, output: str) -> str:
    """One line of the terminal, for the table."""
    lines = [line.strip() for line in output.splitlines()]
    for begin in ("conformance:", "observed", f"– {name}.py", "! problem", "rule", "✓ no", "✓"):
        for line in lines:
            if line.startswith(begin):
                return line[:110]
    return ""


# The command


def _command(name: str, arguments: Sequence[str], seed: int, folder: Path) -> Ended:
    """The end of a command in a new folder."""
    _fill(folder, name)
    given = ("--model", "bpe-qwen", "--corpus", "texts", "--seed", str(seed), "--out", "run", "--jobs", "1")
    command = [sys.executable, "-m", "conformance", *arguments, *given]
    variables = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "1000"}
    places = {"TMPDIR": str(folder / "tmp"), "XDG_STATE_HOME": str(folder / "state")}
    start = time.monotonic()
    with adopting() as known, (folder / "terminal").open("wb") as terminal:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **variables, **places},
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        memory = _watched(process, start + 600)
        seconds = time.monotonic() - start
        remaining = left(known, SECONDS_TO_END)
    output = (folder / "terminal").read_bytes()[:MOST_OUTPUT].decode("utf-8", "replace")
    return Ended(process.returncode, seconds, output, memory, tuple(remaining))


def _fill(folder: Path, name: str) -> None:
    for part in ("texts", "tmp", "state"):
        (folder / part).mkdir(parents=True)
    (folder / "texts" / "en-Latn.txt").write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    if name:
        shutil.copy(hostile_subjects.__file__, folder / f"{name}.py")


def _watched(process: subprocess.Popen[bytes], deadline: float) -> int:
    """The most memory of one process of the harness, until the command ends or is ended."""
    most = 0
    while process.poll() is None:
        most = max([most, *map(_memory, _harness(process.pid))])
        if time.monotonic() > deadline:
            process.send_signal(signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
    return most


def _harness(process: int) -> Iterator[int]:
    """A process and those below it, but for the subjects' and what they started."""
    with suppress(OSError):
        if b"CONFORMANCE_SUBJECT=" not in Path(f"/proc/{process}/environ").read_bytes():
            yield process
            for child in children(process):
                yield from _harness(child)


def _memory(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


# What was promised


def _broken(promise: Promise, ended: Ended, folder: Path) -> Iterator[str]:
    """What is not as promised."""
    if ended.code != promise.code:
        yield f"the exit code is {ended.code}, not {promise.code}: {ended.output[-300:]!r}"
    if (at := ended.output.find("Traceback")) >= 0:
        yield f"a traceback: {ended.output[max(0, at - 500) : at + 3000]}"
    if promise.told not in " ".join(ended.output.split()):
        yield f"it is not told that {promise.told!r}: {ended.output[-2000:]}"
    if ended.seconds > promise.seconds:
        yield f"it took {ended.seconds:.1f} s, more than {promise.seconds:.0f} s"
    if ended.memory > MOST_MEMORY:
        yield f"the harness took {ended.memory >> 20} MB"
    for process in ended.left:
        yield f"still running: {process}"
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if size > MOST_OUTPUT:
        yield f"{size >> 20} MB were written"
    for path in files:
        place = path.relative_to(folder)
        if place.parts[0] in ("tmp",) or ".tmp" in path.name:
            yield f"{place} was left"
        elif place.parts[0] in ("run", "terminal"):
            yield from (f"{place}: {fault}" for fault in _unsafe(path))


def _unsafe(path: Path) -> Iterator[str]:
    """What a file holds that may do harm where it is shown or read."""
    text = path.read_bytes().decode("utf-8", "backslashreplace")
    if found := NOT_SHOWN.search(text):
        yield f"the character U+{ord(found[0]):04X} in {text[max(0, found.start() - 60) : found.end() + 20]!r}"
    try:
        match path.suffix:
            case ".json":
                json.loads(text)
            case ".jsonl":
                [json.loads(line) for line in text.splitlines()]
            case ".xml" | ".svg":
                ElementTree.fromstring(text)
            case ".html":
                if more := _active(text) - _active_of_a_report():
                    yield f"it has {dict(more)}"
            case ".md":
                if "<script" in re.sub(r"(`+)[^`].*?\1", "", text):
                    yield "<script>"
    except (ValueError, ElementTree.ParseError) as error:
        yield f"it cannot be read: {error}"


class _Active(HTMLParser):
    """Counts what a page runs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.update([tag] * (tag in ("script", "iframe", "img", "object", "base", "form")))
        self.found.update(name for name, _ in attributes if name.startswith("on"))


def _active(page: str) -> Counter[str]:
    parser = _Active()
    parser.feed(page)
    return parser.found


@cache
def _active_of_a_report() -> Counter[str]:
    return _active((_beside("run", 1) / "run" / "report.html").read_text("utf-8"))


@cache
def _folder_of_the_right() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


@cache
def _beside(command: str, seed: int) -> Path:
    """The folder of a command with the other subjects alone."""
    folder = Path(_folder_of_the_right().name) / f"{command}-{seed}"
    arguments = RUN if command == "run" else FUZZ
    ended = _command("", (*arguments, *_subjects("", arguments)), seed, folder)
    assert (folder / "run" / "run.json").is_file(), ended.output
    return folder


def _rows(promise: Promise, command: str, folder: Path, seed: int) -> Iterator[str]:
    """How the rows of the other subjects differ from those that they have alone, or none where so much was promised.

    A session mutates what any subject was found wrong on: there, they are as many, and as expected.
    """
    if not (folder / "run" / "run.json").is_file():
        yield "there is no run.json"
        return
    found = _cells(folder / "run" / "run.json")
    expected = [] if promise.alone else _cells(_beside(command, seed) / "run" / "run.json")
    if command == "run" and found != expected:
        yield f"rows of others: {[cell for cell in found if cell not in expected]}"
    if len(found) != len(expected) or any(cell["mismatched"] != cell["known"] or cell["failures"] for cell in found):
        yield f"rows of others: {found}"


def _cells(file: Path) -> list[dict[str, object]]:
    with suppress(ValueError):  # which is told of the file itself
        return [cell for cell in json.loads(file.read_text("ascii"))["cells"] if cell["subject"] in OTHERS]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hostile.subjects", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seed", type=int, default=1, help="of the cases (default: 1)")
    parser.add_argument("--only", choices=PROMISES, metavar="NAME", help="one subject, by its name", action="append")
    options = parser.parse_args()
    broken = []
    for name in options.only or PROMISES:
        with TemporaryDirectory() as folder:
            if not ask(name, PROMISES[name], options.seed, Path(folder)):
                broken.append(name)
    print(f"\n{len(options.only or PROMISES)} subjects, {len(broken)} broken promises: {' '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
