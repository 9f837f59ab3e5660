"""Asks `conformance` about damaged files of strangers: folders of runs and sessions, corpora, vectors, settings.

    python -m tests.hostile.folders --count 10000 --seed 1

A real file is damaged, and a command that reads it is run. That ends with 0, 1 or 2, and with 2 in one or two lines
that name the file; in less than 60 seconds, with no more than four times the file and 200 megabytes of memory more than
before; what it prints has no character that a terminal takes for a command; nothing is written or deleted but in the
folder that the command is given to write into. What does not hold is printed with its number, which asks it again:

    python -m tests.hostile.folders --seed 1 --only 4711

The exit code is 1 if there is any.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from conformance.engine.bench import load_reference
from conformance.subjects.definition import Definition
from conformance.subjects.isolated import IsolatedSubject
from tests.conformance.here import run_here
from tests.conformance.subjects.served_here import ServedHere

from .folder_damage import damaged, put_in_place
from .guarded import bounded_memory, run, seed_and_numbers, told_of
from .subjects import NOT_SHOWN

RENEWED_AFTER = 1500
ENDS = (0, 1, 2)
IN_PLACE = 0.06
"""The share of files in whose place something else is put."""

MINE = """
import tokenizers

class Mine:
    def __init__(self, path):
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text.strip(), add_special_tokens=add_special_tokens).ids
    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
