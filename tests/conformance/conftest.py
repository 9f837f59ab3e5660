"""Helpers for the tests of the harness: running the command, answers made by hand, planted defects."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.commands import main
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.engine.result import ShardResult
from conformance.engine.workers import IN_THIS_PROCESS
from conformance.inputs.shards import Shard, corpus_cases, cut_cases
from conformance.runs import execute
from conformance.runs.job import file_hash
from conformance.runs.shard_work import work
from conformance.subjects import adapters
from conformance.subjects.isolated import IsolatedSubject

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
        for remembered in (file_hash, corpus_cases, cut_cases):
            remembered.cache_clear()
        on_end = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
        code: object = 0
        with (
            pytest.MonkeyPatch.context() as patched,
            redirect_stdout(StringIO()) as out,
            redirect_stderr(StringIO()) as errors,
        ):
            patched.chdir(cwd)
            patched.setattr(sys, "argv", ["conformance", *map(str, arguments)])
            patched.setenv("NO_COLOR", "1")
            patched.setenv("COLUMNS", "120")
            patched.setattr(execute, "run_shards", _run_shards_here)
            patched.setattr(os, "sched_getaffinity", lambda _: range(IN_THIS_PROCESS), raising=False)
            if not isolated:
                patched.setattr(adapters, "IsolatedSubject", ServedHere)
            try:
                main()
            except SystemExit as ended:
                code = ended.code
            finally:
                close_benches()
                for number, handler in on_end.items():
                    signal.signal(number, handler)
        assert isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), errors.getvalue())

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


def _run_shards_here(
    plan: Plan, shards: Sequence[Shard], jobs: int, done: Callable[[ShardResult], None], workers_of: object
) -> None:
    for shard in shards:
        done(work(plan, shard, bench_of(plan, shard.model)))


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
