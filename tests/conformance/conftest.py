"""Helpers for the tests of the harness: running the command, answers made by hand, planted defects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.commands import main
from conformance.subjects.isolated import IsolatedSubject

from .subjects.isolated_subjects import TIMEOUT, WHOLE, Make

ROOT = Path(__file__).resolve().parent.parent.parent
DEFECTS = ROOT / "tests" / "planted_defects"

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def conformance() -> Command:
    """Runs the command in a process of its own; its output is piped."""

    def run(*arguments: str | Path, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "conformance", *map(str, arguments)]
        return subprocess.run(
            command,
            cwd=cwd,
            env={**environment(), **variables},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )

    return run


@pytest.fixture
def conformance_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in this process, in a tenth of the time: for what ends before there is any work."""

    def run(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["conformance", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(sys.argv, code, said.out, said.err)

    return run


def environment() -> dict[str, str]:
    """The environment of a run, in which the packages of the checkout are found from any folder."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture(scope="session")
def command_environment() -> dict[str, str]:
    return environment()


@pytest.fixture(scope="session")
def planted() -> Callable[[str], str]:
    """The value of --subject for a planted defect."""
    return lambda name: f"{DEFECTS / name}.py:Subject"


@pytest.fixture(scope="session")
def findings() -> Callable[[Path], list[dict[str, Any]]]:
    """The lines of findings.jsonl of a run folder."""
    return lambda folder: [json.loads(line) for line in (folder / "findings.jsonl").read_text("ascii").splitlines()]


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[..., Path]:
    """Writes texts (or bytes) as a corpus of edge cases, and gives its path."""

    def write(*texts: str | bytes, name: str = "trouble.jsonl") -> Path:
        path = tmp_path / "corpus" / name
        path.parent.mkdir(exist_ok=True)
        lines = [{"bytes_hex": t.hex()} if isinstance(t, bytes) else {"text": t} for t in texts]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
        return path

    return write


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes an isolated subject from its source."""
    made: list[IsolatedSubject] = []

    def of(source: str = "", *, wrong: str = "pass", timeout: float = TIMEOUT) -> IsolatedSubject:
        file = tmp_path / "sübject file.py"
        file.write_text(textwrap.dedent(source) or WHOLE.format(wrong=wrong), "utf-8")
        subject = IsolatedSubject(f"{file}:Subject", tmp_path / "mödel", timeout)
        made.append(subject)
        return subject

    yield of
    for subject in made:
        subject.close()