SUBJECT = """\
name = "mine"
factory = "../mine.py:Mine"
language = "Python"
homepage = "https://example.org"
models = ["tokenizer.json"]
timeout = 20
env = { A = "b" }
options = { c = 1 }

[[known]]
rule = "white space is stripped"
issue = "https://example.org/7"
"""
SETTINGS = """\
subjects = ["../mine.py:Mine"]
models = ["../tokenizer.json"]
corpora = ["../edge-x3.jsonl"]
tier = "smoke"
expectations = ["../known-x5.toml"]
fail-on = "natural"
jobs = 1
"""
ENCODING = r"""[encoding]
pattern = '(?i:[st]|ll)|[\p{L}&&[^\p{Han}]]++|\s+(?!\S)|\p{N}{1,3}+|[^\p{L}\s]'
special_tokens = { "<s>" = 300, "<|end|>" = 301 }
"""
EDGES = [{"text": " ab "}, {"text": "a\u0301b", "provokes": "marks"}, {"bytes_hex": "61ff62"}, {"text": "<s> a"}]
MODEL = ("--model", "tokenizer.json")
RUN = ("run", *MODEL, "--check", "ids", "--check", "decode", "--quiet")
FUZZ = ("fuzz", *MODEL, "--corpus", "edge-x3.jsonl", "--check", "ids", "--check", "decode", "--quiet")
ON_FEW = ("--inputs", "corpora", "--corpus", "../edge-x3.jsonl")
"""So that all embedded models, where the settings name none, take little time."""
MINE_TOO = ("--subject", "mine.py:Mine")

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A file, and the commands that read it.

    form: as of `damaged`. commands: "FINDING" stands for a fingerprint; they may write below "out", and below what they
    `--resume`, or what `writes` names. place: the folder in which they are run.
    """

    file: str
    form: str
    commands: tuple[Command, ...]
    writes: tuple[str, ...] = ()
    place: str = "."


READING: tuple[Command, ...] = (
    ("diff", "ran-x1", "ran-x2"),
    ("diff", "ran-x2", "ran-x1", "--format", "markdown"),
    ("history", "."),
    ("history", "ran-x1", "ran-x2"),
    ("accept", "ran-x1", "--all", "--reason", "why", "--out", "out"),
    ("show", "ran-x1"),
    ("show", "ran-x1", "1", "FINDING"),
    ("replay", "ran-x1", "FINDING"),
    ("replay", "ran-x1", "FINDING", "--trust"),
    ("reproduce", "ran-x1", "FINDING", "--out", "out"),
    ("reproduce", "ran-x1", "FINDING", "--trust", "--as", "vector", "--out", "out"),
)
GOING_ON: tuple[Command, ...] = (("run", "--resume", "ran-x1"), ("run", "--resume", "ran-x1", "--trust"))
OF_SESSIONS: tuple[Command, ...] = (
    ("fuzz", "--resume", "session-x1", "--cases", "64", "--quiet"),
    ("fuzz", "--resume", "session-x1", "--cases", "80", "--quiet", "--trust"),
    ("corpus", "minimize", "session-x1"),
    ("corpus", "merge", "session-x3", "session-x1"),
    ("diff", "session-x1", "session-x3"),
)
_WRITTEN = ("session-x1", "session-x2", "session-x3")
FILES = (
    Asked("ran-x1/run.json", "json", (*READING, *GOING_ON)),
    Asked("ran-x1/findings.jsonl", "lines", (*READING, *GOING_ON)),
    Asked("ran-x1/plan.json", "json", (*READING[5:], *GOING_ON, *GOING_ON)),
    Asked("ran-x1/journal.jsonl", "lines", GOING_ON),
    *(Asked(f"session-x1/{name}.json", "json", OF_SESSIONS, _WRITTEN) for name in ("plan", "session", "state", "run")),
    *(Asked(f"session-x1/{name}.jsonl", "lines", OF_SESSIONS, _WRITTEN) for name in ("corpus", "findings")),
    Asked(
        "session-x2/shards.jsonl",
        "lines",
        (("fuzz", "--resume", "session-x2", "--cases", "120", "--quiet"), ("corpus", "minimize", "session-x2")),
        _WRITTEN,
    ),
    Asked(
        "subject-x4/subject.toml",
        "toml",
        (
            (*RUN, "--subject", "subject-x4/subject.toml", "--corpus", "edge-x3.jsonl", "--out", "out"),
            ("subject", "check", "subject-x4/subject.toml", *MODEL),
        ),
    ),
    Asked("edge-x3.jsonl", "lines", ((*RUN, *MINE_TOO, "--corpus", "edge-x3.jsonl", "--out", "out"),)),
    Asked(
        "known-x5.toml",
        "toml",
        (
            ("known", "list", "--expectations", "known-x5.toml"),
            ("known", "prune", "ran-x1", "--expectations", "known-x5.toml"),
            ("accept", "ran-x2", "--all", "--reason", "why", "--out", "known-x5.toml"),
            (*RUN, *MINE_TOO, "--corpus", "edge-x3.jsonl", "--out", "out", "--expectations", "known-x5.toml"),
        ),
        ("known-x5.toml",),
    ),
    Asked(
        "project-x6/conformance.toml",
        "toml",
        (("run", *ON_FEW, "--check", "ids", "--quiet", "--out", "out"), ("known", "list")),
        place="project-x6",
    ),
    Asked(
        "vectors-x7.json",
        "json",
        (
            ("vectors", "lint", "vectors-x7.json"),
            ("vectors", "run", "vectors-x7.json", *MODEL, *MINE_TOO, "--quiet"),
            ("vectors", "diff", "vectors-x7.json", "vectors-y.json"),
            (*RUN, *MINE_TOO, "--corpus", "vectors-x7.json", "--out", "out"),
        ),
    ),
    Asked(
        "ranks-x8.toml",
        "toml",
        (("run", "--model", "ranks-x8.tiktoken", "--corpus", "edge-x3.jsonl", "--check", "ids", "--out", "out"),),
    ),
)


def outcome(seed: int, number: int, folder: Path) -> tuple[str, str]:
    """What became of the command with the file of a number, and the faults if there are any. folder: of `prepare`."""
    world, base = folder / "world", folder / "base"
    shutil.rmtree(world)
    shutil.copytree(base, world, symlinks=True)
    random = Random(f"{seed}-{number}")
    asked = random.choice(FILES)
    command = random.choice(asked.commands)
    file = world / "home" / asked.file
    outside = world / "outside" / "secret.txt"
    if random.random() < IN_PLACE:
        size, what = 0, put_in_place(file, random, outside)
    else:
        data = damaged(file.read_bytes(), asked.form, random, outside)
        size, what = len(data), f"{len(data)} bytes"
        file.write_bytes(data)
    fingerprint = (base / "finding").read_text("ascii")
    words = [fingerprint if word == "FINDING" else word for word in command]
    before = _everything(world)
    try:
        with bounded_memory(size):
            code, said = ask(words, world, asked.place)
        error = ""
    except MemoryError as found:
        code, said, error = -1, "", f"too much memory: {told_of(found)}"
    except Exception as found:
        code, said, error = -1, "", f"an error that nobody caught: {told_of(found)}"
    faults = [error] if error else [*_faults(code, said, asked.file)]
    faults += _changed(before, _everything(world), _writable(asked, command))
    told = f"conformance {' '.join(words)}\n{asked.file}: {what}\n{said[-1500:]}"
    return (f"exit {code}", "") if not faults else ("a fault", "\n".join([*faults, told]))


def _writable(asked: Asked, command: Command) -> list[str]:
    """What a command may write below, as it begins."""
    resumed = [word for option, word in pairwise(command) if option == "--resume"]
    place = "" if asked.place == "." else f"{asked.place}/"
    return [f"home/{place}{name}" for name in ("out", "reports", *resumed, *asked.writes)] + ["state", "cache"]


def _faults(code: int, said: str, file: str) -> Iterator[str]:
    lines = said.strip().splitlines()
    if code not in ENDS:
        yield f"the exit code is {code}"
    if "Traceback" in said:
        yield "a traceback"
    if found := NOT_SHOWN.search(said):
        yield f"the character U+{ord(found[0]):04X} in {said[max(0, found.start() - 60) : found.end() + 20]!r}"
    if code == 2:
        told = [line for line in lines if line.startswith("conformance: ")]
        names = (Path(file).stem, file.split("/")[0])
        if not told:
            yield "no line begins as a message of the command"
        elif len(lines) - lines.index(told[0]) > 2:
            yield f"the message has {len(lines) - lines.index(told[0])} lines"
        elif not any(name in said for name in names):
            yield "the message does not name the file"
        if max(map(len, lines), default=0) > 2000:
            yield f"a line has {max(map(len, lines))} characters"


def _everything(world: Path) -> dict[str, str]:
    """All that is in a folder: what each is, and its content."""
    found: dict[str, str] = {}
    for path in sorted(world.rglob("*")):
        name = path.relative_to(world).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        else:
            found[name] = sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return found


def _changed(before: dict[str, str], after: dict[str, str], writable: Collection[str]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        is_same = before.get(name) == after.get(name)
        if not is_same and not name.startswith(tuple(writable)) and Path(name).name != ".lock":
            yield f"{name}: was {before.get(name, 'not there')}, is {after.get(name, 'not there')}"


# The command


def _served(subject: Definition, *arguments: Any) -> IsolatedSubject:
    """Served here, where it is the subject that was made for this; what damage names has a process."""
    is_mine = [file.name for file in subject.code] == ["mine.py"] and subject.command[-1] == "Mine"
    return (ServedHere if is_mine else IsolatedSubject)(subject, *arguments)


def ask(words: Sequence[str], world: Path, place: str = ".") -> tuple[int, str]:
    """The exit code of a command in the home of a world, and what it says; shards and subjects are in this process."""
    load_reference.cache_clear()  # of a file that is damaged now
    with _in(world / "home" / place, world):
        ended = run_here(words, _served)
    return ended.returncode, ended.stdout + ended.stderr


@contextmanager
def _in(folder: Path, world: Path) -> Iterator[None]:
    """In a folder, with an environment that leads nowhere else."""
    places = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}
    variables = {name: str(world / value) for name, value in places.items()}
    variables |= {"NO_COLOR": "1", "COLUMNS": "1000", "HF_HUB_OFFLINE": "1"}
    before = Path.cwd()
    with patch.dict(os.environ, variables), patch.object(tempfile, "tempdir", str(world / "tmp")):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


# What is damaged


def prepare(folder: Path) -> None:
    """Make real files of all kinds, each as the command that writes it has it, and a copy of them."""
    world = folder / "world"
    home = world / "home"
    for name in ("home/subject-x4", "home/project-x6", "outside", "state", "tmp", "cache"):
        (world / name).mkdir(parents=True)
    (world / "outside" / "secret.txt").write_text("nobody's business\n", "utf-8")
    _write_given(home)
    corpus = ("--corpus", "edge-x3.jsonl")
    for words, code in (
        ((*RUN, *MINE_TOO, *corpus, "--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "20", "--out", "ran-x1"), 1),
        ((*RUN, *MINE_TOO, *corpus, "--out", "ran-x2"), 1),
        ((*FUZZ, *MINE_TOO, "--cases", "64", "--out", "session-x1"), 1),
        ((*FUZZ, *MINE_TOO, "--cases", "120", "--exitfirst", "--out", "session-x2"), 1),
        (("accept", "ran-x1", "--all", "--reason", "why", "--out", "known-x5.toml"), 0),
    ):
        _ask_for(words, world, code)
    finding = json.loads((home / "ran-x1" / "findings.jsonl").read_text("ascii").splitlines()[0])
    (world / "finding").write_text(finding["fingerprint"], "ascii")
    as_vector = ("reproduce", "ran-x1", finding["fingerprint"], "--as", "vector", "--out", "vectors-x7.json")
    _ask_for(as_vector, world, 0)
    shutil.copy(home / "vectors-x7.json", home / "vectors-y.json")
    shutil.copytree(home / "session-x1", home / "session-x3")
    for asked in FILES:
        assert (home / asked.file).read_bytes(), asked.file
    shutil.copytree(world, folder / "base")


def _ask_for(words: Sequence[str], world: Path, code: int) -> None:
    found, said = ask(words, world)
    assert found == code, f"{words}: {found}\n{said}"


def _write_given(home: Path) -> None:
    """What no command writes."""
    from tests.reftok.official import tokenizer_json

    from .files import MODELS

    (home / "tokenizer.json").write_text(json.dumps(tokenizer_json(MODELS[0])), "ascii")
    (home / "mine.py").write_text(MINE, "utf-8")
    (home / "edge-x3.jsonl").write_text("".join(f"{json.dumps(edge)}\n" for edge in EDGES), "ascii")
    (home / "subject-x4" / "subject.toml").write_text(SUBJECT, "utf-8")
    (home / "project-x6" / "conformance.toml").write_text(SETTINGS, "utf-8")
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc"]
    ranks = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    (home / "ranks-x8.tiktoken").write_bytes(ranks)
    (home / "ranks-x8.toml").write_text(ENCODING, "utf-8")


def main() -> int:
    seed, numbers = seed_and_numbers("tests.hostile.folders", __doc__ or "", 2_000)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        counts = run(outcome, Path(folder), seed, numbers, RENEWED_AFTER)
    faults = sum(found for kind, found in counts.items() if not kind.startswith("exit"))
    print(f"\n{counts.total():,} files, {faults} faults: {dict(sorted(counts.items()))}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
