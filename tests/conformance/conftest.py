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

from conformance.subjects import adapters
from conformance.subjects.isolated import IsolatedSubject

from .here import run_here
from .report.run.browsers import IS_CI, browser_path
from .subjects.isolated_subjects import TIMEOUT, WHOLE, Make, isolated
from .subjects.served_here import ServedHere

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


@pytest.fixture(scope="session")
def conformance_here() -> Command:
    """Runs the command in this process, its shards and subjects too, in a quarter of the time: for what it says.

    isolated: subjects have processes of their own all the same.
    """

    def run(*arguments: str | Path, cwd: Path = ROOT, isolated: bool = False) -> subprocess.CompletedProcess[str]:
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(cwd)
            patched.setenv("NO_COLOR", "1")
            patched.setenv("COLUMNS", "120")
            return run_here([*map(str, arguments)], IsolatedSubject if isolated else ServedHere)

    return run


@pytest.fixture
def subjects_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subjects of files answer in this process: a hundred planted defects are asked in the time of ten."""
    monkeypatch.setattr(adapters, "IsolatedSubject", ServedHere)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; where there is none, or nothing that drives it, a test is left out, but in CI it fails."""
    for package in () if IS_CI else ("playwright", "axe_playwright_python"):
        pytest.importorskip(package)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


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
        subject = isolated(f"{file}:Subject", tmp_path / "mödel", timeout)
        made.append(subject)
        return subject

    yield of
    for subject in made:
        subject.close()
